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
    write(to: buffer)
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
  package static func read(_ cursor: inout ByteCursor, in bytes: Span<UInt8>) throws(FormatError) -> OriginRecord {
    let start = cursor.offset
    let present = try cursor.readByte(in: bytes, "origin")
    guard present & ~(hasBundleVersion | hasTimestamp) == 0 else {
      throw FormatError(.originFlags, at: start, "origin", expected: .text("bits 0 and 1 only"), found: .hexadecimal(UInt64(present)))
    }
    var origin = OriginRecord(bundleVersion: nil, timestampBits: nil, sessionsCarried: 0)
    if present & hasBundleVersion != 0 {
      let range = try cursor.readText(in: bytes, bounds: FormatLimits.originBundleVersion, "bundle version of an origin")
      origin.bundleVersion = bytes.extracting(range).makeString() ?? ""
    }
    if present & hasTimestamp != 0 {
      origin.timestampBits = try cursor.readUInt64(in: bytes, "timestamp of an origin")
    }
    origin.sessionsCarried = try cursor.readVarint(in: bytes, "sessions carried")
    return origin
  }

  package func write(to buffer: borrowing OutputBuffer) {
    buffer.append((bundleVersion == nil ? 0 : Self.hasBundleVersion) | (timestampBits == nil ? 0 : Self.hasTimestamp))
    if let bundleVersion { buffer.appendText(bundleVersion) }
    if let timestampBits { buffer.append(timestampBits) }
    buffer.appendVarint(sessionsCarried)
  }
}
