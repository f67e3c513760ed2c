/// The checksum tree over a body (Spec 4.4).
struct ChecksumTree {
  /// The entries of each level in file order, leaves first.
  private(set) var levels: [[Piece]] = []
  /// The checksum of the top node.
  private(set) var root: UInt64 = 0

  /// Returns the tree length for a body length.
  static func length(body: Int) -> Int {
    var count = (body + 4095) / 4096 + 1
    var total = count
    while count > 512 {
      count = (count + 511) / 512
      total += count
    }
    return 8 * total
  }

  /// Computes the tree; entries in `fixed` are used as given, and the levels above are computed from them.
  init(body: [UInt8], start: Int, fixed: [String: Piece]) {
    var level = Self.leaves(body: body, start: start, fixed: fixed)
    levels.append(level)
    while level.count > 512 {
      let entries = Self.checksums(of: level, level: levels.count)
      level = entries.enumerated().map { index, value in
        let meaning = "checksum of node \(index) of level \(levels.count)"
        return Self.final(Piece("tree.level\(levels.count + 1)[\(index)]", Bytes.u64(value), meaning), fixed: fixed)
      }
      levels.append(level)
    }
    root = Self.checksums(of: level, level: levels.count)[0]
  }

  private static func leaves(body: [UInt8], start: Int, fixed: [String: Piece]) -> [Piece] {
    let count = (body.count + 4095) / 4096 + 1
    return (0..<count).map { index in
      let block = start / 4096 + index
      let low = max(start, 4096 * block)
      let high = min(start + body.count, 4096 * (block + 1))
      let label = "tree.leaf[\(index)]"
      guard low < high else { return final(Piece(label, Bytes.u64(0), "unused leaf"), fixed: fixed) }
      let checksum = XXHash64.hash(body[low - start..<high - start], seed: UInt64(block))
      let meaning = "checksum of block \(block): [\(Comment.offset(low)) .. \(Comment.offset(high)))"
      return final(Piece(label, Bytes.u64(checksum), meaning), fixed: fixed)
    }
  }

  /// Returns the checksum of each node of a level, with at most 512 entries per node.
  private static func checksums(of level: [Piece], level number: Int) -> [UInt64] {
    stride(from: 0, to: level.count, by: 512).enumerated().map { node, first in
      let entries = level[first..<min(first + 512, level.count)].flatMap(\.bytes)
      return XXHash64.hash(entries, seed: UInt64(number) << 32 + UInt64(node))
    }
  }

  private static func final(_ piece: Piece, fixed: [String: Piece]) -> Piece {
    guard let override = fixed[piece.label] else { return piece }
    var piece = piece
    piece.bytes = override.bytes
    piece.meaning = ""
    piece.fault = override.fault
    return piece
  }
}
