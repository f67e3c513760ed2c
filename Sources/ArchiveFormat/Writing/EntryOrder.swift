/// The entries of one container in the order of their keys: a set of bits, one for each rank (``KeyOrder``), that is filled and read once.
struct EntryOrder: ~Copyable {
  /// What came of ``fill(with:_:)``.
  enum Outcome {
    /// Each entry comes behind the one before it.
    case ascending
    /// ``drain(_:)`` tells the order.
    case mixed
    /// A key has no rank.
    case unknown
  }

  private var ranks = ScratchArray<UInt64>(repeating: 0, count: KeyOrder.mostKeys / 64)
  /// By rank: the last entry that has it.
  private var entries = ScratchArray<UInt32>(repeating: 0, count: KeyOrder.mostKeys)

  init() {}

  /// Takes the entries of a container, of each key the last one; the set was empty or was drained.
  @inline(__always)
  mutating func fill(with pending: Span<PendingEntry>, _ order: borrowing KeyOrder) -> Outcome {
    var last = -1
    var isAscending = true
    for entry in 0..<pending.count {
      let key = pending[entry].key
      guard key >= 0, key < order.count else {
        removeAll()
        return .unknown
      }
      let rank = order.rank(of: key)
      if rank <= last { isAscending = false }
      last = rank
      ranks[rank &>> 6] |= 1 &<< UInt64(truncatingIfNeeded: rank)
      entries[rank] = UInt32(truncatingIfNeeded: entry)
    }
    if isAscending { removeAll() }
    return isAscending ? .ascending : .mixed
  }

  @inline(__always)
  private mutating func removeAll() {
    for word in 0..<ranks.count { ranks[word] = 0 }
  }

  /// Takes all entries out in the order of their keys; returns how many there were.
  @inline(__always)
  mutating func drain(_ body: (Int) -> Void) -> Int {
    var count = 0
    for word in 0..<ranks.count {
      var rest = ranks[word]
      if rest == 0 { continue }
      ranks[word] = 0
      count &+= rest.nonzeroBitCount
      while rest != 0 {
        body(Int(entries[word &* 64 &+ rest.trailingZeroBitCount]))
        rest &= rest &- 1
      }
    }
    return count
  }
}
