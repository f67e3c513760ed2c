#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import ArchiveFormat

/// The save that first held a node which was carried over since, because nobody consumed it (Spec §3.4).
public struct ArchiveOrigin: Sendable, Hashable {
  /// The bundle version of that save, if it is known.
  public var bundleVersion: String?
  /// When that save was made, if it is known.
  public var timestamp: Date?
  /// How many saves carried the node since.
  public var sessionsCarried: UInt32

  /// Makes an origin.
  public init(bundleVersion: String? = nil, timestamp: Date? = nil, sessionsCarried: UInt32 = 0) {
    self.bundleVersion = bundleVersion
    self.timestamp = timestamp
    self.sessionsCarried = sessionsCarried
  }

  init(_ record: OriginRecord) {
    bundleVersion = record.bundleVersion
    timestamp = record.timestampBits.map { Date(timeIntervalSinceReferenceDate: Double(bitPattern: $0)) }
    sessionsCarried = record.sessionsCarried
  }

  var record: OriginRecord {
    OriginRecord(
      bundleVersion: bundleVersion, timestampBits: timestamp?.timeIntervalSinceReferenceDate.bitPattern,
      sessionsCarried: sessionsCarried)
  }

  /// Whether an archive stores both as the same bytes.
  public static func == (left: ArchiveOrigin, right: ArchiveOrigin) -> Bool {
    left.record == right.record
  }

  /// Hashes what an archive stores.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(record)
  }
}
