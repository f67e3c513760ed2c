/// The keys that entries name by number, in ascending order of their bytes (Spec §4.3.5).
package struct KeyTable: Sendable {
  /// The keys.
  package let keys: [String]
  /// Whether some key is not ASCII, so that two different keys may be the same to a `String`.
  package let hasNonASCII: Bool
  private let bytes: [UInt8]
  private let starts: [Int]
  private let prefixes: [UInt64]

  /// An empty table.
  package static let empty = KeyTable(sorted: [])

  /// Makes a table of keys that are in ascending order already.
  package init(sorted keys: [String]) {
    var bytes: [UInt8] = []
    var starts = [0]
    var prefixes: [UInt64] = []
    starts.reserveCapacity(keys.count + 1)
    prefixes.reserveCapacity(keys.count)
    for key in keys {
      bytes.append(contentsOf: key.utf8)
      starts.append(bytes.count)
      prefixes.append(key.withUTF8Bytes { $0.sortingPrefix })
    }
    self.keys = keys
    self.bytes = bytes
    self.starts = starts
    self.prefixes = prefixes
    hasNonASCII = bytes.contains { $0 >= 0x80 }
  }

  /// Whether the table has the empty key, which only entries of dictionaries may name.
  package var hasEmptyKey: Bool {
    @inline(__always) get { starts.count > 1 && starts[1] == 0 }
  }

  /// The number of keys.
  package var count: Int { keys.count }

  /// Whether no further key fits in, so that keys may stand in line though they are short (rule R-4.3-13).
  package var isFull: Bool { keys.count >= FormatLimits.keyTable }

  /// Less than, equal to or greater than 0 as the key at `index` comes before, is, or comes after `other`.
  package func compareKey(at index: Int, with other: Span<UInt8>) -> Int {
    bytes.span.extracting(starts[index]..<starts[index + 1]).compare(with: other)
  }

  /// The place of a key, or nil if the table does not have it.
  ///
  /// - Complexity: O(log n).
  package func index(of key: Span<UInt8>) -> Int? {
    let prefix = key.sortingPrefix
    var low = 0
    var high = prefixes.count
    while low < high {
      let middle = (low &+ high) &>> 1
      if prefixes[middle] < prefix { low = middle &+ 1 } else { high = middle }
    }
    while low < prefixes.count, prefixes[low] == prefix {
      let order = compareKey(at: low, with: key)
      if order == 0 { return low }
      if order > 0 { return nil }
      low &+= 1
    }
    return nil
  }

  /// Whether a key belongs into the table rather than in line (rule R-6.2-2): if it is short, and there is room or it sorts before the end.
  package func claims(_ key: Span<UInt8>) -> Bool {
    guard FormatLimits.tableKey.contains(key.count) else { return false }
    return !isFull || compareKey(at: count - 1, with: key) >= 0
  }
}
