/// The keys that entries name by number, in ascending order of their bytes (Spec §4.3.5).
///
/// It is a class so that all who read entries share it at the price of one reference.
package final class KeyTable: Sendable {
  /// The keys.
  package let keys: [String]
  /// The number of keys.
  package let count: Int
  /// Whether some key is not ASCII, so that two different keys may be the same to a `String`.
  package let hasNonASCII: Bool
  private let bytes: [UInt8]
  private let places: [Place]

  /// Where the bytes of a key are, and its first eight as a number that sorts as they do.
  private struct Place {
    let prefix: UInt64
    let start: UInt32
    let count: UInt32

    var range: Range<Int> {
      @inline(__always) get { Int(start)..<(Int(start) &+ Int(count)) }
    }
  }

  /// Whether the table has the empty key, which only entries of dictionaries may name.
  package let hasEmptyKey: Bool

  /// An empty table.
  package static let empty = KeyTable(sorted: [])

  /// Makes a table of keys that are in ascending order already.
  package init(sorted keys: [String]) {
    var bytes: [UInt8] = []
    var places: [Place] = []
    places.reserveCapacity(keys.count)
    for key in keys {
      let start = bytes.count
      let prefix = key.withUTF8Bytes { text in
        for index in text.indices { bytes.append(text[index]) }
        return text.sortingPrefix
      }
      places.append(
        Place(
          prefix: prefix, start: UInt32(truncatingIfNeeded: start), count: UInt32(truncatingIfNeeded: bytes.count - start)))
    }
    self.keys = keys
    self.bytes = bytes
    self.places = places
    hasNonASCII = bytes.contains { $0 >= 0x80 }
    count = keys.count
    hasEmptyKey = keys.first?.isEmpty == true
  }

  /// Whether no further key fits in, so that keys may stand in line though they are short (rule R-4.3-13).
  package var isFull: Bool { keys.count >= FormatLimits.keyTable }

  /// Less than, equal to or greater than 0 as the key at `index` comes before, is, or comes after `other`.
  package func compareKey(at index: Int, with other: Span<UInt8>) -> Int {
    let bytes = bytes
    return bytes.span.extracting(places[index].range).compare(with: other)
  }

  /// Whether the key at `index`, which may be any number, is `key`.
  @inline(__always)
  package func isKey(_ key: Span<UInt8>, at index: Int) -> Bool {
    guard index >= 0, index < count else { return false }
    let place = places[index]
    guard Int(place.count) == key.count, place.prefix == key.sortingPrefix else { return false }
    if key.count <= 8 { return true }
    let bytes = bytes
    return bytes.span.extracting(place.range).isEqual(to: key)
  }

  /// The place of a key, or nil if the table does not have it.
  ///
  /// - Complexity: O(log n).
  package func index(of key: Span<UInt8>) -> Int? {
    let prefix = key.sortingPrefix
    var low = 0
    var high = count
    while low < high {
      let middle = (low &+ high) &>> 1
      if places[middle].prefix < prefix { low = middle &+ 1 } else { high = middle }
    }
    while low < count, places[low].prefix == prefix {
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
