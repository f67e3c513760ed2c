/// The save from which a carried-over node originates (Spec 3.4).
public struct SlowOrigin: Hashable, Sendable {
  /// The bundle version as UTF-8, if it is known.
  public var bundleVersion: [UInt8]?
  /// The bits of the seconds since 2001-01-01T00:00:00Z, if they are known.
  public var timestamp: UInt64?
  /// The number of saves that have carried the node over since.
  public var sessionsCarried: UInt32

  /// Creates an origin.
  public init(bundleVersion: [UInt8]?, timestamp: UInt64?, sessionsCarried: UInt32) {
    self.bundleVersion = bundleVersion
    self.timestamp = timestamp
    self.sessionsCarried = sessionsCarried
  }
}
