#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import RestorationArchive

/// Limits on the unclaimed state that is carried over from save to save.
///
/// State beyond the limits is dropped, and the report records this.
public struct CarryLimits: Sendable, Hashable {
  /// The maximum number of sessions that may have carried a node; nil for no limit.
  public var sessions: Int?
  /// The maximum age: the time since the state was saved; nil for no limit.
  ///
  /// Applies only if the current time and the time of the save are known.
  public var age: Duration?
  /// The maximum number of state bytes in all carried nodes; the nodes carried longest are dropped first.
  public var bytes: Int

  /// The default limits: half a year and 16 MiB.
  public static let standard = CarryLimits()

  /// Creates limits.
  public init(sessions: Int? = nil, age: Duration? = .seconds(180 * 86_400), bytes: Int = 16 << 20) {
    self.sessions = sessions
    self.age = age
    self.bytes = bytes
  }

  /// Returns whether a node of this origin may still be carried or restored; `now` is in seconds since 2001.
  func allows(_ origin: ArchiveOrigin, now: Double?) -> Bool {
    if let sessions, Int(origin.sessionsCarried) > sessions { return false }
    if let age, let now, let saved = origin.timestamp?.timeIntervalSinceReferenceDate, now - saved > age / .seconds(1) { return false }
    return true
  }
}
