/// The entries of one container in the order of their keys.
///
/// A bit set, with one bit for each rank (``KeyOrder``), filled and drained once for each container. It also records
/// the ranks used by all containers.
struct EntryOrder: ~Copyable {
  /// The result of ``fill(with:_:)``.
  enum Outcome {
    /// The entries are in ascending order.
    case ascending
    /// The entries are in another order, which ``drain(_:)`` yields.
    case mixed
    /// A key has no rank, or an offset is too large to be stored.
    case unknown
  }

  // ``KeyOrder/mostKeys`` ensures that a rank fits into a byte.
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
