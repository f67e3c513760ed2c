/// Verified blocks of a file, those that were read last.
///
/// A walk reads by turns in the node table, among the long identifiers and in the state records, and each of them goes on from where it was.
/// So there are four places for the blocks whose numbers leave the same remainder; with one, two of them that meet would be read at each turn.
struct BlockCache: Sendable {
  private static let setCount = 8
  private static let setSize = 4

  /// Those of one remainder together, the one that came last first; empty until something is kept.
  private var places: [(block: Int, bytes: [UInt8])?] = []

  /// The bytes of a block, if they are kept.
  subscript(block: Int) -> [UInt8]? {
    if places.isEmpty { return nil }
    let start = Self.start(of: block)
    for place in start..<(start + Self.setSize) {
      if let kept = places[place], kept.block == block { return kept.bytes }
    }
    return nil
  }

  /// Keeps the bytes of a block, which is not kept yet, in place of those that came first.
  mutating func keep(_ bytes: [UInt8], of block: Int) {
    if places.isEmpty { places = Array(repeating: nil, count: Self.setCount * Self.setSize) }
    let start = Self.start(of: block)
    for place in ((start + 1)..<(start + Self.setSize)).reversed() { places[place] = places[place - 1] }
    places[start] = (block, bytes)
  }

  private static func start(of block: Int) -> Int { block % setCount * setSize }
}
