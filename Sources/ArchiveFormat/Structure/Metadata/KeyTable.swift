/// The keys that entries name by number, in ascending order of their bytes (Spec §4.3.5).
///
/// It is a class so that all who read entries share it at the price of one reference.
///
/// It keeps bytes; the text of a key is made when somebody asks, for most who read entries do not.
@usableFromInline
package final class KeyTable: Sendable {
  /// The number of keys.
  package let count: Int
  /// Whether some key is not ASCII, so that two different keys may be the same to a `String`.
  package let hasNonASCII: Bool
  /// Whether the table has the empty key, which only entries of dictionaries may name.
  package let hasEmptyKey: Bool
  private let bytes: [UInt8]
  private let places: [Place]

  /// Where the bytes of a key are, and its first eight as a number that sorts as they do.
  struct Place: BitwiseCopyable {
    fileprivate let prefix: UInt64
    private let start: UInt32
    fileprivate let count: UInt32

    /// The place of a key that lies at `range` of the bytes of the table and begins with the bytes of `prefix`.
    @inline(__always)
    init(prefix: UInt64, _ range: Range<Int>) {
      self.prefix = prefix
      start = UInt32(truncatingIfNeeded: range.lowerBound)
      count = UInt32(truncatingIfNeeded: range.count)
    }

    fileprivate var range: Range<Int> {
      @inline(__always) get { Int(start)..<(Int(start) &+ Int(count)) }
    }

    /// Whether the first eight bytes show that the key comes before another one.
    @inline(__always)
    func precedesByPrefix(_ other: Place) -> Bool { prefix < other.prefix }

    /// Whether the key comes before another one, of the same bytes of a table.
    @inline(__always)
    func precedes(_ other: Place, in bytes: Span<UInt8>) -> Bool {
      if prefix != other.prefix { return prefix < other.prefix }
      return bytes.extracting(range).precedes(bytes.extracting(other.range))
    }
  }

  /// An empty table.
  package static let empty = KeyTable([], places: [], hasNonASCII: false)

  /// Makes a table of the well-formed texts that lie at `places` of `bytes`, in ascending order.
  init(_ bytes: [UInt8], places: [Place], hasNonASCII: Bool) {
    self.bytes = bytes
    self.places = places
    self.hasNonASCII = hasNonASCII
    count = places.count
    hasEmptyKey = places.first?.count == 0
  }

  /// Makes a table of keys that are in ascending order already.
  package convenience init(sorted keys: [String]) {
    var bytes: [UInt8] = []
    let places = keys.map { key in
      let start = bytes.count
      bytes += key.utf8
      return Place(prefix: bytes.span.extracting(start..<bytes.count).sortingPrefix, start..<bytes.count)
    }
    self.init(bytes, places: places, hasNonASCII: !bytes.span.isASCII(at: 0..<bytes.count))
  }

  /// The text of a key.
  package func text(at index: Int) -> String {
    let bytes = bytes
    return bytes.span.extracting(places[index].range).makeString() ?? ""
  }

  /// The texts of all keys.
  package var texts: [String] { (0..<count).map { text(at: $0) } }

  /// How many bytes a key has.
  package func byteCount(at index: Int) -> Int { Int(places[index].count) }

  /// Whether a key has some byte.
  package func key(at index: Int, contains byte: UInt8) -> Bool {
    bytes[places[index].range].contains(byte)
  }

  /// Whether no further key fits in, so that keys may stand in line though they are short (rule R-4.3-13).
  package var isFull: Bool { count >= FormatLimits.keyTable }

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
      var isBefore = places[middle].prefix < prefix
      if places[middle].prefix == prefix {
        if isKey(key, at: middle) { return middle }
        isBefore = compareKey(at: middle, with: key) < 0
      }
      if isBefore { low = middle &+ 1 } else { high = middle }
    }
    return nil
  }

  /// Whether a key belongs into the table rather than in line (rule R-6.2-2): if it is short, and there is room or it sorts before the end.
  package func claims(_ key: Span<UInt8>) -> Bool {
    guard FormatLimits.tableKey.contains(key.count) else { return false }
    return !isFull || compareKey(at: count - 1, with: key) >= 0
  }
}
