/// Everything that a reader needs before the first node (Spec §4.3).
package struct ArchiveMetadata: Sendable {
  /// The length of the volatile header, which is the same in every archive, so that the body begins where its content says (rule R-4.3-15).
  package static let volatileByteCount = 192

  /// The header entries that are left out of the content digest.
  package var volatileHeader: [HeaderEntry]
  /// The sections, in their order in the body.
  package var sections: [SectionEntry]
  /// The other header entries.
  package var header: [HeaderEntry]
  /// The origins of nodes that were carried over.
  package var origins: MetadataTable<OriginRecord>
  /// The types of nodes.
  package var types: MetadataTable<TypeRecord>
  /// The keys that entries name by number.
  package var keys: KeyTable

  /// Makes metadata of its parts.
  init(
    volatileHeader: [HeaderEntry] = [], sections: [SectionEntry] = [], header: [HeaderEntry] = [],
    origins: MetadataTable<OriginRecord> = MetadataTable([], fields: []), types: MetadataTable<TypeRecord> = MetadataTable([], fields: []),
    keys: KeyTable = .empty
  ) {
    self.volatileHeader = volatileHeader
    self.sections = sections
    self.header = header
    self.origins = origins
    self.types = types
    self.keys = keys
  }

  /// Makes metadata without anything in it.
  package init() {
    self.init(volatileHeader: [])
  }

  /// Where the node table lies, from the start of the body.
  package var nodes: Range<Int> { sections[0].range }
  /// Where the long identifiers lie, from the start of the body.
  package var strings: Range<Int> { sections[1].range }
  /// Where the state records lie, from the start of the body.
  package var states: Range<Int> { sections[2].range }
  /// The sections behind the required ones.
  package var ancillarySections: ArraySlice<SectionEntry> { sections.dropFirst(SectionCode.required.count) }
  /// The number of node records, that of the empty path included.
  package var recordCount: Int { nodes.count / NodeRecord.byteCount }

  /// The type that a node record names; nil for 0.
  ///
  /// The record has been checked, so that the table has the others.
  package func type(_ number: UInt16) -> TypeRecord? {
    number == 0 ? nil : types[Int(number) - 1]
  }

  /// The origin that a node record names; nil for 0.
  package func origin(_ number: UInt16) -> OriginRecord? {
    number == 0 ? nil : origins[Int(number) - 1]
  }

  // Made here, because generic code is not compiled for its types in other modules.

  /// All types.
  package var allTypes: [TypeRecord] { Array(types) }

  /// All origins.
  package var allOrigins: [OriginRecord] { Array(origins) }

  /// Appends the metadata with this header and these sections; `appendKeys` appends the key table.
  ///
  /// - Throws: `string-length` if the volatile header does not fit into its room.
  package func append(
    origins: [OriginRecord], types: [TypeRecord], to buffer: borrowing OutputBuffer, _ appendKeys: (borrowing OutputBuffer) -> Void
  ) throws(FormatError) {
    try buffer.append(volatileHeader: volatileHeader)
    buffer.appendVarint(sections.count)
    for section in sections {
      buffer.append(section.code.rawValue.byteSwapped)
      buffer.appendVarint(section.length)
    }
    buffer.append(headerEntries: header)
    buffer.appendVarint(origins.count)
    for origin in origins { buffer.append(contentsOf: origin.encoded.span) }
    buffer.appendVarint(types.count)
    for type in types {
      buffer.appendText(type.tag)
      buffer.appendVarint(type.schemaVersion)
    }
    appendKeys(buffer)
  }
}

extension OutputBuffer {
  /// Appends the volatile header, with zeros up to its fixed length (rule R-4.3-15).
  ///
  /// - Parameters:
  ///   - entries: The entries, in their order.
  ///   - offset: Where in a text the header stands, for the error.
  /// - Throws: `string-length` if the entries take more.
  package func append(volatileHeader entries: [HeaderEntry], at offset: Int? = nil) throws(FormatError) {
    let start = count
    append(headerEntries: entries)
    let left = start + ArchiveMetadata.volatileByteCount - count
    guard left >= 0 else {
      throw FormatError(
        .stringLength, at: offset, "systemVersion, timestamp and writer",
        expected: .text("at most \(ArchiveMetadata.volatileByteCount) bytes together"), found: .number(UInt64(count - start)))
    }
    for _ in 0..<left / 8 { append(0 as UInt64) }
    for _ in 0..<left % 8 { append(0 as UInt8) }
  }

  fileprivate func append(headerEntries entries: [HeaderEntry]) {
    appendVarint(entries.count)
    for entry in entries {
      appendText(entry.key)
      entry.value.write(to: self)
    }
  }
}
