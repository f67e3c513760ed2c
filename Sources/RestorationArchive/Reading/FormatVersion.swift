import ArchiveFormat

/// A version of the format (Spec §9.1).
public struct FormatVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The major version; it changes when older readers must reject the archive.
  public let major: UInt16
  /// The minor version; it changes when older readers can ignore the new parts.
  public let minor: UInt16

  /// The version that this build writes.
  public static let current = FormatVersion(major: 1, minor: 0)

  init(major: UInt16, minor: UInt16) {
    self.major = major
    self.minor = minor
  }

  /// Returns whether the left version is older.
  public static func < (left: FormatVersion, right: FormatVersion) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }

  /// The major and minor version, separated by a full stop.
  public var description: String { "\(major).\(minor)" }
}

extension FormatVersion {
  /// The length of the prefix that every archive begins with.
  package static let prefixByteCount = ArchivePrefix.byteCount

  /// Returns whether the prefix of an archive requires a later version of this library; nil if it is damaged or not
  /// that of an archive.
  package static func isLater(prefix: [UInt8]) -> Bool? {
    guard prefix.count == ArchivePrefix.byteCount, ArchivePrefix.isIntact(prefix.span) else { return nil }
    let prefix = ArchivePrefix(reading: prefix.span)
    return prefix.majorVersion != ArchivePrefix.majorVersion || prefix.features != 0
  }
}
