/// The entries of one container in the order of their keys.
///
/// A bit set, with one bit for each rank (``KeyOrder``), filled and drained once for each container. It also records
/// the ranks used by all containers.
struct EntryOrder: ~Copyable {
  /// The result of ``fill(with:_:)``.
  enum Arrangement {
    /// The entries are in ascending order.
    case ascending
    /// The entries are in another order, which ``drain(_:)`` yields.
    case mixed
    /// A key has no rank, or an offset is too large to be stored.
    case unknown
  }

  // ``KeyOrder/maximumKeys`` ensures that a rank fits into a byte.
  private var ranks = ByteSet()
  /// For each rank, the offset of the last entry that has it, and in the upper half the length of that entry.
  private var places = ByteTable<UInt64>(repeating: 0)
  /// The ranks of entries since the last ``drainUsed(_:)``.
  private var used = ByteSet()

  init() {}

  /// Adds the entries of a container, the last one for each key; the set must be empty or drained.
  ///
  /// The last element of `pending` is a sentinel that begins where the last entry ends.
  @inline(__always)
  mutating func fill(with pending: Span<PendingEntry>, _ order: borrowing KeyOrder) -> Arrangement {
    let last = pending.count &- 1
    guard last >= 0, pending[last].start <= UInt32.max else { return .unknown }
    var entry = pending[0]
    var next = 0
    var isAscending = true
    for index in 0..<last {
      let following = pending[index &+ 1]
      guard let rank = order.rank(of: entry.key) else {
        ranks.removeAll()
        return .unknown
      }
      if Int(rank) < next { isAscending = false }
      next = Int(rank) &+ 1
      ranks.insert(rank)
      let length = following.start &- entry.start
      places[rank] = UInt64(truncatingIfNeeded: entry.start) | UInt64(truncatingIfNeeded: length) &<< 32
      entry = following
    }
    used.formUnion(ranks)
    if isAscending { ranks.removeAll() }
    return isAscending ? .ascending : .mixed
  }

  /// Removes all entries in the order of their keys, calls `body` with the offset and length of each, and returns their
  /// number.
  @inline(__always)
  mutating func drain(_ body: (Int, Int) -> Void) -> Int {
    var count = 0
    ranks.drain { rank in
      let place = places[rank]
      body(Int(place & 0xFFFF_FFFF), Int(place &>> 32))
      count &+= 1
    }
    return count
  }

  /// Calls `body` with each rank used since the last call, and clears them.
  mutating func drainUsed(_ body: (Int) -> Void) {
    used.drain { body(Int($0)) }
  }
}

/// A set of bytes, with one bit for each of the 256 values.
struct ByteSet {
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  /// Creates an empty set.
  init() {}

  /// Adds a byte.
  @inline(__always)
  mutating func insert(_ byte: UInt8) {
    // The two highest bits select one of four words, so the index is always within bounds.
    unsafe withWords { words in unsafe words[Int(byte &>> 6)] |= 1 &<< UInt64(byte & 63) }
  }

  /// Adds the bytes of another set.
  @inline(__always)
  mutating func formUnion(_ other: ByteSet) {
    words.0 |= other.words.0
    words.1 |= other.words.1
    words.2 |= other.words.2
    words.3 |= other.words.3
  }

  /// Removes all bytes.
  @inline(__always)
  mutating func removeAll() {
    words = (0, 0, 0, 0)
  }

  /// Removes all bytes and calls `body` with each of them in ascending order.
  @inline(__always)
  mutating func drain(_ body: (UInt8) -> Void) {
    unsafe withWords { words in
      for index in 0..<4 {
        var rest = unsafe words[index]
        if rest == 0 { continue }
        unsafe words[index] = 0
        repeat {
          body(UInt8(truncatingIfNeeded: index &* 64 &+ rest.trailingZeroBitCount))
          rest &= rest &- 1
        } while rest != 0
      }
    }
  }

  @inline(__always)
  private mutating func withWords(_ body: (UnsafeMutablePointer<UInt64>) -> Void) {
    unsafe withUnsafeMutablePointer(to: &words) { tuple in
      unsafe tuple.withMemoryRebound(to: UInt64.self, capacity: 4) { unsafe body($0) }
    }
  }
}

/// A table of 256 elements, one for each byte value: a byte used as the index needs no bounds check.
@safe
struct ByteTable<Element: BitwiseCopyable>: ~Copyable {
  private let elements: UnsafeMutablePointer<Element>

  /// Creates a table of 256 copies of `element`.
  init(repeating element: Element) {
    unsafe elements = .allocate(capacity: 256)
    unsafe elements.initialize(repeating: element, count: 256)
  }

  deinit {
    unsafe elements.deallocate()
  }

  /// Returns the element of a byte.
  @inline(__always)
  subscript(byte: UInt8) -> Element {
    get { unsafe elements[Int(byte)] }
    set { unsafe elements[Int(byte)] = newValue }
  }
}
