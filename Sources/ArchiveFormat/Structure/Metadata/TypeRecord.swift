/// The type of a node: a tag chosen by the developer, and the version of its state's schema (Spec §4.3.4).
package struct TypeRecord: Sendable, Hashable {
  /// The tag.
  package var tag: String
  /// The schema version.
  package var schemaVersion: UInt32

  /// The schema version as the API has it; clamped where an `Int` has 32 bits.
  package var version: Int { Int(clamping: schemaVersion) }

  /// Creates a record.
  package init(tag: String, schemaVersion: UInt32) {
    self.tag = tag
    self.schemaVersion = schemaVersion
  }

  /// Whether two types have the same schema version and, byte for byte, the same tag.
  package static func == (left: TypeRecord, right: TypeRecord) -> Bool {
    left.schemaVersion == right.schemaVersion && left.tag.isIdenticalText(to: right.tag)
  }

  package func hash(into hasher: inout Hasher) {
    for byte in tag.utf8 { hasher.combine(byte) }
    hasher.combine(schemaVersion)
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
