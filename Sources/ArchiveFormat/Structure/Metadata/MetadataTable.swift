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
