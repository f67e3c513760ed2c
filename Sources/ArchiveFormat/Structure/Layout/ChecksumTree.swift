/// The arithmetic of blocks and of the tree of their checksums (Spec §4.4).
///
/// Holds no bytes.
///
///     levels   top    e0 e1                      stored first; its checksum is the root
///              leaves e0 … e511 | e512 … e700    two nodes of up to 512 entries
package struct ChecksumTree: Sendable, Equatable {
  /// The size of a block on the file's grid.
  package static let blockSize = 4096
  /// The number of entries of a full node.
  package static let fanOut = 512

  /// The number of leaves, including the spare one.
  package let leafCount: Int
  // The entry counts of the two levels above; 0 for a level that does not exist. Three levels suffice for the longest
  // file.
  private let secondCount: Int
  private let thirdCount: Int

  /// Creates the tree of a body of `bodyLength` bytes.
  package init(bodyLength: Int) {
    leafCount = (bodyLength + Self.blockSize - 1) / Self.blockSize + 1
    secondCount = Self.entryCount(above: leafCount)
    thirdCount = Self.entryCount(above: secondCount)
  }

  private static func entryCount(above count: Int) -> Int {
    count > fanOut ? (count + fanOut - 1) / fanOut : 0
  }

  /// The highest level, counted from 1 for the leaves.
  package var topLevel: Int { secondCount == 0 ? 1 : (thirdCount == 0 ? 2 : 3) }

  /// The length of the tree in the file.
  package var byteCount: Int { (leafCount + secondCount + thirdCount) * 8 }

  /// Returns the number of entries of a level.
  package func entryCount(level: Int) -> Int {
    switch level {
    case 1: leafCount
    case 2: secondCount
    case 3: thirdCount
    default: 0
    }
  }

  /// Returns the number of nodes of a level.
  package func nodeCount(level: Int) -> Int {
    (entryCount(level: level) + Self.fanOut - 1) / Self.fanOut
  }

  /// Returns the range of a node, from the start of the tree.
  package func byteRange(level: Int, node: Int) -> Range<Int> {
    let levelStart = (level + 1..<4).reduce(0) { $0 + entryCount(level: $1) } * 8
    let first = node * Self.fanOut
    let last = min(first + Self.fanOut, entryCount(level: level))
    return (levelStart + first * 8)..<(levelStart + last * 8)
  }

  /// Returns the checksum of a block (rule R-4.4-2).
  @inline(__always)
  package static func checksum(ofBlock block: Int, _ bytes: Span<UInt8>) -> UInt64 {
    XXH64.hash(bytes, seed: seed(level: 0, node: block))
  }

  /// Returns the seed of the checksum of a node; blocks are the nodes of level 0.
  package static func seed(level: Int, node: Int) -> UInt64 {
    UInt64(level) << 32 | UInt64(node)
  }

  /// Appends the bytes of the tree over `leaves` and returns its root.
  package static func append(leaves: [UInt64], tree: ChecksumTree, to buffer: borrowing OutputBuffer) -> UInt64 {
    var levels = [leaves]
    for level in 1..<tree.topLevel { levels.append(tree.checksums(of: levels[level - 1], level: level)) }
    let start = buffer.count
    for level in levels.reversed() {
      for entry in level { buffer.append(entry) }
    }
    let top = start..<(start + tree.entryCount(level: tree.topLevel) * 8)
    return buffer.withSpan { XXH64.hash($0.extracting(top), seed: seed(level: tree.topLevel, node: 0)) }
  }

  /// Returns the checksums of the nodes of a level with these entries.
  private func checksums(of entries: [UInt64], level: Int) -> [UInt64] {
    let buffer = OutputBuffer(capacity: entries.count * 8)
    for entry in entries { buffer.append(entry) }
    return buffer.withSpan { bytes in
      (0..<nodeCount(level: level)).map { node in
        let first = node * Self.fanOut * 8
        let last = min(first + Self.fanOut * 8, bytes.count)
        return XXH64.hash(bytes.extracting(first..<last), seed: Self.seed(level: level, node: node))
      }
    }
  }
}
