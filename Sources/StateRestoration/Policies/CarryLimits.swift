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
  /// Two launches in a row must find the age exceeded, so that a clock that is wrong once ends nothing. Applies only if the
  /// current time and the time of the save are known.
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

  /// Returns whether the limits end a carried node; `now` is in seconds since 2001.
  func end(_ node: NodeReader, _ origin: ArchiveOrigin, now: Double?) -> Bool {
    if let sessions, Int(origin.sessionsCarried) > sessions { return true }
    return isOverdue(origin, now: now) && node.has(EngineAttribute.overdue)
  }

  /// Returns whether state of this origin is older than allowed.
  func isOverdue(_ origin: ArchiveOrigin, now: Double?) -> Bool {
    guard let age, let now, let saved = origin.timestamp?.timeIntervalSinceReferenceDate else { return false }
    return now - saved > age / .seconds(1)
  }
}
