/// Which blocks of the body cannot be believed.
///
/// It keeps runs of blocks, so that it costs what the damage is worth and not what the file declares, and a question costs a binary
/// search, however many blocks it is about.
package struct BlockDamage: Sendable {
  private let layout: FileLayout
  /// Runs of blocks by their numbers on the file's grid, ascending, no two of them adjacent.
  private var runs: [Range<Int>] = []

  /// No damage.
  package init(layout: FileLayout) {
    self.layout = layout
  }

  /// Whether there is none.
  @inline(__always)
  package var isEmpty: Bool { runs.isEmpty }

  /// Notes that blocks, by their numbers on the file's grid, cannot be believed; they come in ascending order.
  package mutating func insert(_ blocks: Range<Int>) {
    if blocks.isEmpty { return }
    if let last = runs.last, last.upperBound >= blocks.lowerBound {
      runs[runs.count - 1] = last.lowerBound..<blocks.upperBound
    } else {
      runs.append(blocks)
    }
  }

  /// Notes that a block, by its number on the file's grid, cannot be believed; they come in ascending order.
  package mutating func insert(_ block: Int) {
    insert(block..<(block + 1))
  }

  /// Whether all blocks that hold bytes of `range`, offsets from the start of the body, can be believed.
  @inline(__always)
  package func isIntact(_ range: Range<Int>) -> Bool {
    runs.isEmpty || firstDamage(in: range) == nil
  }

  /// The first damaged part of the file, as offsets in the file, that shares a block with `range`, offsets from the start of the body.
  ///
  /// - Complexity: O(log n) in the number of damaged parts.
  package func firstDamage(in range: Range<Int>) -> Range<Int>? {
    guard !range.isEmpty else { return nil }
    WorkMeter.count(1)
    let first = (range.lowerBound + layout.body.lowerBound) / ChecksumTree.blockSize
    let last = (range.upperBound - 1 + layout.body.lowerBound) / ChecksumTree.blockSize
    var low = 0
    var high = runs.count
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].upperBound <= first { low = middle + 1 } else { high = middle }
    }
    return low < runs.count && runs[low].lowerBound <= last ? bytes(of: runs[low]) : nil
  }

  /// The damaged parts of the file, adjacent blocks joined.
  package var ranges: [Range<Int>] {
    runs.map { bytes(of: $0) }
  }

  private func bytes(of run: Range<Int>) -> Range<Int> {
    layout.bodyRange(ofBlock: run.lowerBound).lowerBound..<layout.bodyRange(ofBlock: run.upperBound - 1).upperBound
  }
}
