/// The values of a record or dictionary by key, as they lie in the bytes.
///
/// Making one reads each entry and passes over text and containers, some ten nanoseconds each; a value is then had without reading it again.
@frozen @usableFromInline
package struct EntryTable: ~Copyable {
  /// An entry whose key is in the key table.
  ///
  /// (Not private: the compiler loses private types of generic non-copyable members in debug builds.)
  @frozen @usableFromInline
  struct TableEntry: BitwiseCopyable {
    @usableFromInline let key: Int
    @usableFromInline let field: Field
  }

  /// A value, and where its tag is.
  @frozen @usableFromInline
  package struct Field: BitwiseCopyable {
    @usableFromInline package let value: RawValue
    @usableFromInline package let position: Int

    /// Makes a field.
    package init(value: RawValue, position: Int) {
      self.value = value
      self.position = position
    }
  }

  /// An entry whose key stands in line.
  ///
  /// There may be as many as the file has room for, so its value is read again when it is asked for.
  @usableFromInline
  struct InlineEntry {
    let key: Range<Int>
    /// Where the value begins, a mark included.
    let position: Int
  }

  // Both ascend by key, as the entries do.
  @usableFromInline var tableEntries: ScratchArray<TableEntry>
  @usableFromInline var inlineEntries: [InlineEntry] = []
  @usableFromInline var end = 0
  /// The key of the entry in which the fault is that ``fill(_:role:in:keys:)`` threw, if it is known.
  package private(set) var faultyKey: KeyReference?

  /// Makes an empty table.
  package init() {
    tableEntries = ScratchArray(capacity: 16)
  }

  /// Reads the entries that `cursor` covers, in place of those that were here, and checks that they keep the rules.
  package mutating func fill(_ cursor: ByteCursor, role: EntryRole, in bytes: Span<UInt8>, keys: KeyTable) throws(FormatError) {
    var reader = EntryReader(cursor, role: role, keys: keys)
    do throws(FormatError) {
      try fill(from: &reader, in: bytes, keys: keys)
    } catch {
      faultyKey = reader.lastKey
      throw error
    }
  }

  @inline(__always)
  private mutating func fill(from reader: inout EntryReader, in bytes: Span<UInt8>, keys: KeyTable) throws(FormatError) {
    end = reader.cursor.end
    tableEntries.truncate(to: 0)
    if !inlineEntries.isEmpty { inlineEntries.removeAll() }
    while let entry = try reader.next(in: bytes, keys: keys) {
      if entry.key.isInline {
        inlineEntries.append(InlineEntry(key: entry.key.inlineRange, position: entry.valueStart))
      } else {
        tableEntries.append(
          TableEntry(key: entry.key.index, field: Field(value: entry.value, position: entry.tagStart)))
      }
    }
  }

  /// How many entries there are.
  package var count: Int { tableEntries.count + inlineEntries.count }

  /// The key of an entry; those of the key table come first.
  package func key(at place: Int) -> KeyReference {
    place < tableEntries.count
      ? KeyReference(index: tableEntries[place].key) : KeyReference(inline: inlineEntries[place - tableEntries.count].key)
  }

  /// The value under the key at `place`, which may be any number, if that is the key with this number in the key table.
  @inlinable @inline(__always)
  package func field(ofKey number: Int, at place: Int) -> Field? {
    guard place >= 0, place < tableEntries.count, tableEntries[place].key == number else { return nil }
    return tableEntries[place].field
  }

  /// The place of the entry that has the key with this number in the key table, or nil if there is none.
  ///
  /// - Complexity: O(log n).
  package func place(ofKey number: Int) -> Int? {
    var low = 0
    var high = tableEntries.count
    while low < high {
      let middle = (low &+ high) &>> 1
      if tableEntries[middle].key < number { low = middle &+ 1 } else { high = middle }
    }
    return low < tableEntries.count && tableEntries[low].key == number ? low : nil
  }

  /// The value under a key that stands in line in `bytes`, or nil if there is none.
  ///
  /// - Complexity: O(log n).
  package func field(ofInlineKey text: Span<UInt8>, in bytes: Span<UInt8>) -> Field? {
    var low = 0
    var high = inlineEntries.count
    while low < high {
      let middle = (low + high) / 2
      let order = bytes.extracting(inlineEntries[middle].key).compare(with: text)
      if order == 0 { return field(at: inlineEntries[middle].position, in: bytes) }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  private func field(at position: Int, in bytes: Span<UInt8>) -> Field? {
    var cursor = ByteCursor(position..<end, fileOffset: 0)
    if bytes[position] == ValueTag.sensitive { cursor.position += 1 }
    let tag = cursor.position
    // It was read when the table was made, and the bytes are the same.
    return (try? cursor.readValue(in: bytes)).map { Field(value: $0, position: tag) }
  }
}
