/// A table of the metadata: its bytes, and the fields of each entry (Spec §4.3.3, §4.3.4).
///
/// Entries are created on access. An entry can be three bytes long and take many times that as a value with a text; a
/// file can hold 65,535 of them.
package struct MetadataTable<Entry: MetadataTableEntry>: RandomAccessCollection, Sendable {
  private let bytes: [UInt8]
  private let fields: [Entry.Fields]

  /// Creates a table of entries that were read from `bytes`, one after the other.
  init(_ bytes: [UInt8], fields: [Entry.Fields]) {
    self.bytes = bytes
    self.fields = fields
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { fields.count }

  package subscript(index: Int) -> Entry {
    Entry(fields[index], in: bytes.span)
  }

  /// Returns the number of bytes of the entries from `index` on.
  func byteCount(from index: Int) -> Int {
    index < fields.count ? bytes.count - Int(fields[index].start) : 0
  }
}

/// An entry of a ``MetadataTable``.
package protocol MetadataTableEntry: Sendable {
  /// The stored form of an entry that was read and is valid.
  associatedtype Fields: MetadataTableFields

  /// Creates the entry; its texts are in `bytes`.
  init(_ fields: Fields, in bytes: Span<UInt8>)
}

/// The stored form of an entry in a ``MetadataTable``: numbers, and the ranges of its texts.
package protocol MetadataTableFields: BitwiseCopyable, Sendable {
  /// The offset of the entry in the bytes of the table.
  var start: UInt32 { get }
}

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
          .originFlags, at: cursor.fileOffset + start, "origin", expected: "bits 0 and 1 only", found: .hexadecimal(present))
      }
      var version = start..<start
      if present & hasBundleVersion != 0 {
        version = try cursor.readText(in: bytes, bounds: FormatLimits.originBundleVersion, "bundle version of an origin")
      }
      if present & hasTimestamp != 0 { _ = try cursor.readRange(of: 8, "timestamp of an origin") }
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

/// The type of a node: a tag chosen by the developer, and the version of its state's schema (Spec §4.3.4).
package struct TypeRecord: Sendable, Equatable {
  /// The tag.
  package var tag: String
  /// The schema version.
  package var schemaVersion: UInt32

  /// The schema version as the API has it; clamped where an `Int` has 32 bits.
  package var version: Int { Int(clamping: schemaVersion) }

  /// Whether two types have the same schema version and, byte for byte, the same tag.
  package static func == (left: TypeRecord, right: TypeRecord) -> Bool {
    left.schemaVersion == right.schemaVersion && left.tag.isIdenticalText(to: right.tag)
  }
}

extension TypeRecord: MetadataTableEntry {
  /// The range of a type's tag, and its schema version: enough to compare it.
  package struct Fields: MetadataTableFields {
    package let start: UInt32
    fileprivate let schemaVersion: UInt32
    private let tagCount: UInt16
    /// The number of bytes of the tag's length.
    private let lengthCount: UInt8

    /// Reads the type at the position of `cursor`.
    init(_ cursor: inout ByteCursor, in bytes: Span<UInt8>) throws(FormatError) {
      let start = cursor.position
      let tag = try cursor.readString(in: bytes, bounds: FormatLimits.typeTag, "type tag")
      try cursor.validateText(in: bytes, at: tag, "type tag")
      schemaVersion = try cursor.readVarint(in: bytes, "schema version")
      self.start = UInt32(truncatingIfNeeded: start)
      tagCount = UInt16(truncatingIfNeeded: tag.count)
      lengthCount = UInt8(truncatingIfNeeded: tag.lowerBound - start)
    }

    fileprivate var tag: Range<Int> {
      let first = Int(start) + Int(lengthCount)
      return first..<(first + Int(tagCount))
    }

    /// Whether this type precedes `other` in the table.
    func precedes(_ other: Fields, in bytes: Span<UInt8>) -> Bool {
      let (mine, others) = (bytes.extracting(tag), bytes.extracting(other.tag))
      // The first eight bytes decide most comparisons.
      let (prefix, otherPrefix) = (mine.sortingPrefix, others.sortingPrefix)
      if prefix != otherPrefix { return prefix < otherPrefix }
      let order = mine.compare(with: others)
      return order == 0 ? schemaVersion < other.schemaVersion : order < 0
    }
  }

  package init(_ fields: Fields, in bytes: Span<UInt8>) {
    self.init(tag: bytes.extracting(fields.tag).makeString() ?? "", schemaVersion: fields.schemaVersion)
  }
}
