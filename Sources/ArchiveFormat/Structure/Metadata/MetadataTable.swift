/// A table of the metadata: its bytes, and where in them each entry is; an entry is made when somebody asks for it (Spec §4.3.3, §4.3.4).
///
/// An entry may have three bytes and would be many times that as a value with a text; a file could hold 65,535 of them.
package struct MetadataTable<Entry: MetadataTableEntry>: RandomAccessCollection, Sendable {
  private let bytes: [UInt8]
  private let fields: [Entry.Fields]

  /// Makes a table of entries that were read from `bytes`, one behind the other.
  init(_ bytes: [UInt8], fields: [Entry.Fields]) {
    self.bytes = bytes
    self.fields = fields
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { fields.count }

  package subscript(index: Int) -> Entry {
    Entry(fields[index], in: bytes.span)
  }

  /// How many bytes the entries from `index` on take.
  func byteCount(from index: Int) -> Int {
    index < fields.count ? bytes.count - Int(fields[index].start) : 0
  }
}

/// An entry of a ``MetadataTable``.
package protocol MetadataTableEntry: Sendable {
  /// What is kept of an entry that was read and found to be right.
  associatedtype Fields: MetadataTableFields

  /// Makes the entry; its texts are in `bytes`.
  init(_ fields: Fields, in bytes: Span<UInt8>)
}

/// What a ``MetadataTable`` keeps of an entry: numbers, and where its texts are.
package protocol MetadataTableFields: BitwiseCopyable, Sendable {
  /// Where in the bytes of the table the entry begins.
  var start: UInt32 { get }
}
