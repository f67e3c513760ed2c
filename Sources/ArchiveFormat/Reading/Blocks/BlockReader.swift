import Locking

/// Reads verified bytes of the body; knows blocks and checksums, but not nodes.
///
/// Implements Spec §4.4 and §7.5. The root of the checksum tree stays in memory while the file is open. Every tree node
/// is verified against the entry above it, every block against its leaf. So even if the file changes in the meantime,
/// `bytes(in:)` returns the content that the prefix vouches for, or throws an error that names the damaged block.
package final class BlockReader: Sendable {
  /// The verified parts so far.
  private struct State {
    /// The bytes of tree nodes, by level and number; nil for a node without an intact copy.
    var treeNodes: [UInt64: [UInt8]?] = [:]
    /// For bytes in memory: one bit for each block, set once the block is verified.
    var verifiedBlocks: [UInt64] = []
    /// For a file: recently verified blocks.
    var cache = BlockCache()
    /// The damaged block in memory that was found last: often requested again by each of the hundred records in it.
    var lastDamage: (block: Int, error: FormatError)?
    /// The ledger of the parts taken by each owner, for a part of the body in which owners do not overlap.
    var shares: ShareLedger
  }

  private let source: ArchiveSource
  /// All bytes of an archive in memory.
  ///
  /// (Extracting them from `source` on each call would copy that.)
  private let memory: [UInt8]?
  /// For a file: its first bytes, read when it was opened.
  private let head: [UInt8]
  private let state: Lock<State>
  private let root: UInt64
  /// The layout of the file.
  package let layout: FileLayout

  /// Creates a reader of the blocks of a body that lies in `source` as described by `layout` and hashes to `root`.
  ///
  /// The bytes in `head`, from offset 0 of the source, are not read again.
  package init(
    source: ArchiveSource, layout: FileLayout, root: UInt64, head: [UInt8] = [], shares: ShareLedger? = nil
  ) {
    self.source = source
    self.layout = layout
    self.root = root
    var state = State(shares: shares ?? ShareLedger(total: 0, ownerCount: 0))
    switch source {
    case .memory(let bytes):
      memory = bytes
      self.head = []
      state.verifiedBlocks = [UInt64](repeating: 0, count: (layout.blocks.count + 63) / 64)
    case .onDemand:
      memory = nil
      self.head = head
    }
    self.state = Lock(state)
  }

  /// Returns the verified bytes at `range` of the body.
  ///
  /// The range counts from the start of the body and must lie within it.
  ///
  /// - Throws: `block-damaged`, `blocks-unverifiable` or `input-output`.
  package func bytes(in range: Range<Int>) throws(FormatError) -> VerifiedBytes {
    try state.withLock { (state: inout sending State) throws(FormatError) in try bytes(in: range, &state) }
  }

  /// Returns the verified bytes at `range`, as the share of `owner` in a part whose owners do not overlap.
  ///
  /// Returns nil if the share exceeds the rest of the part.
  ///
  /// - Throws: The errors of ``bytes(in:)``.
  package func bytes(in range: Range<Int>, ofShare owner: Int) throws(FormatError) -> VerifiedBytes? {
    try state.withLock { (state: inout sending State) throws(FormatError) in
      state.shares.take(range.count, by: owner) ? try bytes(in: range, &state) : nil
    }
  }

  /// Returns the bytes of the file, unverified; fewer if it has become shorter.
  package func fileBytes() throws(FormatError) -> [UInt8] {
    let head = head
    return head.count == layout.fileLength ? head : try source.read(0..<layout.fileLength)
  }

  private func bytes(in range: Range<Int>, _ state: inout State) throws(FormatError) -> VerifiedBytes {
    let range = layout.fileRange(of: range)
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

  /// Returns the bytes of the body in `blocks`, from the cache or with one read.
  ///
  /// Reads of one or two blocks are cached: an identifier that crosses a block boundary may belong to many nodes.
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

  /// Reads bytes that are not verified yet.
  private func read(_ range: Range<Int>) throws(FormatError) -> [UInt8] {
    let head = head
    return range.upperBound <= head.count ? head.span.extracting(range).makeArray() : try source.read(range)
  }

  private func verify(_ block: Int, _ bytes: Span<UInt8>, _ state: inout State) throws(FormatError) {
    let range = layout.bodyRange(ofBlock: block)
    let leaf = block - layout.blocks.lowerBound
    let expected = try digest(ofNode: leaf, level: 0, &state)
    let found = ChecksumTree.checksum(ofBlock: block, bytes)
    guard found == expected, bytes.count == range.count else {
      throw FormatError(
        .blockDamaged, at: range.lowerBound, "block \(block)", expected: .hexadecimal(expected), found: .hexadecimal(found))
    }
  }

  // MARK: Tree

  /// Returns the expected digest of a tree node (of a block on level 0), from the node above it.
  private func digest(ofNode node: Int, level: Int, _ state: inout State) throws(FormatError) -> UInt64 {
    if level == layout.tree.topLevel { return root }
    let above = try treeNode(node / ChecksumTree.fanOut, level: level + 1, &state)
    return above.span.uint64(at: node % ChecksumTree.fanOut * 8)
  }

  /// Returns the bytes of a tree node from its first intact copy, verified against the node above it.
  private func treeNode(_ node: Int, level: Int, _ state: inout State) throws(FormatError) -> [UInt8] {
    let key = ChecksumTree.seed(level: level, node: node)
    if let known = state.treeNodes[key] {
      guard let known else { throw unverifiable(level: level, node: node) }
      return known
    }
    let expected = try digest(ofNode: node, level: level, &state)
    for copy in layout.treeCopies {
      let range = layout.tree.byteRange(level: level, node: node)
      let bytes = try read((copy.lowerBound + range.lowerBound)..<(copy.lowerBound + range.upperBound))
      if bytes.count == range.count, XXH64.hash(bytes.span, seed: key) == expected {
        state.treeNodes[key] = .some(bytes)
        return bytes
      }
    }
    state.treeNodes[key] = .some(nil)
    throw unverifiable(level: level, node: node)
  }

  /// Whether a copy of a tree node is intact.
  package func isIntact(_ copy: Span<UInt8>, asNode node: Int, level: Int) -> Bool {
    let found = XXH64.hash(copy, seed: ChecksumTree.seed(level: level, node: node))
    return state.withLock { (state: inout sending State) in (try? digest(ofNode: node, level: level, &state)) == found }
  }

  private func unverifiable(level: Int, node: Int) -> FormatError {
    FormatError(
      .blocksUnverifiable, at: layout.bodyRange(level: level, node: node).lowerBound, "checksums of \(level == 1 ? "512" : "many") blocks",
      expected: "an intact copy", found: "two damaged ones")
  }
}

/// Verified bytes, and their location in the file.
///
/// A value keeps its bytes alive; it shares them with the reader if possible.
package struct VerifiedBytes: Sendable {
  /// The array that holds the bytes.
  package let storage: [UInt8]
  /// The range of the bytes in `storage`.
  package let range: Range<Int>
  /// The offset in the file of index 0 of `storage`; negative if that would lie before the start of the file.
  package let fileOffset: Int

  /// Creates a value for a range of `storage`, whose index 0 lies at `fileOffset` in the file.
  @inline(__always)
  package init(storage: [UInt8], range: Range<Int>, fileOffset: Int) {
    self.storage = storage
    self.range = range
    self.fileOffset = fileOffset
  }

  /// Creates a value for a part of the body of a whole file, whose bytes have been verified.
  init(_ part: Range<Int>, of layout: FileLayout, in file: [UInt8]) {
    self.init(storage: file, range: layout.fileRange(of: part), fileOffset: 0)
  }

  /// Creates a value for all of `storage`.
  init(all storage: [UInt8], fileOffset: Int) { self.init(storage: storage, range: 0..<storage.count, fileOffset: fileOffset) }

  /// A cursor over the bytes, for use with `storage.span`.
  package var cursor: ByteCursor {
    @inline(__always) get { ByteCursor(range, fileOffset: fileOffset) }
  }
}

/// The last verified blocks of a file.
///
/// A walk alternates between the node table, the long identifiers and the state records, and continues in each where it
/// stopped. Searching these few takes far less time than reading a block.
struct BlockCache: Sendable {
  private static let maximumCount = 32
  /// The blocks, the newest last.
  private var blocks: [(number: Int, bytes: [UInt8])] = []

  /// Returns the bytes of a block, or nil if it is not cached.
  subscript(block: Int) -> [UInt8]? { blocks.last { $0.number == block }?.bytes }

  /// Caches the bytes of a block, which is not in the cache, in place of the oldest one if it is full.
  mutating func keep(_ bytes: [UInt8], of block: Int) {
    if blocks.count == Self.maximumCount { blocks.removeFirst() }
    blocks.append((block, bytes))
  }
}

extension LinkTable {
  /// Reads the section of a link, given all node records.
  ///
  /// - Throws: A fault of the section; `parent-mismatch` for records that are no tree.
  /// - Complexity: O(n) in the records.
  package init(_ section: VerifiedBytes, nodes: VerifiedBytes) throws(FormatError) {
    try self.init(
      section.range, in: section.storage, at: section.fileOffset, nodes: nodes.range, in: nodes.storage, at: nodes.fileOffset)
  }
}

/// The bytes of an archive: a whole archive in memory, or one that is read on demand.
///
/// The reader trusts no bytes before it has verified them, so their owner need not guard against concurrent changes.
package enum ArchiveSource: Sendable {
  case memory([UInt8])
  /// A source with its length when it was opened, which returns fewer bytes than requested if it ends earlier.
  case onDemand(byteCount: Int, read: @Sendable (Range<Int>) throws(FormatError) -> [UInt8])

  /// The number of bytes when the source was opened.
  var byteCount: Int {
    switch self {
    case .memory(let bytes): bytes.count
    case .onDemand(let byteCount, _): byteCount
    }
  }

  /// Returns the bytes at `range`; fewer, if the source ends earlier.
  package func read(_ range: Range<Int>) throws(FormatError) -> [UInt8] {
    switch self {
    case .memory(let bytes):
      range == bytes.indices ? bytes : bytes.span.extracting(range.clamped(to: bytes.indices)).makeArray()
    case .onDemand(_, let read): try read(range)
    }
  }
}

/// Records how much of a whole its owners have taken; each owner counts once.
///
/// In a valid archive, no record is the child of two nodes and no byte of state belongs to two. In a hostile one, each
/// of n nodes can refer to all of it, and a walk over the nodes would take n² steps. The ledger refuses a share that
/// exceeds the rest.
package struct ShareLedger: Sendable {
  /// One bit for each owner: whether its share is counted.
  private var owners: [UInt64] = []
  private let ownerCount: Int
  private var left: Int

  /// Creates a ledger of `total` units, shared by `ownerCount` owners.
  package init(total: Int, ownerCount: Int) {
    left = total
    self.ownerCount = ownerCount
  }

  /// Counts the share of an owner, less than the count of owners, and returns true, or returns false if the rest is smaller.
  package mutating func take(_ share: Int, by owner: Int) -> Bool {
    if owners.isEmpty { owners = [UInt64](repeating: 0, count: (ownerCount + 63) / 64) }
    let bit: UInt64 = 1 << UInt64(owner & 63)
    if owners[owner >> 6] & bit != 0 { return true }
    guard share <= left else { return false }
    left -= share
    owners[owner >> 6] |= bit
    return true
  }
}

/// Reconstructs an intact copy from two damaged ones, accepted only if its checksum is correct.
///
/// Disks lose whole sectors and blocks. The two copies lie at different positions on that grid, so a part lost in one
/// is often intact in the other:
///
///     first copy     aaaa aaaa xxxx xxxx
///     second copy    yyyy aaaa aaaa aaaa
///     candidates     the first or the second of each part that differs, until the checksum is correct
package enum CopySplicer {
  /// The maximum number of parts that differ: each doubles the number of candidates.
  private static let maximumDifferingParts = 8

  /// Returns bytes that hash to `digest`, combined from the ranges `first` and `second` of the file, or nil.
  ///
  /// - Complexity: O(n), with a factor of up to 256.
  package static func splice(
    _ bytes: [UInt8], _ first: Range<Int>, _ second: Range<Int>, seed: UInt64, digest: UInt64
  ) -> [UInt8]? {
    guard first.upperBound <= bytes.count, second.upperBound <= bytes.count else { return nil }
    for grid in [ChecksumTree.blockSize, ChecksumTree.blockSize / 8] {
      let parts = differingParts(bytes, first, second, grid: grid)
      guard parts.count <= maximumDifferingParts else { continue }
      var copy = Array(bytes[first])
      // The first and the last choice are the two copies themselves, which are damaged.
      for choice in 1..<max(1 << parts.count - 1, 1) {
        for (number, part) in parts.enumerated() {
          let start = choice >> number & 1 == 0 ? first.lowerBound : second.lowerBound
          copy.replaceSubrange(part, with: bytes[(start + part.lowerBound)..<(start + part.upperBound)])
        }
        if XXH64.hash(copy.span, seed: seed) == digest { return copy }
      }
    }
    return nil
  }

  /// Returns the ranges in a copy in which the copies differ, split at the grid lines of either copy.
  ///
  /// Stops at one more than the maximum.
  private static func differingParts(_ bytes: [UInt8], _ first: Range<Int>, _ second: Range<Int>, grid: Int) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    let span = bytes.span
    var start = 0
    while start < first.count, parts.count <= maximumDifferingParts {
      let next = [first.lowerBound, second.lowerBound].map { ($0 + start) / grid * grid + grid - $0 }.min() ?? first.count
      let part = start..<min(next, first.count)
      let (left, right) = (first.lowerBound, second.lowerBound)
      if span.extracting((left + start)..<(left + part.upperBound)).compare(
        with: span.extracting((right + start)..<(right + part.upperBound))) != 0
      {
        parts.append(part)
      }
      start = part.upperBound
    }
    return parts
  }
}
