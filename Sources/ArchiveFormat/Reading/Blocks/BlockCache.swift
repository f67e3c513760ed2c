/// A cache of verified blocks of a file.
///
/// A walk alternates between the node table, the long identifiers and the state records, and continues in each where it
/// stopped. The cache is therefore four-way set-associative: with one way, two blocks with the same remainder would be
/// read again at each turn.
struct BlockCache: Sendable {
  private static let setCount = 8
  private static let setSize = 4

  /// The sets, one after the other, each with its newest block first; empty until the first block is kept.
  private var places: [(block: Int, bytes: [UInt8])?] = []

  /// Returns the bytes of a block, or nil if it is not cached.
  subscript(block: Int) -> [UInt8]? {
    if places.isEmpty { return nil }
    let start = Self.start(of: block)
    for place in start..<(start + Self.setSize) {
      if let kept = places[place], kept.block == block { return kept.bytes }
    }
    return nil
  }

  /// Caches the bytes of a block, which is not in the cache, and evicts the oldest block of its set.
  mutating func keep(_ bytes: [UInt8], of block: Int) {
    if places.isEmpty { places = Array(repeating: nil, count: Self.setCount * Self.setSize) }
    let start = Self.start(of: block)
    for place in ((start + 1)..<(start + Self.setSize)).reversed() { places[place] = places[place - 1] }
    places[start] = (block, bytes)
  }

  private static func start(of block: Int) -> Int { block % setCount * setSize }
}
