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

  private var ranks = InlineArray<4, UInt64>(repeating: 0)
  /// By rank: the last entry that has it.
  private var entries = InlineArray<256, UInt32>(repeating: 0)

  init() {}

  /// Takes the entries of a container, of each key the last one; the set was empty or was drained.
  @inline(__always)
  mutating func fill(with pending: Span<PendingEntry>, _ order: borrowing KeyOrder) -> Outcome {
    let keyCount = UInt(bitPattern: order.count)
    var next = 0
    var isAscending = true
    for entry in 0..<pending.count {
      let key = pending[entry].key
      // No key in line, whose number is negative, nor one too many.
      guard UInt(bitPattern: key) < keyCount else {
        removeAll()
        return .unknown
      }
      let rank = order.rank(of: key)
      if rank < next { isAscending = false }
      next = rank &+ 1
      ranks[rank &>> 6] |= 1 &<< UInt64(truncatingIfNeeded: rank)
      entries[rank] = UInt32(truncatingIfNeeded: entry)
    }
    if isAscending { removeAll() }
    return isAscending ? .ascending : .mixed
  }

  @inline(__always)
  private mutating func removeAll() {
    for word in 0..<4 { ranks[word] = 0 }
  }

  /// Takes all entries out in the order of their keys; returns how many there were.
  @inline(__always)
  mutating func drain(_ body: (Int) -> Void) -> Int {
    var count = 0
    for word in 0..<4 {
      var rest = ranks[word]
      if rest == 0 { continue }
      ranks[word] = 0
      repeat {
        body(Int(entries[word &* 64 &+ rest.trailingZeroBitCount]))
        rest &= rest &- 1
        count &+= 1
      } while rest != 0
    }
    return count
  }
}
