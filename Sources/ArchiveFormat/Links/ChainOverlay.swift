import Storage

/// The tree of an archive with links applied: for each node with a record in a link, the file that has its contents (Spec
/// §15.3).
///
/// Other nodes are as in the base, and are not listed. A list of children is made when a link first
/// changes it, as a ring of cells, so that removing and placing a node take constant time:
///
///     base           a b c d
///     cells    head  a b c d  x         x is new, placed after b
///     ring     head  a b x d            c is removed
struct ChainOverlay: ~Copyable {
  /// A node that a link has, or had.
  struct LinkedNode: BitwiseCopyable {
    /// The number of the file with its parts: 0 for the base, k for the k-th link.
    var file: UInt32
    /// The record with its parts in that file.
    var record: UInt32
    /// The record of the base with its children and its cell; nil for a node that is not in the base.
    var base: UInt32?
    /// The cell of a node that is not in the base.
    var cell: UInt32 = 0
    /// The first cell of its list of children; 0 if they are those of the base.
    var head: UInt32 = 0
    var isRemoved = false
  }

  /// What a cell holds.
  enum Item: BitwiseCopyable {
    case head
    /// A node of the base that may also be in `nodes` (``ChainOverlay/node(ofBase:)``).
    case base(UInt32)
    /// An index in `nodes`.
    case added(UInt32)
  }

  private let base: ChainFile
  private(set) var nodes: ScratchArray<LinkedNode>
  /// For each record of the base, the index of its node plus one, or 0.
  private var nodesOfBase: ScratchArray<UInt32>
  /// The parent and identifier of each node, and for the number of each the index of the latest node plus one.
  private var names = ByteInterner()
  private var nodesOfNames = ScratchArray<UInt32>(capacity: 64)
  private var items = ScratchArray<Item>(capacity: 64)
  private var next = ScratchArray<UInt32>(capacity: 64)
  private var previous = ScratchArray<UInt32>(capacity: 64)
  private let name = OutputBuffer(capacity: 64)

  /// Creates the tree of a base.
  init(_ base: ChainFile) {
    self.base = base
    nodes = ScratchArray(capacity: 64)
    nodesOfBase = ScratchArray(repeating: 0, count: base.records.count)
    nodes.append(LinkedNode(file: 0, record: 0, base: 0))
    nodesOfBase[0] = 1
    // Cell 0 is reserved: 0 stands for none.
    _ = addCell(.head)
  }

  /// Returns the index of the node that stands for a record of the base, or nil if no link has it.
  @inline(__always)
  func node(ofBase record: Int) -> Int? {
    let index = nodesOfBase[record]
    return index == 0 ? nil : Int(index) &- 1
  }

  /// Calls `body` with each child of a node that has a list of its own, in order.
  ///
  /// - Returns: Whether the node has such a list.
  func visitList(of index: Int, _ body: (Item) -> Void) -> Bool {
    let head = nodes[index].head
    if head == 0 { return false }
    var cell = next[Int(head)]
    while cell != head {
      body(items[Int(cell)])
      cell = next[Int(cell)]
    }
    return true
  }

  // MARK: Applying

  /// Applies a link, the file with this number.
  ///
  /// - Throws: `missing-node`, with the number of the record in the link; the tree must then not be used.
  /// - Complexity: O(n log f) in the records of the link, where f is the largest number of siblings, and once O(f) for
  ///   each list of children that it changes.
  mutating func apply(_ link: ChainFile, _ table: LinkTable, number: Int) throws(FormatError) {
    if table.entries[0].change == .contents {
      nodes[0].file = UInt32(truncatingIfNeeded: number)
      nodes[0].record = 0
    }
    // For each record, the index of its node.
    var places = [Int](repeating: 0, count: table.entries.count)
    for record in table.entries.indices {
      if table.entries[record].change == .removed { continue }
      let children = link.children(of: record)
      for child in children { places[child] = try change(child, below: places[record], link, table.entries[child], number: number) }
      putInPlace(children, below: places[record], table, places)
    }
  }

  /// Changes, adds or removes the node of a record, and returns its index.
  private mutating func change(
    _ record: Int, below parent: Int, _ link: ChainFile, _ entry: LinkTable.Entry, number: Int
  ) throws(FormatError) -> Int {
    let bytes = link.bytes
    let span = bytes.span
    let (found, name) = find(span.extracting(link.identifier(of: record, in: span)), below: parent)
    guard let found else {
      guard entry.change == .contents, entry.hasPlace else { throw Self.missingNode(record, entry, link) }
      return add(LinkedNode(file: UInt32(truncatingIfNeeded: number), record: UInt32(truncatingIfNeeded: record)), name: name)
    }
    switch entry.change {
    case .unchanged: break
    case .contents:
      nodes[found].file = UInt32(truncatingIfNeeded: number)
      nodes[found].record = UInt32(truncatingIfNeeded: record)
    case .removed:
      makeList(of: parent)
      unlink(cell(of: found, below: parent))
      nodes[found].isRemoved = true
    }
    return found
  }

  private static func missingNode(_ record: Int, _ entry: LinkTable.Entry, _ link: ChainFile) -> FormatError {
    FormatError(
      .missingNode, at: link.records.offset(of: record), "node of a link",
      expected: entry.change == .contents ? "one that is there, or a place for it" : "one that is there", node: record)
  }

  /// Returns the node with this identifier, if it exists, and the number of its name.
  private mutating func find(_ identifier: Span<UInt8>, below parent: Int) -> (node: Int?, name: Int) {
    name.truncate(to: 0)
    name.append(UInt32(truncatingIfNeeded: parent))
    name.append(contentsOf: identifier)
    var number = 0
    name.withSpan { number = names.intern($0) }
    if number == nodesOfNames.count { nodesOfNames.append(0) }
    if nodesOfNames[number] > 0 {
      let index = Int(nodesOfNames[number]) - 1
      return (nodes[index].isRemoved ? nil : index, number)
    }
    guard let above = nodes[parent].base, let record = base.child(of: Int(above), identifier: identifier) else { return (nil, number) }
    let index = nodes.count
    nodes.append(LinkedNode(file: 0, record: UInt32(truncatingIfNeeded: record), base: UInt32(truncatingIfNeeded: record)))
    nodesOfBase[record] = UInt32(truncatingIfNeeded: index + 1)
    nodesOfNames[number] = UInt32(truncatingIfNeeded: index + 1)
    return (index, number)
  }

  private mutating func add(_ node: LinkedNode, name: Int) -> Int {
    let index = nodes.count
    nodes.append(node)
    nodes[index].cell = addCell(.added(UInt32(truncatingIfNeeded: index)))
    nodesOfNames[name] = UInt32(truncatingIfNeeded: index + 1)
    return index
  }

  /// Moves the nodes of siblings that have a place.
  ///
  /// First all of these nodes leave the list. Then they return: the node in the first place and the nodes after an unmoved
  /// sibling, each followed by the node after it, and so on. Places form no circle (R-15.2-5), so every node returns.
  private mutating func putInPlace(_ siblings: Range<Int>, below parent: Int, _ table: LinkTable, _ places: [Int]) {
    var followers: [UInt32] = []
    var first: Int?
    for record in siblings where table.entries[record].hasPlace {
      if followers.isEmpty {
        makeList(of: parent)
        followers = [UInt32](repeating: 0, count: siblings.count)
      }
      let after = Int(table.entries[record].after)
      if after == 0 { first = record } else { followers[after - 1] = UInt32(truncatingIfNeeded: record - siblings.lowerBound + 1) }
      unlink(cell(of: places[record], below: parent))
    }
    if followers.isEmpty { return }
    func insertRun(from record: Int, after cell: UInt32) {
      var (record, cell) = (record, cell)
      while true {
        let own = self.cell(of: places[record], below: parent)
        insert(own, after: cell)
        let follower = followers[record - siblings.lowerBound]
        if follower == 0 { return }
        (record, cell) = (siblings.lowerBound + Int(follower) - 1, own)
      }
    }
    if let first { insertRun(from: first, after: nodes[parent].head) }
    for record in siblings where !table.entries[record].hasPlace {
      let follower = followers[record - siblings.lowerBound]
      if follower > 0 { insertRun(from: siblings.lowerBound + Int(follower) - 1, after: cell(of: places[record], below: parent)) }
    }
  }

  // MARK: Lists

  private mutating func addCell(_ item: Item) -> UInt32 {
    let cell = UInt32(truncatingIfNeeded: items.count)
    items.append(item)
    next.append(cell)
    previous.append(cell)
    return cell
  }

  /// Makes the list of the children of a node, in their order in the base.
  private mutating func makeList(of index: Int) {
    guard nodes[index].head == 0 else { return }
    let head = addCell(.head)
    nodes[index].head = head
    guard let record = nodes[index].base else { return }
    for child in base.children(of: Int(record)) { _ = addCell(.base(UInt32(truncatingIfNeeded: child))) }
    let first = base.children(of: Int(record)).lowerBound
    var last = head
    for child in base.childrenInSavedOrder(of: Int(record)) {
      let cell = head + UInt32(truncatingIfNeeded: child - first) + 1
      insert(cell, after: last)
      last = cell
    }
  }

  /// Returns the cell of a node in the list of its parent, which has been made.
  private func cell(of index: Int, below parent: Int) -> UInt32 {
    guard let record = nodes[index].base, let above = nodes[parent].base else { return nodes[index].cell }
    return nodes[parent].head + 1 + record - UInt32(truncatingIfNeeded: base.children(of: Int(above)).lowerBound)
  }

  private mutating func insert(_ cell: UInt32, after other: UInt32) {
    let following = next[Int(other)]
    next[Int(cell)] = following
    previous[Int(cell)] = other
    previous[Int(following)] = cell
    next[Int(other)] = cell
  }

  /// Removes a cell from its list; a cell that is in none stays alone.
  private mutating func unlink(_ cell: UInt32) {
    let (before, after) = (previous[Int(cell)], next[Int(cell)])
    next[Int(before)] = after
    previous[Int(after)] = before
    next[Int(cell)] = cell
    previous[Int(cell)] = cell
  }
}
