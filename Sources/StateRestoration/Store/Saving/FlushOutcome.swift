/// What came of waiting for a save.
public enum FlushOutcome: String, Sendable {
  /// The state is on the disk.
  case saved
  /// The content was on the disk already, or what was saved before is to stay.
  case unchanged
  /// The files cannot be reached yet, or what was saved before is still to come; what the app wants saved is kept in memory.
  case held
  /// What was saved before is removed, as the app wanted it.
  case forgotten
  /// Time was up. The save goes on, and until it is done the state before is on the disk, unless it is being removed.
  case expired
  /// It was not saved, for the reason that ``SaveQueue/lastError`` or ``SaveCycle/captureError`` gives.
  case failed
}
