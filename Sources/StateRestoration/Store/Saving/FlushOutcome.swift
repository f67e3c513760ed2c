/// The outcome of waiting for a save.
public enum FlushOutcome: String, Sendable {
  /// The state is on disk.
  case saved
  /// The content was already on disk, or the previous state is to be kept.
  case unchanged
  /// The storage is not accessible, or the previous state is not available yet; the state to save is kept in memory.
  case deferred
  /// The saved state was removed, as the app requested.
  case forgotten
  /// The time limit expired. The save continues; until it completes, the previous state is on disk, unless it is being
  /// removed.
  case expired
  /// The save failed with ``SaveQueue/lastError`` or ``SaveCycle/captureError``.
  case failed
}
