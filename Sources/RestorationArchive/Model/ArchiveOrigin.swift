#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
package import ArchiveFormat

/// The save that a carried-over node comes from: the node has been unclaimed since then (Spec §3.4).
public struct ArchiveOrigin: Sendable, Hashable {
  /// The bundle version of that save, if known.
  public var bundleVersion: String?
  /// The time of that save, if known.
  public var timestamp: Date?
  /// The number of sessions, launches of the app, whose saves have carried the node over since.
  public var sessionsCarried: UInt32

  /// Creates an origin.
  public init(bundleVersion: String? = nil, timestamp: Date? = nil, sessionsCarried: UInt32 = 0) {
    self.bundleVersion = bundleVersion
    self.timestamp = timestamp
    self.sessionsCarried = sessionsCarried
  }

  /// Creates the origin of a record.
  package init(_ record: OriginRecord) {
    bundleVersion = record.bundleVersion
    timestamp = record.timestampBits.map { Date(float64Bits: $0) }
    sessionsCarried = record.sessionsCarried
  }

  var record: OriginRecord {
    OriginRecord(
      bundleVersion: bundleVersion, timestampBits: timestamp?.float64Bits,
      sessionsCarried: sessionsCarried)
  }

  /// Returns whether an archive stores both origins as the same bytes.
  public static func == (left: ArchiveOrigin, right: ArchiveOrigin) -> Bool {
    left.record == right.record
  }

  /// Hashes the stored form.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(record)
  }
}
