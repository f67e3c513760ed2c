/// Where an app stands with the state that was saved.
public enum RestorationCondition: String, Sendable {
  /// Neither ``RestorableApplication/restore(from:with:options:)`` nor ``RestorableApplication/startFresh(_:)`` was called: nothing is saved.
  case undecided
  /// The state may come later, from a device that is locked or a disk that is not there yet; saves are held.
  case pending
  /// The app started without restored state.
  case fresh
  /// The app was restored.
  case restored
}
