import Locking

/// The layer that knows blocks and checksums and nothing of nodes: it delivers verified bytes of the body or names the damaged block.
///
/// Implements Spec §4.4 and §7.5. The root of the checksum tree stays in memory while the file is open; every tree node is verified
/// against the entry above it, every block against its leaf. So whatever happens to the file meanwhile, `bytes(in:)` gives the content
/// that the prefix spoke of, or an error.
package final class BlockReader: Sendable {
  /// What was verified so far.
  private struct State {
    /// The bytes of tree nodes by level and place; nil for a node without intact copy.
    var treeNodes: [UInt64: [UInt8]?] = [:]
    /// For bytes in memory: one bit a block, set once the block was verified.
    var verifiedBlocks: [UInt64] = []
    /// For a file: recently verified blocks.
    var cache = BlockCache()
    /// The block in memory that was last found damaged: it is often asked for by each of the hundred records in it.
    var lastDamage: (block: Int, error: FormatError)?
    /// Who has taken how much of a part that no two share.
    var shares: ShareLedger
  }

  private let source: ArchiveSource
  /// All bytes of an archive in memory.
  ///
  /// (Taking them out of `source` at each call would copy that.)
  private let memory: [UInt8]?
  /// For a file: what was read of it when it was opened, from offset 0 on.
  private let head: [UInt8]
  private let state: Lock<State>
  private let root: UInt64
  /// Whether a tree node of which both copies are damaged is pieced together from them.
  private let splicesCopies: Bool
  /// Where everything lies.
  package let layout: FileLayout

  /// Makes a reader of the blocks of a body that lies in `source` as `layout` says and hashes to `root`.
  ///
  /// What lies in `head`, bytes of the source from offset 0 on, is not read again.
  /// Salvage pieces together tree nodes of which both copies are damaged (Spec §7.6); others do not, so that all readers say the same.
  package init(
    source: ArchiveSource, layout: FileLayout, root: UInt64, head: [UInt8] = [], splicesCopies: Bool = false, shares: ShareLedger? = nil
  ) {
    self.source = source
    self.layout = layout
    self.root = root
    self.splicesCopies = splicesCopies
    var state = State(shares: shares ?? ShareLedger(total: 0, ownerCount: 0))
    switch source {
    case .memory(let bytes):
      memory = bytes
      self.head = []
      state.verifiedBlocks = [UInt64](repeating: 0, count: (layout.blocks.count + 63) / 64)
    case .source:
      memory = nil
      self.head = head
    }
    self.state = Lock(state)
  }

  /// The bytes at `range` of the body, verified.
  ///
  /// The range counts from the start of the body and lies within it.
  ///
  /// - Throws: `block-damaged`, `blocks-unverifiable` or `input-output`.
  package func bytes(in range: Range<Int>) throws(FormatError) -> VerifiedBytes {
    try state.withLock { (state: inout sending State) throws(FormatError) in try bytes(in: range, &state) }
  }

  /// The bytes at `range` of a part that is shared without overlapping by those who ask this way; nil if there is none left for `owner`.
  ///
  /// - Throws: As ``bytes(in:)``.
  package func bytes(in range: Range<Int>, ofShare owner: Int) throws(FormatError) -> VerifiedBytes? {
    try state.withLock { (state: inout sending State) throws(FormatError) in
      state.shares.take(range.count, by: owner) ? try bytes(in: range, &state) : nil
    }
  }

  private func bytes(in range: Range<Int>, _ state: inout State) throws(FormatError) -> VerifiedBytes {
    let range = (range.lowerBound + layout.body.lowerBound)..<(range.upperBound + layout.body.lowerBound)
    guard !range.isEmpty else { return VerifiedBytes(storage: [], range: 0..<0, fileOffset: range.lowerBound) }
    let blocks = (range.lowerBound / ChecksumTree.blockSize)..<((range.upperBound - 1) / ChecksumTree.blockSize + 1)
    WorkMeter.count(blocks.count)
    if let memory {
      for block in blocks {
        let place = block - layout.blocks.lowerBound
        if state.verifiedBlocks[place >> 6] & (1 << UInt64(place & 63)) == 0 { try verifyInMemory(block, of: memory, &state) }
      }
      return VerifiedBytes(storage: memory, range: range, fileOffset: 0)
    }
    let start = layout.bodyRange(ofBlock: blocks.lowerBound).lowerBound
    let storage = try read(blocks, &state)
    return VerifiedBytes(storage: storage, range: (range.lowerBound - start)..<(range.upperBound - start), fileOffset: start)
  }

  // MARK: Blocks

  @inline(never)
  private func verifyInMemory(_ block: Int, of bytes: [UInt8], _ state: inout State) throws(FormatError) {
    let place = block - layout.blocks.lowerBound
    if let damage = state.lastDamage, damage.block == block { throw damage.error }
    let range = layout.bodyRange(ofBlock: block)
    let available = range.clamped(to: 0..<bytes.count)
    do throws(FormatError) {
      try verify(block, bytes.span.extracting(available), &state)
      state.verifiedBlocks[place >> 6] |= 1 << UInt64(place & 63)
    } catch {
      state.lastDamage = (block, error)
      throw error
    }
  }

  /// The bytes of the body in `blocks`, from the cache or with one read.
  ///
  /// One block or two are kept: an identifier that lies across their border may be that of many nodes.
  private func read(_ blocks: Range<Int>, _ state: inout State) throws(FormatError) -> [UInt8] {
    if let kept = kept(blocks, state) { return kept }
    let first = layout.bodyRange(ofBlock: blocks.lowerBound)
    let last = layout.bodyRange(ofBlock: blocks.upperBound - 1)
    let bytes = try read(first.lowerBound..<last.upperBound)
    for block in blocks {
      let range = layout.bodyRange(ofBlock: block)
      let place = (range.lowerBound - first.lowerBound)..<(range.upperBound - first.lowerBound)
      try verify(block, bytes.span.extracting(place.clamped(to: 0..<bytes.count)), &state)
      if blocks.count <= 2, state.cache[block] == nil { state.cache.keep(blocks.count == 1 ? bytes : Array(bytes[place]), of: block) }
    }
    return bytes
  }

  private func kept(_ blocks: Range<Int>, _ state: State) -> [UInt8]? {
    guard blocks.count <= 2, let first = state.cache[blocks.lowerBound] else { return nil }
    if blocks.count == 1 { return first }
    return state.cache[blocks.lowerBound + 1].map { first + $0 }
  }

  /// Bytes that are not verified yet.
  private func read(_ range: Range<Int>) throws(FormatError) -> [UInt8] {
    let head = head
    return range.upperBound <= head.count ? head.span.extracting(range).makeArray() : try source.read(range)
  }

  private func verify(_ block: Int, _ bytes: Span<UInt8>, _ state: inout State) throws(FormatError) {
    let range = layout.bodyRange(ofBlock: block)
    let leaf = block - layout.blocks.lowerBound
    let expected = try digest(ofNode: leaf, level: 0, &state)
    let found = XXH64.hash(bytes, seed: ChecksumTree.seed(level: 0, node: block))
    guard found == expected, bytes.count == range.count else {
      throw FormatError(
        .blockDamaged, at: range.lowerBound, "block \(block)", expected: .hexadecimal(expected), found: .hexadecimal(found))
    }
  }

  // MARK: Tree

  /// What a tree node hashes to, as the node above it says; on level 0 that of a block.
  private func digest(ofNode node: Int, level: Int, _ state: inout State) throws(FormatError) -> UInt64 {
    if level == layout.tree.topLevel { return root }
    let above = try treeNode(node / ChecksumTree.fanOut, level: level + 1, &state)
    return above.span.uint64(at: node % ChecksumTree.fanOut * 8)
  }

  /// The bytes of a tree node, verified against the one above it, from whichever copy is intact.
  private func treeNode(_ node: Int, level: Int, _ state: inout State) throws(FormatError) -> [UInt8] {
    let key = ChecksumTree.seed(level: level, node: node)
    if let known = state.treeNodes[key] {
      guard let known else { throw unverifiable(level: level, node: node) }
      return known
    }
    let expected = try digest(ofNode: node, level: level, &state)
    let copies = layout.treeCopies
    for number in copies.indices {
      let copy = copies[number]
      let range = layout.tree.byteRange(level: level, node: node)
      let bytes = try read((copy.lowerBound + range.lowerBound)..<(copy.lowerBound + range.upperBound))
      if bytes.count == range.count, XXH64.hash(bytes.span, seed: key) == expected {
        state.treeNodes[key] = .some(bytes)
        return bytes
      }
    }
    if let bytes = spliced(level: level, node: node, expected: expected) {
      state.treeNodes[key] = .some(bytes)
      return bytes
    }
    state.treeNodes[key] = .some(nil)
    throw unverifiable(level: level, node: node)
  }

  /// Whether a copy of a tree node is intact.
  package func isIntact(_ copy: Span<UInt8>, asNode node: Int, level: Int) -> Bool {
    let found = XXH64.hash(copy, seed: ChecksumTree.seed(level: level, node: node))
    return state.withLock { (state: inout sending State) in (try? digest(ofNode: node, level: level, &state)) == found }
  }

  private func spliced(level: Int, node: Int, expected: UInt64) -> [UInt8]? {
    guard splicesCopies, case .memory(let bytes) = source else { return nil }
    let place = layout.tree.byteRange(level: level, node: node)
    let copies = layout.treeCopies
    let first = (copies[0].lowerBound + place.lowerBound)..<(copies[0].lowerBound + place.upperBound)
    let second = (copies[1].lowerBound + place.lowerBound)..<(copies[1].lowerBound + place.upperBound)
    return CopySplicer.splice(bytes, first, second, seed: ChecksumTree.seed(level: level, node: node), digest: expected)
  }

  private func unverifiable(level: Int, node: Int) -> FormatError {
    FormatError(
      .blocksUnverifiable, at: layout.bodyRange(level: level, node: node).lowerBound, "checksums of \(level == 1 ? "512" : "many") blocks",
      expected: .text("an intact copy"), found: .text("two damaged ones"))
  }
}
