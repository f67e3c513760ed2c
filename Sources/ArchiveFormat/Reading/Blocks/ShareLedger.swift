/// Records how much of a whole its owners have taken; each owner counts once.
///
/// In a valid archive, no record is the child of two nodes and no byte of state belongs to two. In a hostile one, each
/// of n nodes can refer to all of it, and a walk over the nodes would take n² steps. The ledger refuses a share that
/// exceeds the rest.
package struct ShareLedger: Sendable {
  /// One bit for each owner: whether its share is counted.
  private var owners: [UInt64] = []
  private let ownerCount: Int
  private var left: Int

  /// Creates a ledger of `total` units, shared by `ownerCount` owners.
  package init(total: Int, ownerCount: Int) {
    left = total
    self.ownerCount = ownerCount
  }

  /// Counts the share of an owner and returns true, or returns false if the rest is smaller.
  package mutating func take(_ share: Int, by owner: Int) -> Bool {
    if owners.isEmpty { owners = [UInt64](repeating: 0, count: (ownerCount + 63) / 64) }
    let bit: UInt64 = 1 << UInt64(owner & 63)
    if owners[owner >> 6] & bit != 0 { return true }
    guard share <= left else { return false }
    left -= share
    owners[owner >> 6] |= bit
    return true
  }
}
