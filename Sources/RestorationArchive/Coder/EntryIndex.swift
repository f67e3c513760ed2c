import ArchiveFormat

/// The entries of a record or dictionary, found by key without reading their values.
///
/// Building it reads each entry's key and passes over its value, a few nanoseconds each. A key that is asked for is looked up in the
/// archive's key table, and after that only numbers are compared.
final class EntryIndex {
  /// An entry whose key is in the key table.
  ///
  /// Both numbers are below 2^32 in any archive.
  private struct TableEntry {
    let key: UInt32
    /// Where the value begins, a mark included.
    let value: UInt32
  }

  /// An entry whose key stands in line.
  private struct InlineEntry {
    let key: Range<Int>
    let value: Int
  }

  // Both ascend by key, as the entries do.
  private var tableEntries: [TableEntry] = []
  private var inlineEntries: [InlineEntry] = []
  /// Where the next search begins: values are mostly asked for in some steady order.
  private var next = 0

  /// Whether two keys are the same to a `String`; set when somebody asked for all keys.
  var hasCollidingKeys = false

  /// Reads the keys of the entries that `cursor` covers, and checks that they keep the rules.
  init(_ cursor: ByteCursor, role: EntryRole, of source: DecodingSource) throws(FormatError) {
    let storage = source.storage
    let bytes = storage.span
    var reader = EntryReader(cursor, role: role)
    tableEntries.reserveCapacity(min(cursor.remaining / 2, 16))
    while let entry = try reader.next(in: bytes, keys: source.keys) {
      if entry.key.isInline {
        inlineEntries.append(InlineEntry(key: entry.key.inlineRange, value: entry.valueStart))
      } else {
        tableEntries.append(
          TableEntry(key: UInt32(truncatingIfNeeded: entry.key.index), value: UInt32(truncatingIfNeeded: entry.valueStart)))
      }
    }
  }

  /// The key of an entry; those of the table come first.
  private func key(at index: Int, of source: DecodingSource) -> String {
    if index < tableEntries.count { return source.keys.keys[Int(tableEntries[index].key)] }
    let storage = source.storage
    return storage.span.extracting(inlineEntries[index - tableEntries.count].key).makeString() ?? ""
  }

  /// All keys.
  func keys(of source: DecodingSource) -> [String] {
    (0..<(tableEntries.count + inlineEntries.count)).map { key(at: $0, of: source) }
  }

  /// Where the value under a key begins, or nil if there is none.
  ///
  /// - Complexity: O(log n), and O(1) for keys that are asked for in ascending order.
  @inline(__always)
  func value(forKey key: String, of source: DecodingSource) -> Int? {
    key.withUTF8Bytes { text in
      if let number = source.keys.index(of: text) { return value(forTableKey: UInt32(truncatingIfNeeded: number)) }
      return inlineEntries.isEmpty ? nil : value(forInlineKey: text, in: source.storage)
    }
  }

  private func value(forTableKey key: UInt32) -> Int? {
    if next < tableEntries.count, tableEntries[next].key == key {
      next &+= 1
      return Int(tableEntries[next &- 1].value)
    }
    var low = 0
    var high = tableEntries.count
    while low < high {
      let middle = (low &+ high) &>> 1
      if tableEntries[middle].key < key { low = middle &+ 1 } else { high = middle }
    }
    guard low < tableEntries.count, tableEntries[low].key == key else { return nil }
    next = low &+ 1
    return Int(tableEntries[low].value)
  }

  private func value(forInlineKey text: Span<UInt8>, in storage: [UInt8]) -> Int? {
    let bytes = storage.span
    var low = 0
    var high = inlineEntries.count
    while low < high {
      let middle = (low + high) / 2
      let order = bytes.extracting(inlineEntries[middle].key).compare(with: text)
      if order == 0 { return inlineEntries[middle].value }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return nil
  }
}
