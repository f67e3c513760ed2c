/// The entries of one container in the order of their keys.
///
/// It is a set of bits, one for each rank (``KeyOrder``), that is filled and drained once a container. It also notes, over many containers,
/// which ranks there were.
struct EntryOrder: ~Copyable {
  /// What came of ``fill(with:_:)``.
  enum Outcome {
    /// Each entry comes behind the one before it.
    case ascending
    /// ``drain(_:)`` tells the order.
    case mixed
    /// A key has no rank, or a place is too large to be kept.
    case unknown
  }

  // ``KeyOrder/mostKeys`` is such that a rank fits a byte.
  private var ranks = ByteSet()
  /// By rank: where the last entry that has it begins, and in the upper half how long it is.
  private var places = ByteTable<UInt64>(repeating: 0)
  /// The ranks that entries had since ``drainUsed(_:)``.
  private var used = ByteSet()

  init() {}

  /// Takes the entries of a container, of each key the last one; the set was empty or was drained.
  ///
  /// Behind the last entry stands one more, which begins where that ends.
  @inline(__always)
  mutating func fill(with pending: Span<PendingEntry>, _ order: borrowing KeyOrder) -> Outcome {
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

  /// Takes all entries out in the order of their keys, each as the place where it begins and its length; returns how many there were.
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

  /// Calls `body` with each rank that an entry had since the last time, and forgets them.
  mutating func drainUsed(_ body: (Int) -> Void) {
    used.drain { body(Int($0)) }
  }
}
