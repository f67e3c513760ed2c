import Storage

/// The keys that entries refer to by number, in ascending order of their bytes (Spec §4.3.5).
///
/// A class, so that sharing it among all readers of entries costs a single reference.
///
/// Stores bytes. The text of a key is created on demand, because most readers do not need it.
@usableFromInline
package final class KeyTable: Sendable {
  /// The number of keys.
  package let count: Int
  /// Whether some key is not ASCII, so that two different keys may be equal as `String` values.
  package let hasNonASCII: Bool
  /// Whether the table contains the empty key, which only dictionary entries may use.
  package let hasEmptyKey: Bool
  private let owner: [UInt8]
  private let bytes: HeldBytes
  private let places: [Place]
  /// For each slot, the index of its key plus one, or 0; the slot count is a power of two.
  private let slots: [UInt16]

  /// The range of a key's bytes, and the first eight of them as a number with the same order.
  struct Place: BitwiseCopyable {
    fileprivate let prefix: UInt64
    private let start: UInt32
    fileprivate let count: UInt32

    /// Creates the place of a key at `range` of the table's bytes, with the sorting prefix `prefix`.
    @inline(__always)
    init(prefix: UInt64, _ range: Range<Int>) {
      self.prefix = prefix
      start = UInt32(truncatingIfNeeded: range.lowerBound)
      count = UInt32(truncatingIfNeeded: range.count)
    }

    fileprivate var range: Range<Int> {
      @inline(__always) get { Int(start)..<(Int(start) &+ Int(count)) }
    }

    /// Whether the key sorts before `other`, both in `bytes`.
    @inline(__always)
    func precedes(_ other: Place, in bytes: Span<UInt8>) -> Bool {
      if prefix != other.prefix { return prefix < other.prefix }
      return bytes.extracting(range).precedes(bytes.extracting(other.range))
    }
  }

  /// An empty table.
  package static let empty = KeyTable([], places: [], hasNonASCII: false)

  /// Creates a table of the well-formed texts at `places` of `bytes`, which are in ascending order.
  init(_ bytes: [UInt8], places: [Place], hasNonASCII: Bool) {
    owner = bytes
    self.bytes = HeldBytes(of: owner)
    self.places = places
    self.hasNonASCII = hasNonASCII
    count = places.count
    hasEmptyKey = places.first?.count == 0
    var slots = [UInt16](repeating: 0, count: 1 << (Int.bitWidth - (2 * places.count).leadingZeroBitCount))
    for index in places.indices {
      var slot = Self.hash(bytes.span.extracting(places[index].range), prefix: places[index].prefix) & (slots.count &- 1)
      while slots[slot] != 0 { slot = (slot &+ 1) & (slots.count &- 1) }
      slots[slot] = UInt16(truncatingIfNeeded: index &+ 1)
    }
    self.slots = slots
  }

  @inline(__always)
  private static func hash(_ key: Span<UInt8>, prefix: UInt64) -> Int {
    Int(
      truncatingIfNeeded: ByteInterner.Hasher.shared.hash(key, prefix: prefix, suffix: key.count > 8 ? key.uint64(at: key.count &- 8) : 0))
  }

  /// Returns the text of a key.
  package func text(at index: Int) -> String {
    withBytes(at: index) { $0.makeString() } ?? ""
  }

  /// Returns the text of an entry's key, from the table or from the bytes of the file.
  package func text(of key: KeyReference, in bytes: Span<UInt8>) -> String {
    key.isInline ? bytes.extracting(key.inlineRange).makeString() ?? "" : text(at: key.index)
  }

  /// The texts of all keys.
  package var texts: [String] { (0..<count).map { text(at: $0) } }

  /// Whether two tables have the same keys.
  package func isSame(as other: KeyTable) -> Bool {
    count == other.count
      && (0..<count).allSatisfy { index in other.withBytes(at: index) { isKey($0, prefix: $0.sortingPrefix, at: index) } }
  }

  /// Calls `body` with the bytes of a key.
  @inline(__always)
  func withBytes<Result>(at index: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    bytes.withSpan { body($0.extracting(places[index].range)) }
  }

  /// Returns the number of bytes of a key.
  package func byteCount(at index: Int) -> Int { Int(places[index].count) }

  /// Whether a key contains `byte`.
  package func key(at index: Int, contains byte: UInt8) -> Bool {
    owner[places[index].range].contains(byte)
  }

  /// Whether the table has no room for another key, so that even short keys may be inline (rule R-4.3-13).
  package var isFull: Bool { count >= FormatLimits.keyTable }

  /// Compares the key at `index` with `other`.
  ///
  /// Returns a number less than, equal to or greater than 0 if the key sorts before, equals, or sorts after `other`.
  package func compareKey(at index: Int, with other: Span<UInt8>) -> Int {
    withBytes(at: index) { $0.compare(with: other) }
  }

  /// Whether the key at `index` equals `key`, given the sorting prefix of `key`.
  @inline(__always)
  private func isKey(_ key: Span<UInt8>, prefix: UInt64, at index: Int) -> Bool {
    let place = places[index]
    guard place.prefix == prefix, Int(place.count) == key.count else { return false }
    return key.count <= 8 || withBytes(at: index) { $0.isEqual(to: key) }
  }

  /// Returns the index of a key, or nil if the table does not contain it.
  ///
  /// - Complexity: O(1), expected.
  package func index(of key: Span<UInt8>) -> Int? {
    let prefix = key.sortingPrefix
    var slot = Self.hash(key, prefix: prefix) & (slots.count &- 1)
    while true {
      let index = Int(slots[slot]) &- 1
      if index < 0 { return nil }
      if isKey(key, prefix: prefix, at: index) { return index }
      slot = (slot &+ 1) & (slots.count &- 1)
    }
  }

  /// Whether a key belongs in the table and must not be inline (rule R-6.2-2).
  ///
  /// Such a key is short, and the table has room or the key sorts before its end.
  package func claims(_ key: Span<UInt8>) -> Bool {
    guard FormatLimits.tableKey.contains(key.count) else { return false }
    return !isFull || compareKey(at: count - 1, with: key) >= 0
  }
}
