/// The save that first held a node which was carried over (Spec §3.4, §4.3.3).
package struct OriginRecord: Sendable, Hashable {
  /// The bits of `present`.
  package static let hasBundleVersion: UInt8 = 1
  package static let hasTimestamp: UInt8 = 2

  /// The bundle version, if it is known.
  package var bundleVersion: String?
  /// The bits of the timestamp's float64, if it is known.
  package var timestampBits: UInt64?
  /// How many saves carried the node since.
  package var sessionsCarried: UInt32

  /// Makes a record.
  package init(bundleVersion: String?, timestampBits: UInt64?, sessionsCarried: UInt32) {
    self.bundleVersion = bundleVersion
    self.timestampBits = timestampBits
    self.sessionsCarried = sessionsCarried
  }

  /// The bytes of the entry, by which entries are sorted.
  package var encoded: [UInt8] {
    let buffer = OutputBuffer(capacity: 32)
    buffer.append((bundleVersion == nil ? 0 : Self.hasBundleVersion) | (timestampBits == nil ? 0 : Self.hasTimestamp))
    if let bundleVersion { buffer.appendText(bundleVersion) }
    if let timestampBits { buffer.append(timestampBits) }
    buffer.appendVarint(sessionsCarried)
    return buffer.makeArray()
  }

  /// Whether two origins are the same bytes.
  package static func == (left: OriginRecord, right: OriginRecord) -> Bool {
    left.encoded == right.encoded
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(encoded)
  }
}

extension OriginRecord: MetadataTableEntry {
  /// The numbers of an origin, and where its bundle version is.
  package struct Fields: MetadataTableFields {
    package let start: UInt32
    fileprivate let sessionsCarried: UInt32
    private let versionCount: UInt16
    /// How many bytes stand in front of the bundle version.
    private let versionOffset: UInt8
    private let present: UInt8

    /// Reads the origin that a cursor is at.
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

    /// Where the timestamp is: behind the version, if there is one.
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
