/// A version of the format (Spec §9.1).
public struct FormatVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// What changes when older readers must refuse.
  public let major: UInt16
  /// What changes when older readers can do without.
  public let minor: UInt16

  /// The version that this build writes.
  public static let current = FormatVersion(major: 1, minor: 0)

  init(major: UInt16, minor: UInt16) {
    self.major = major
    self.minor = minor
  }

  /// Whether the left version is the older one.
  public static func < (left: FormatVersion, right: FormatVersion) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }

  /// Major and minor version with a full stop between them.
  public var description: String { "\(major).\(minor)" }
}
