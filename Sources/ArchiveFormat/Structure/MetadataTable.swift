/// A table of the metadata: its entries as bytes, each made when somebody asks for it (Spec §4.3.3, §4.3.4).
///
/// An entry may have three bytes and would be many times that as a value; a file could hold 65,535 of them.
package struct MetadataTable<Entry: MetadataTableEntry>: RandomAccessCollection, Sendable {
  private let bytes: [UInt8]
  /// Where in the bytes each entry begins.
  private let starts: [UInt32]

  /// Makes a table of entries that lie in `bytes`, one behind the other, and were read before.
  init(_ bytes: [UInt8], starts: [UInt32]) {
    self.bytes = bytes
    self.starts = starts
  }

  /// Makes a table of entries in their order.
  package init(_ entries: [Entry]) {
    guard !entries.isEmpty else {
      self.init([], starts: [])
      return
    }
    let buffer = OutputBuffer(capacity: 512)
    var starts: [UInt32] = []
    starts.reserveCapacity(entries.count)
    for entry in entries {
      starts.append(UInt32(truncatingIfNeeded: buffer.count))
      entry.write(to: buffer)
    }
    self.init(buffer.makeArray(), starts: starts)
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { starts.count }

  package subscript(index: Int) -> Entry {
    var cursor = ByteCursor(Int(starts[index])..<bytes.count, fileOffset: 0)
    guard let entry = try? Entry.read(&cursor, in: bytes.span) else { preconditionFailure("an entry that was read before") }
    return entry
  }

  /// How many bytes the entries from `index` on take.
  package func byteCount(from index: Int) -> Int {
    index < starts.count ? bytes.count - Int(starts[index]) : 0
  }

  /// Appends the table as the metadata holds it: the number of entries, and these.
  func write(to buffer: borrowing OutputBuffer) {
    buffer.appendVarint(count)
    buffer.append(contentsOf: bytes.span)
  }
}

/// An entry of a ``MetadataTable``.
package protocol MetadataTableEntry: Sendable {
  /// Reads the entry that a cursor is at.
  static func read(_ cursor: inout ByteCursor, in bytes: Span<UInt8>) throws(FormatError) -> Self

  /// Appends the bytes of the entry.
  func write(to buffer: borrowing OutputBuffer)
}
