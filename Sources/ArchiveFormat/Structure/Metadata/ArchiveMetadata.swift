/// The metadata: everything that a reader needs before the first node (Spec §4.3).
package struct ArchiveMetadata: Sendable {
  /// The fixed length of the volatile header.
  ///
  /// It makes the start of the body depend on the content alone (rule R-4.3-15).
  package static let volatileByteCount = 192

  /// The header entries that the content digest excludes.
  package var volatileHeader: [HeaderEntry] = []
  /// The sections, in the order of the body.
  package var sections: [SectionEntry] = []
  /// The other header entries.
  package var header: [HeaderEntry] = []
  /// The origins of carried-over nodes.
  package var origins = MetadataTable<OriginRecord>()
  /// The types of nodes.
  package var types = MetadataTable<TypeRecord>()
  /// The keys that entries refer to by number.
  package var keys = KeyTable.empty

  /// The range of the node table, from the start of the body.
  package var nodes: Range<Int> { sections[0].range }
  /// The range of the long identifiers, from the start of the body.
  package var strings: Range<Int> { sections[1].range }
  /// The range of the state records, from the start of the body.
  package var states: Range<Int> { sections[2].range }
  /// The section that makes an archive a link (Spec §15.2); in the order of the codes it precedes all ancillary ones.
  package var link: SectionEntry? {
    let next = SectionCode.required.count
    return sections.count > next && sections[next].code == .link ? sections[next] : nil
  }
  /// The sections that readers may ignore.
  package var ancillarySections: ArraySlice<SectionEntry> {
    sections.dropFirst(SectionCode.required.count + (link == nil ? 0 : 1))
  }
  /// The number of node records, including the root record.
  package var recordCount: Int { nodes.count / NodeRecord.byteCount }

  /// Returns the type with this number, or nil for 0.
  ///
  /// The number comes from a checked record, so any other is in the table.
  package func type(_ number: UInt16) -> TypeRecord? {
    number == 0 ? nil : types[Int(number) - 1]
  }

  /// Returns the origin with this number, or nil for 0.
  package func origin(_ number: UInt16) -> OriginRecord? {
    number == 0 ? nil : origins[Int(number) - 1]
  }

  // Computed here, because generic code is not specialized for these types in other modules.

  /// All types.
  package var allTypes: [TypeRecord] { Array(types) }

  /// All origins.
  package var allOrigins: [OriginRecord] { Array(origins) }

  /// Appends the metadata with this header and these sections; `appendKeys` appends the key table.
  ///
  /// - Throws: `string-length` if the volatile header exceeds its fixed length.
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
  ///   - entries: The entries, in order.
  ///   - offset: The offset of the header in a text, for the error.
  /// - Throws: `string-length` if the entries exceed the fixed length.
  package func append(volatileHeader entries: [HeaderEntry], at offset: Int? = nil) throws(FormatError) {
    let start = count
    append(headerEntries: entries)
    let left = start + ArchiveMetadata.volatileByteCount - count
    guard left >= 0 else {
      throw FormatError(
        .stringLength, at: offset, "systemVersion, timestamp and writer",
        expected: "at most \(ArchiveMetadata.volatileByteCount) bytes together", found: .number(count - start))
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

/// The four letters that identify a section; their case carries rules (Spec §9.3).
package struct SectionCode: Sendable, Hashable {
  /// The letters as a number with the same order.
  package let rawValue: UInt32

  /// Node records.
  package static let nodes = SectionCode(letters: 0x4E, 0x4F, 0x44, 0x45)
  /// Long identifiers.
  package static let strings = SectionCode(letters: 0x53, 0x54, 0x52, 0x53)
  /// State records.
  package static let states = SectionCode(letters: 0x53, 0x54, 0x41, 0x54)
  /// The changes of a link (Spec §15.2).
  package static let link = SectionCode(letters: 0x4C, 0x49, 0x4E, 0x4B)
  /// The sections of every archive, in order.
  package static let required = [nodes, strings, states]

  private init(letters first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
    rawValue = UInt32(first) << 24 | UInt32(second) << 16 | UInt32(third) << 8 | UInt32(fourth)
  }

  /// Creates the code from the bytes at `offset`, or returns nil if they are not four letters of which the third is a
  /// capital (rule R-4.3-3).
  package init?(_ bytes: Span<UInt8>, at offset: Int) {
    self.init(letters: bytes[offset], bytes[offset + 1], bytes[offset + 2], bytes[offset + 3])
    for shift: UInt32 in [0, 8, 16, 24] {
      let letter = UInt8(truncatingIfNeeded: rawValue >> shift) | 0x20
      guard (0x61...0x7A).contains(letter) else { return nil }
    }
    if rawValue & 0x2000 != 0 { return nil }
  }

  /// Creates the code with this text, or returns nil if the text is not a section code.
  package init?(text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 4 else { return nil }
    self.init(bytes.span, at: 0)
  }

  /// Whether a reader that does not know the section must refuse the file.
  package var isCritical: Bool { rawValue & 0x2000_0000 == 0 }
  /// Whether the section belongs to one app or tool and is not registered.
  package var isPrivate: Bool { rawValue & 0x20_0000 != 0 }
  /// Whether the section can be preserved when the rest of the archive changes.
  package var isSafeToCopy: Bool { rawValue & 0x20 != 0 }

  /// The four bytes.
  package var bytes: [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) }
  }

  /// The four letters.
  package var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// A section, as listed in the directory (Spec §4.3.1).
package struct SectionEntry: Sendable, Equatable {
  /// The code of the section.
  package let code: SectionCode
  /// The length of the section.
  package let length: Int
  /// The range of the section, from the start of the body.
  package let range: Range<Int>

  /// Creates an entry.
  package init(code: SectionCode, length: Int, range: Range<Int>) {
    self.code = code
    self.length = length
    self.range = range
  }
}
