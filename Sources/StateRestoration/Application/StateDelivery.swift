import RestorationArchive

/// What came of state that was waited for.
public enum StateDelivery: Sendable {
  /// It was restored.
  case restored(RestorationReport)
  /// There is none; the app has started fresh.
  case none
  /// It came too late: the app started fresh meanwhile, or newer state is held.
  case ignored(String)
}
