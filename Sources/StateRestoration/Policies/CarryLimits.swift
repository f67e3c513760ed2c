import FoundationValues
import RestorationArchive

extension NodeReader {
  /// The time of the last save by a launch that could have claimed the node; nil if that is not recorded.
  var lastClaimable: Date? {
    guard hasAttributes, case .date(let date)? = try? attributes()[EngineAttribute.lastClaimable] else { return nil }
    return date
  }
}

/// Limits on the unclaimed state that is carried over from save to save.
///
/// State beyond the limits is dropped, and the report records this.
public struct CarryLimits: Sendable, Hashable {
  /// The maximum number of sessions that may have carried a node; nil for no limit.
  public var sessions: Int?
  /// The maximum age: the time since a launch could last have claimed the state, or else since it was saved; nil for no
  /// limit.
  ///
  /// Two launches in a row must find the age exceeded, so that a clock that is wrong once ends nothing. Applies only if the
  /// current time and the times of the saves are known.
  public var age: Duration?
  /// The maximum number of state bytes in all carried nodes; the nodes carried longest are dropped first.
  public var byteCount: Int

  /// The default limits: half a year and 16 MiB.
  public static let standard = CarryLimits()

  /// Creates limits.
  public init(sessions: Int? = nil, age: Duration? = .seconds(180 * 86_400), byteCount: Int = 16 << 20) {
    self.sessions = sessions
    self.age = age
    self.byteCount = byteCount
  }

  /// Returns whether the limits end a carried node: it is too old now, and was so when its archive was saved (R-3.5-6).
  func end(_ node: NodeReader, _ origin: ArchiveOrigin, now: Date?) -> Bool {
    if let sessions, Int(origin.sessionsCarried) > sessions { return true }
    guard let age, let now, let saved = node.header.timestamp, let start = node.lastClaimable ?? origin.timestamp else { return false }
    return [now, saved].allSatisfy { $0.timeIntervalSince(start) > age / .seconds(1) }
  }
}
