/// A table of the metadata: the bytes of its entries, and the place of each (Spec §4.3.3, §4.3.4).
///
/// Entries are read again on access. An entry can be three bytes long and take many times that as a value with a text; a
/// file can hold 65,535 of them.
package struct MetadataTable<Entry: MetadataTableEntry>: RandomAccessCollection, Sendable {
  private var bytes: [UInt8] = []
  private var starts: [UInt32] = []

  /// Creates an empty table.
  init() {}

  /// Creates a table of entries that begin at `starts` in `bytes`, and that have been read there.
  init(_ bytes: [UInt8], starts: [UInt32]) { (self.bytes, self.starts) = (bytes, starts) }

  package var startIndex: Int { 0 }
  package var endIndex: Int { starts.count }

  package subscript(index: Int) -> Entry {
    var cursor = ByteCursor(Int(starts[index])..<bytes.count, fileOffset: 0)
    guard let entry = try? Entry(&cursor, in: bytes.span) else { preconditionFailure("the entry was read before") }
    return entry
  }

  /// Returns the number of bytes of the entries from `index` on.
  func byteCount(from index: Int) -> Int { index < starts.count ? bytes.count - Int(starts[index]) : 0 }
}

/// An entry of a ``MetadataTable``.
package protocol MetadataTableEntry: Sendable {
  /// Reads the entry at the position of `cursor`.
  init(_ cursor: inout ByteCursor, in bytes: Span<UInt8>) throws(FormatError)
}

/// The save that first contained a carried-over node (Spec §3.4, §4.3.3).
package struct OriginRecord: MetadataTableEntry, Hashable {
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

  /// Reads the origin at the position of `cursor`.
  package init(_ cursor: inout ByteCursor, in bytes: Span<UInt8>) throws(FormatError) {
    let start = cursor.offset
    let present = try cursor.readByte(in: bytes, "origin")
    guard present & ~(Self.hasBundleVersion | Self.hasTimestamp) == 0 else {
      throw FormatError(.originFlags, at: start, "origin", expected: "bits 0 and 1 only", found: .hexadecimal(present))
    }
    if present & Self.hasBundleVersion != 0 {
      let version = try cursor.readText(in: bytes, bounds: FormatLimits.originBundleVersion, "bundle version of an origin")
      bundleVersion = bytes.extracting(version).makeString()
    }
    if present & Self.hasTimestamp != 0 {
      timestampBits = bytes.uint64(at: try cursor.readRange(of: 8, "timestamp of an origin").lowerBound)
    }
    sessionsCarried = try cursor.readVarint(in: bytes, "sessions carried")
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

/// The type of a node: a tag chosen by the developer, and the version of its state's schema (Spec §4.3.4).
package struct TypeRecord: Sendable, Equatable {
  /// The tag.
  package var tag: String
  /// The schema version.
  package var schemaVersion: UInt32

  /// The schema version as the API has it; clamped where an `Int` has 32 bits.
  package var version: Int { Int(clamping: schemaVersion) }

  /// The number of bytes of the entry.
  package var byteCount: Int { OutputBuffer.textLength(tag.utf8.count) + OutputBuffer.varintLength(version) }

  /// Whether two types have the same schema version and, byte for byte, the same tag.
  package static func == (left: TypeRecord, right: TypeRecord) -> Bool {
    left.schemaVersion == right.schemaVersion && left.tag.isIdenticalText(to: right.tag)
  }
}

extension TypeRecord: MetadataTableEntry {
  /// Reads the type at the position of `cursor`.
  package init(_ cursor: inout ByteCursor, in bytes: Span<UInt8>) throws(FormatError) {
    let parts = try Self.parts(&cursor, in: bytes)
    (tag, schemaVersion) = (bytes.extracting(parts.tag).makeString() ?? "", parts.schemaVersion)
  }

  /// Reads the range of the tag and the schema version of the type at the position of `cursor`: enough to compare types.
  static func parts(_ cursor: inout ByteCursor, in bytes: Span<UInt8>) throws(FormatError) -> (tag: Range<Int>, schemaVersion: UInt32) {
    let tag = try cursor.readText(in: bytes, bounds: FormatLimits.typeTag, "type tag")
    return (tag, try cursor.readVarint(in: bytes, "schema version"))
  }
}
