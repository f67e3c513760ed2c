#if canImport(Darwin)
  import Darwin
#endif
import RestorationArchive

/// The way the last process that used a store ended.
public enum LastExit: String, Sendable, CaseIterable {
  /// An orderly end, by ``RestorationStore/endLaunch()``, or by `exit` outside the callbacks of the engine.
  case ended
  /// A handled signal that asked the process to end, and that the app has answered.
  case signal
  /// `exit` inside a callback of the engine, as from a crash handler of the app's own.
  case exited
  /// A handled signal that the app did not answer within its time.
  case unanswered
  /// A kill while suspended, as systems do to reclaim memory.
  case suspended
  /// A fatal signal raised by the process itself: a trap, a bad access, an abort.
  case trapped
  /// An end without a call or a recorded signal: a force quit, a debugger's stop, the out-of-memory killer, or an
  /// unrecorded trap.
  case killed
  /// The end of the whole system, which has restarted since.
  case otherBoot = "other-boot"
  /// Unknown, because the record cannot be read.
  case unknown

  /// The reason for restoring at the next launch.
  public var reason: RestorationReason {
    switch self {
    case .ended, .signal: .launch
    case .suspended: .restore
    case .exited, .unanswered, .trapped, .killed, .otherBoot, .unknown: .recover
    }
  }

  /// Whether it counts as a death of the archives that were being restored.
  var isDeath: Bool {
    switch self {
    case .exited, .unanswered, .trapped, .killed, .otherBoot: true
    case .ended, .signal, .suspended, .unknown: false
    }
  }
}

/// The identity of this machine's boot.
package enum SystemBoot {
  /// A number that changes with each boot; 0 if the system has none.
  package static let identifier: UInt64 = read() ?? 0

  private static func read() -> UInt64? {
    #if canImport(Darwin)
      // Not the time of the boot, which moves when the clock is set.
      var text = [UInt8](repeating: 0, count: 64)
      var size = text.count
      guard unsafe sysctlbyname("kern.bootsessionuuid", &text, &size, nil, 0) == 0, size > 0 else { return nil }
      return FixedRecord.hash(String(decoding: text.prefix { $0 != 0 }, as: UTF8.self))
    #elseif os(Linux) || os(Android)
      let system = SystemFileSystem()
      guard let file = try? system.open("/proc/sys/kernel/random/boot_id", .read) else { return nil }
      defer { system.close(file) }
      guard let bytes = try? system.read(file, at: 0, count: 64), !bytes.isEmpty else { return nil }
      return FixedRecord.hash(String(decoding: bytes, as: UTF8.self))
    #else
      return nil
    #endif
  }
}
