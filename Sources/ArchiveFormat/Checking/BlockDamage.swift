/// The blocks of the body that are damaged or cannot be verified.
///
/// Stores runs of blocks: memory is proportional to the damage, not to the declared length of the file. A query is a
/// binary search, whatever the size of the range.
package struct BlockDamage: Sendable {
  private let layout: FileLayout
  /// Runs of block numbers on the file's grid, in ascending order; no two runs are adjacent.
  private var runs: [Range<Int>] = []

  /// Creates an empty set.
  package init(layout: FileLayout) {
    self.layout = layout
  }

  /// Whether no block is damaged.
  @inline(__always)
  package var isEmpty: Bool { runs.isEmpty }

  /// Adds a run of blocks, given by their numbers on the file's grid.
  ///
  /// Blocks must be added in ascending order.
  package mutating func insert(_ blocks: Range<Int>) {
    if blocks.isEmpty { return }
    if let last = runs.last, last.upperBound >= blocks.lowerBound {
      runs[runs.count - 1] = last.lowerBound..<blocks.upperBound
    } else {
      runs.append(blocks)
    }
  }

  /// Adds a block, given by its number on the file's grid.
  ///
  /// Blocks must be added in ascending order.
  package mutating func insert(_ block: Int) {
    insert(block..<(block + 1))
  }

  /// Whether all blocks that overlap `range`, in offsets from the start of the body, are intact.
  @inline(__always)
  package func isIntact(_ range: Range<Int>) -> Bool {
    runs.isEmpty || firstDamage(in: range) == nil
  }

  /// Returns the first damaged range of the file that shares a block with `range`.
  ///
  /// `range` counts from the start of the body, the result from the start of the file.
  ///
  /// - Complexity: O(log n) in the number of damaged ranges.
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

  /// The damaged ranges of the file; adjacent blocks are merged.
  package var ranges: [Range<Int>] {
    runs.map { bytes(of: $0) }
  }

  private func bytes(of run: Range<Int>) -> Range<Int> {
    layout.bodyRange(ofBlock: run.lowerBound).lowerBound..<layout.bodyRange(ofBlock: run.upperBound - 1).upperBound
  }
}
