/// Keeps account of how much of a whole its owners have taken, each counted once.
///
/// In a valid archive no record is the child of two nodes, and no byte of state is that of two. In a hostile one each of n nodes can point to
/// all of it, and a walk over the nodes would take n² steps. Whoever comes when as much was taken as there is, is refused.
package struct ShareLedger: Sendable {
  /// By owner, a bit: whether its share was counted.
  private var owners: [UInt64] = []
  private let ownerCount: Int
  private var left: Int

  /// A whole of `total`, shared by so many owners.
  package init(total: Int, ownerCount: Int) {
    left = total
    self.ownerCount = ownerCount
  }

  /// Counts the share of an owner; false if there is not so much left.
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
