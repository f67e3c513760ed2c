import ArchiveFormat
import RestorationArchive

/// The bytes of a file that belong to no node: what nodes share, and what guards them.
struct OverheadSizes {
  /// The parts with their lengths, in file order; none is empty.
  private(set) var parts: [ArchiveSizes.Share] = []

  /// Measures the parts outside the sections `NODE`, `STRS` and `STAT`.
  init(_ records: ArchiveRecords) {
    let metadata = records.metadata
    add("prefix", ArchivePrefix.byteCount, 1)
    add("volatile header", ArchiveMetadata.volatileByteCount, metadata.volatileHeader.count)
    add("directory", Self.length(of: metadata.sections), metadata.sections.count)
    add("header", Self.length(of: metadata.header), metadata.header.count)
    add("origins", Self.length(of: metadata.allOrigins), metadata.origins.count)
    add("types", Self.length(of: metadata.allTypes), metadata.types.count)
    add("keys", Self.length(of: metadata.keys), metadata.keys.count)
    add("checksums", records.layout.tree.byteCount, records.layout.tree.leafCount)
    // The changes of a link, and the ancillary sections.
    for section in metadata.sections where !SectionCode.required.contains(section.code) {
      add("section \(section.code.text)", section.length, 1)
    }
    add("second copies", ArchivePrefix.byteCount + records.layout.metadataLength + records.layout.tree.byteCount, 1)
  }

  mutating func add(_ name: String, _ byteCount: Int, _ count: Int) {
    if byteCount > 0 { parts.append(ArchiveSizes.Share(name: name, byteCount: byteCount, count: count)) }
  }

  // The metadata have one valid form, so the lengths of its tables follow from their contents.

  private static func length(of sections: [SectionEntry]) -> Int {
    sections.reduce(varint(sections.count)) { $0 + 4 + varint($1.length) }
  }

  private static func length(of header: [HeaderEntry]) -> Int {
    header.reduce(varint(header.count)) { total, entry in
      let buffer = OutputBuffer(capacity: 16)
      entry.value.write(to: buffer)
      return total + text(entry.key) + buffer.count
    }
  }

  private static func length(of origins: [OriginRecord]) -> Int {
    origins.reduce(varint(origins.count)) { $0 + $1.encoded.count }
  }

  private static func length(of types: [TypeRecord]) -> Int {
    types.reduce(varint(types.count)) { $0 + text($1.tag) + varint(Int($1.schemaVersion)) }
  }

  private static func length(of keys: KeyTable) -> Int {
    (0..<keys.count).reduce(varint(keys.count)) { $0 + varint(keys.byteCount(at: $1)) + keys.byteCount(at: $1) }
  }

  private static func varint(_ number: Int) -> Int { OutputBuffer.varintLength(number) }
  private static func text(_ text: String) -> Int { varint(text.utf8.count) + text.utf8.count }
}
