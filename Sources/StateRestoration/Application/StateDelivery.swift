import RestorationArchive

/// The result of delivering awaited state.
public enum StateDelivery: Sendable {
  /// The state was restored.
  case restored(RestorationReport)
  /// There is no state; the app has started fresh.
  case none
  /// The state arrived too late: the app had started fresh, or newer state had been saved.
  case ignored(String)
}
