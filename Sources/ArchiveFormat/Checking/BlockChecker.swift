/// Checks both copies of the checksum tree and every block (B3 to B6 of Spec §7.2).
struct BlockChecker {
  let bytes: [UInt8]
  let layout: FileLayout
  let root: UInt64
  /// Whether to assemble a tree node from its two copies if both are damaged.
  ///
  /// Salvage does (Spec §7.6). Others do not, so that all readers give the same result.
  var splicesCopies = false
  /// The findings, and the damaged blocks; none at first.
  var findings: [Finding] = []
  var damage: BlockDamage
  /// The offset in the file of the first intact copy of each node on the level above the one being checked; of an assembled
  /// node, that in ``spliced``, counted from the end of the file.
  var intactCopies: [Int?] = []
  /// The assembled nodes.
  var spliced: [UInt8] = []

  mutating func check() {
    for level in stride(from: layout.tree.topLevel, through: 1, by: -1) { checkNodes(of: level) }
    checkBlocks()
    checkPadding()
  }

  /// Returns the expected checksum of a node (of a block on level 0), or nil if no intact node above states it.
  private func expected(level: Int, node: Int) -> UInt64? {
    if level == layout.tree.topLevel { return root }
    guard let start = intactCopies[node / ChecksumTree.fanOut] else { return nil }
    let place = start + node % ChecksumTree.fanOut * 8
    return place < bytes.count ? bytes.span.uint64(at: place) : spliced.span.uint64(at: place - bytes.count)
  }

  private mutating func checkNodes(of level: Int) {
    var copies: [Int?] = []
    for node in 0..<layout.tree.nodeCount(level: level) {
      copies.append(expected(level: level, node: node).flatMap { checkNode(node, level: level, expected: $0) })
    }
    intactCopies = copies
  }

  /// Checks both copies of a node and returns the offset of the first intact one.
  private mutating func checkNode(_ node: Int, level: Int, expected: UInt64) -> Int? {
    var intact: Int?
    let place = layout.tree.byteRange(level: level, node: node)
    let ranges = layout.treeCopies.map { ($0.lowerBound + place.lowerBound)..<($0.lowerBound + place.upperBound) }
    let seed = ChecksumTree.seed(level: level, node: node)
    // A file that is salvaged may be truncated.
    for range in ranges where range.upperBound <= bytes.count {
      // A comparison is cheaper than a second checksum.
      if let intact, bytes.span.extracting(range).isEqual(to: bytes.span.extracting(intact..<(intact + range.count))) { continue }
      let found = XXH64.hash(bytes.span.extracting(range), seed: seed)
      if found == expected {
        intact = intact ?? range.lowerBound
      } else {
        findings.append(
          Finding(.treeDamaged, at: range.lowerBound, "checksums", expected: .hexadecimal(expected), found: .hexadecimal(found)))
      }
    }
    if intact == nil, splicesCopies, let node = CopySplicer.splice(bytes, ranges[0], ranges[1], seed: seed, digest: expected) {
      spliced += node
      return bytes.count + spliced.count - node.count
    }
    let below = layout.bodyRange(level: level, node: node)
    if intact == nil, !below.isEmpty {
      findings.append(
        Finding(
          .blocksUnverifiable, at: below.lowerBound, "checksums of \(below.count) bytes", expected: "an intact copy",
          found: "two damaged ones"))
    }
    return intact
  }

  private mutating func checkBlocks() {
    for block in layout.blocks {
      let leaf = block - layout.blocks.lowerBound
      let range = layout.bodyRange(ofBlock: block)
      guard range.upperBound <= bytes.count else { return damage.insert(block..<layout.blocks.upperBound) }
      guard let expected = expected(level: 0, node: leaf) else {
        damage.insert(block)
        continue
      }
      let found = ChecksumTree.checksum(ofBlock: block, bytes.span.extracting(range))
      if found != expected {
        damage.insert(block)
        findings.append(
          Finding(.blockDamaged, at: range.lowerBound, "block \(block)", expected: .hexadecimal(expected), found: .hexadecimal(found)))
      }
    }
  }

  private mutating func checkPadding() {
    let leaf = layout.tree.leafCount - 1
    guard layout.blocks.count == leaf, let entry = expected(level: 0, node: leaf), entry != 0,
      let start = intactCopies[leaf / ChecksumTree.fanOut]
    else { return }
    findings.append(
      Finding(
        .treePadding, at: start + leaf % ChecksumTree.fanOut * 8, "unused checksum", expected: .number(0), found: .hexadecimal(entry)))
  }
}

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
    let index = runs.indices.first(past: { runs[$0].upperBound > first })
    return index < runs.count && runs[index].lowerBound <= last ? bytes(of: runs[index]) : nil
  }

  /// The damaged ranges of the file; adjacent blocks are merged.
  package var ranges: [Range<Int>] {
    runs.map { bytes(of: $0) }
  }

  private func bytes(of run: Range<Int>) -> Range<Int> {
    layout.bodyRange(ofBlock: run.lowerBound).lowerBound..<layout.bodyRange(ofBlock: run.upperBound - 1).upperBound
  }
}
