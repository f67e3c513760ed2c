/// The condition of an app with respect to its saved state.
public enum RestorationCondition: String, Sendable {
  /// Neither ``RestorableApplication/restore(from:with:options:)`` nor ``RestorableApplication/startFresh(_:)`` was
  /// called; saving is not allowed yet.
  case undecided
  /// The state may arrive later, for example from a locked device or an unmounted disk; saves are deferred.
  case pending
  /// The app started without restored state.
  case fresh
  /// The app was restored.
  case restored
}
