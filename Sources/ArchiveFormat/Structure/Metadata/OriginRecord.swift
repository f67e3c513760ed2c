/// The save that first contained a carried-over node (Spec §3.4, §4.3.3).
package struct OriginRecord: Sendable, Hashable {
  /// The bits of `present`.
  package static let hasBundleVersion: UInt8 = 1
  package static let hasTimestamp: UInt8 = 2

  /// The bundle version, if known.
  package var bundleVersion: String?
  /// The bits of the timestamp's float64, if known.
  package var timestampBits: UInt64?
  /// The number of saves that have carried the node over since.
  package var sessionsCarried: UInt32

  /// Creates a record.
  package init(bundleVersion: String?, timestampBits: UInt64?, sessionsCarried: UInt32) {
    self.bundleVersion = bundleVersion
    self.timestampBits = timestampBits
    self.sessionsCarried = sessionsCarried
  }

  /// The bytes of the entry, which define the order of entries.
  package var encoded: [UInt8] {
    let buffer = OutputBuffer(capacity: 32)
    buffer.append((bundleVersion == nil ? 0 : Self.hasBundleVersion) | (timestampBits == nil ? 0 : Self.hasTimestamp))
    if let bundleVersion { buffer.appendText(bundleVersion) }
    if let timestampBits { buffer.append(timestampBits) }
    buffer.appendVarint(sessionsCarried)
    return buffer.makeArray()
  }

  /// Whether two origins have the same bytes.
  package static func == (left: OriginRecord, right: OriginRecord) -> Bool {
    left.encoded == right.encoded
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(encoded)
  }
}

extension OriginRecord: MetadataTableEntry {
  /// The numbers of an origin, and the range of its bundle version.
  package struct Fields: MetadataTableFields {
    package let start: UInt32
    fileprivate let sessionsCarried: UInt32
    private let versionCount: UInt16
    /// The number of bytes before the bundle version.
    private let versionOffset: UInt8
    private let present: UInt8

    /// Reads the origin at the position of `cursor`.
    init(_ cursor: inout ByteCursor, in bytes: Span<UInt8>) throws(FormatError) {
      let start = cursor.position
      let present = try cursor.readByte(in: bytes, "origin")
      guard present & ~(hasBundleVersion | hasTimestamp) == 0 else {
        throw FormatError(
          .originFlags, at: cursor.fileOffset + start, "origin", expected: .text("bits 0 and 1 only"), found: .hexadecimal(UInt64(present)))
      }
      var version = start..<start
      if present & hasBundleVersion != 0 {
        version = try cursor.readText(in: bytes, bounds: FormatLimits.originBundleVersion, "bundle version of an origin")
      }
      if present & hasTimestamp != 0 { _ = try cursor.readUInt64(in: bytes, "timestamp of an origin") }
      sessionsCarried = try cursor.readVarint(in: bytes, "sessions carried")
      self.start = UInt32(truncatingIfNeeded: start)
      self.present = present
      versionCount = UInt16(truncatingIfNeeded: version.count)
      versionOffset = UInt8(truncatingIfNeeded: version.lowerBound - start)
    }

    fileprivate var bundleVersion: Range<Int>? { present & hasBundleVersion != 0 ? version : nil }

    /// The offset of the timestamp, which follows the version if there is one.
    fileprivate var timestamp: Int? {
      guard present & hasTimestamp != 0 else { return nil }
      return present & hasBundleVersion != 0 ? version.upperBound : Int(start) + 1
    }

    private var version: Range<Int> {
      let first = Int(start) + Int(versionOffset)
      return first..<(first + Int(versionCount))
    }
  }

  package init(_ fields: Fields, in bytes: Span<UInt8>) {
    self.init(
      bundleVersion: fields.bundleVersion.map { bytes.extracting($0).makeString() ?? "" },
      timestampBits: fields.timestamp.map { bytes.uint64(at: $0) }, sessionsCarried: fields.sessionsCarried)
  }
}
