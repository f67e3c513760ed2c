#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import RestorationArchive

/// For how long state that nobody takes is carried over from save to save, and how much of it.
///
/// What is beyond the limits is dropped, and the report says so.
public struct CarryLimits: Sendable, Hashable {
  /// How many sessions may have carried a node; nil for any number.
  public var sessions: Int?
  /// How many seconds ago it was saved; nil for any age.
  ///
  /// It counts where both times are known.
  public var age: Double?
  /// How many bytes of state are carried in all; what was carried longest goes first.
  public var bytes: Int

  /// Half a year, and 16 MiB.
  public static let standard = CarryLimits()

  /// Makes limits.
  public init(sessions: Int? = nil, age: Double? = 180 * 86_400, bytes: Int = 16 << 20) {
    self.sessions = sessions
    self.age = age
    self.bytes = bytes
  }

  /// Whether a node of this origin may still be carried or restored, seconds being those since 2001.
  func allows(_ origin: ArchiveOrigin, now: Double?) -> Bool {
    if let sessions, Int(origin.sessionsCarried) > sessions { return false }
    if let age, let now, let saved = origin.timestamp?.timeIntervalSinceReferenceDate, now - saved > age { return false }
    return true
  }
}
