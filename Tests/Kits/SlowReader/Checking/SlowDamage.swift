/// The damaged blocks of the body: those not shown to be intact (Spec 7.2 B).
struct SlowDamage {
  private let firstBlock: Int
  /// The number of damaged blocks before each block of the body; the last element is the total.
  private let damagedBefore: [Int]

  /// - Parameters:
  ///   - firstBlock: the first block of the file that shares bytes with the body.
  ///   - isDamaged: for each block from there on.
  init(firstBlock: Int, isDamaged: [Bool]) {
    self.firstBlock = firstBlock
    damagedBefore = isDamaged.reduce(into: [0]) { counts, damaged in
      counts.append((counts.last ?? 0) + (damaged ? 1 : 0))
    }
  }

  /// Returns whether no byte of a range of the body lies in a damaged block.
  func isIntact(_ range: Range<Int>) -> Bool {
    guard let last = range.last else { return true }
    let blockSize = Int(SlowTreeShape.blockSize)
    let first = range.lowerBound / blockSize - firstBlock
    let end = last / blockSize - firstBlock + 1
    guard first >= 0, end < damagedBefore.count else { return false }
    return damagedBefore[first] == damagedBefore[end]
  }
}
