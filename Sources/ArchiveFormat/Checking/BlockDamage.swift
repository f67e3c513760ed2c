/// Which blocks of the body cannot be believed.
package struct BlockDamage: Sendable {
  private let layout: FileLayout
  private var isDamaged: [Bool]
  /// Whether any is.
  package private(set) var isEmpty = true

  /// No damage.
  package init(layout: FileLayout) {
    self.layout = layout
    isDamaged = [Bool](repeating: false, count: layout.blocks.count)
  }

  /// Notes that a block, by its number on the file's grid, cannot be believed.
  mutating func insert(_ block: Int) {
    isDamaged[block - layout.blocks.lowerBound] = true
    isEmpty = false
  }

  /// Whether all blocks that hold bytes of `range`, offsets from the start of the body, can be believed.
  @inline(__always)
  package func isIntact(_ range: Range<Int>) -> Bool {
    isEmpty || range.isEmpty || isIntactSlowly(range)
  }

  private func isIntactSlowly(_ range: Range<Int>) -> Bool {
    let first = (range.lowerBound + layout.body.lowerBound) / ChecksumTree.blockSize - layout.blocks.lowerBound
    let last = (range.upperBound - 1 + layout.body.lowerBound) / ChecksumTree.blockSize - layout.blocks.lowerBound
    return !isDamaged[first...last].contains(true)
  }

  /// The numbers, on the file's grid, of the blocks that cannot be believed.
  package var blocks: [Int] {
    isDamaged.indices.filter { isDamaged[$0] }.map { $0 + layout.blocks.lowerBound }
  }

  /// The damaged parts of the file, adjacent ones joined.
  package var ranges: [Range<Int>] {
    var ranges: [Range<Int>] = []
    for block in blocks {
      let range = layout.bodyRange(ofBlock: block)
      if let last = ranges.last, last.upperBound == range.lowerBound {
        ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
      } else {
        ranges.append(range)
      }
    }
    return ranges
  }
}
