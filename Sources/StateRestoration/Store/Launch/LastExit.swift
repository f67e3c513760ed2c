/// How the last process that launched with a store came to its end.
public enum LastExit: String, Sendable, CaseIterable {
  /// In good order: ``RestorationStore/endLaunch()`` or `exit`.
  case ended
  /// By a signal that asks a process to end, and that it handled.
  case signal
  /// While it was suspended, as systems do that need its memory.
  case suspended
  /// By a fatal signal of its own: a trap, a bad access, an abort.
  case trapped
  /// By no call and no recorded signal: a force quit, a debugger's stop, the out-of-memory killer, or an unrecorded trap.
  case killed
  /// With the machine: the system has started anew since.
  case otherBoot = "other-boot"
  /// What it left cannot be read.
  case unknown

  /// Why the next launch restores.
  public var reason: RestorationReason {
    switch self {
    case .ended, .signal: .launch
    case .suspended: .restore
    case .trapped, .killed, .otherBoot, .unknown: .recover
    }
  }

  /// Whether it counts as a death of the archives that were being restored.
  var isDeath: Bool {
    switch self {
    case .trapped, .killed, .otherBoot: true
    case .ended, .signal, .suspended, .unknown: false
    }
  }
}
