public import Storage

/// The values of a record or dictionary by key, as stored in the bytes.
///
/// Filling a table reads each entry, at some ten nanoseconds each, and skips text and containers. A lookup does not
/// read the value again.
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

  /// A value, and the position of its tag.
  @frozen @usableFromInline
  package struct Field: BitwiseCopyable {
    @usableFromInline package let value: RawValue
    @usableFromInline package let position: Int

    /// Creates a field.
    package init(value: RawValue, position: Int) {
      self.value = value
      self.position = position
    }
  }

  /// An entry with an inline key.
  ///
  /// A file may have any number of them, so a lookup reads the value again.
  @usableFromInline
  struct InlineEntry {
    let key: Range<Int>
    /// The position of the value, including its mark.
    let position: Int
  }

  // Both are in ascending order of keys, as the entries are.
  @usableFromInline var tableEntries: ScratchArray<TableEntry>
  @usableFromInline var inlineEntries: [InlineEntry] = []
  @usableFromInline var end = 0
  /// The key of the entry with the error thrown by ``fill(_:role:in:keys:)``, if known.
  package private(set) var faultyKey: KeyReference?

  /// Creates an empty table.
  package init() {
    tableEntries = ScratchArray(capacity: 16)
  }

  /// Replaces the content with the entries that `cursor` covers, and checks them.
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

  /// The number of entries.
  package var count: Int { tableEntries.count + inlineEntries.count }

  /// Returns the key of the entry at `place`; table keys come before inline keys.
  package func key(at place: Int) -> KeyReference {
    place < tableEntries.count
      ? KeyReference(index: tableEntries[place].key) : KeyReference(inline: inlineEntries[place - tableEntries.count].key)
  }

  /// Returns the value at `place`, which may be any number, if its key has this index in the key table.
  @inlinable @inline(__always)
  package func field(ofKey number: Int, at place: Int) -> Field? {
    guard place >= 0, place < tableEntries.count, tableEntries[place].key == number else { return nil }
    return tableEntries[place].field
  }

  /// Returns the place of the entry whose key has this index in the key table, or nil if there is none.
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

  /// Returns the value of an inline key in `bytes`, or nil if there is none.
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
    // Cannot fail: the value was read when the table was filled, and the bytes are the same.
    return (try? cursor.readValue(in: bytes)).map { Field(value: $0, position: tag) }
  }
}
