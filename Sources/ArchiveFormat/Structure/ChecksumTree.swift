/// The arithmetic of blocks and of the tree of their checksums (Spec §4.4).
///
/// It holds no bytes.
///
///     levels   top    e0 e1                      stored first; its checksum is the root
///              leaves e0 … e511 | e512 … e700    two nodes of up to 512 entries
package struct ChecksumTree: Sendable, Equatable {
  /// The size of a block on the file's grid.
  package static let blockSize = 4096
  /// How many entries a full node has.
  package static let fanOut = 512

  /// The number of entries of each level; the leaves first.
  package let entryCounts: [Int]

  /// The tree of a body of `bodyLength` bytes.
  package init(bodyLength: Int) {
    var counts = [(bodyLength + Self.blockSize - 1) / Self.blockSize + 1]
    while let count = counts.last, count > Self.fanOut {
      counts.append((count + Self.fanOut - 1) / Self.fanOut)
    }
    entryCounts = counts
  }

  /// The number of leaves, the spare one included.
  package var leafCount: Int { entryCounts[0] }

  /// The highest level, counted from 1 for the leaves.
  package var topLevel: Int { entryCounts.count }

  /// The length of the tree in the file.
  package var byteCount: Int { entryCounts.reduce(0, +) * 8 }

  /// The number of nodes of a level.
  package func nodeCount(level: Int) -> Int {
    (entryCounts[level - 1] + Self.fanOut - 1) / Self.fanOut
  }

  /// Where a node lies, from the start of the tree.
  package func byteRange(level: Int, node: Int) -> Range<Int> {
    let levelStart = entryCounts[level...].reduce(0, +) * 8
    let first = node * Self.fanOut
    let last = min(first + Self.fanOut, entryCounts[level - 1])
    return (levelStart + first * 8)..<(levelStart + last * 8)
  }

  /// The seed of the checksum of a node; blocks are the nodes of level 0.
  package static func seed(level: Int, node: Int) -> UInt64 {
    UInt64(level) << 32 | UInt64(node)
  }

  /// Builds the bytes of the tree over `leaves` and its root.
  package static func build(leaves: [UInt64], tree: ChecksumTree) -> (bytes: [UInt8], root: UInt64) {
    var levels: [[UInt64]] = [leaves]
    var root: UInt64 = 0
    for level in 1...tree.topLevel {
      let buffer = OutputBuffer(capacity: levels[level - 1].count * 8)
      for entry in levels[level - 1] { buffer.append(entry) }
      let checksums = buffer.withSpan { bytes in
        (0..<tree.nodeCount(level: level)).map { node in
          let first = node * fanOut * 8
          let last = min(first + fanOut * 8, bytes.count)
          return XXH64.hash(bytes.extracting(first..<last), seed: seed(level: level, node: node))
        }
      }
      if level == tree.topLevel { root = checksums[0] } else { levels.append(checksums) }
    }
    let bytes = OutputBuffer(capacity: tree.byteCount)
    for level in levels.reversed() {
      for entry in level { bytes.append(entry) }
    }
    return (bytes.makeArray(), root)
  }
}
