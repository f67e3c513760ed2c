import RestorationArchive

/// The nodes of an archive as the build that restores them sees them: with aliases applied and states upgraded.
///
/// Entry 0 is the app itself. Entries are linked, since aliases move some of them:
///
///     0 app ─ firstChild → 1 root ─ nextSibling → 2 panel
///                          └ firstChild → 3 list …
struct SavedTree: Sendable {
  /// A node, or a place that only an alias made necessary.
  struct Entry {
    var identifier: String
    var parent: Int
    var firstChild = -1
    var lastChild = -1
    var nextSibling = -1
    var childCount = 0
    /// How many lie above it, the app itself included.
    fileprivate(set) var depth = 0
    /// Where it is among all in preorder, and where what is not below it begins.
    var position = 0
    var end = 0
    /// What its record says.
    fileprivate(set) var facts: Facts

    fileprivate init(_ identifier: String, parent: Int, facts: Facts = .none) {
      self.identifier = identifier
      self.parent = parent
      self.facts = facts
    }
  }

  /// What is asked about every node: a copy of the node itself would count three references.
  struct Facts: BitwiseCopyable {
    /// Where it is among the nodes; -1 for what is in no archive.
    let node: Int
    let hasAttributes: Bool
    let hasOrigin: Bool
    fileprivate let hasChildren: Bool
    /// The number of its type: at first in its archive, then among the types of a session.
    fileprivate(set) var type: Int

    /// Whether there is a node.
    var isSaved: Bool { node >= 0 }

    fileprivate static let none = Facts(node: -1, hasAttributes: false, hasOrigin: false, hasChildren: false, type: 0)
  }

  /// A node that cannot be read.
  struct Unreadable {
    /// The entry that it lies below; or the app itself, if that cannot be read.
    let parent: Int
    /// Why, without the path: there may be many, each with one of a quarter of a megabyte.
    let error: ArchiveError
  }

  private(set) var entries: [Entry] = []
  private let archive: ArchiveReader
  /// The types of the archive, by number from 1.
  private let types: [(tag: String, schemaVersion: UInt32)]
  // Paths are made when one is asked for: all of them take more memory than all the rest.
  private(set) var nodes: [UnplacedNode] = []
  /// The entries in preorder: parents first, siblings in saved order.
  private(set) var order: [Int] = []
  /// By entry that an alias moved, or that lies below one: the path in the archive.
  private(set) var archivedPaths: [Int: RestorationPath] = [:]
  /// Entries whose alias leads to a path that is taken.
  private(set) var superseded: Set<Int> = []
  private(set) var unreadable: [Unreadable] = []
  /// By entry that was upgraded: from which version to which.
  var upgrades: [Int: ClosedRange<Int>] = [:]
  /// By entry: why it could not be upgraded.
  var upgradeErrors: [Int: any Error] = [:]
  /// Entries that are in no archive: an upgrade moved values there.
  private(set) var added: Set<Int> = []
  /// Entries whose node is of another archive: their state was upgraded.
  private(set) var replacements: [Int: ArchivedNode] = [:]

  /// Reads the node table of an archive, without states.
  init(_ archive: ArchiveReader, moves: [Resolver.Move]) {
    self.archive = archive
    types = archive.nodeTypes
    entries.reserveCapacity(min(archive.nodeCount, 1 << 20) + 1)
    nodes.reserveCapacity(min(archive.nodeCount, 1 << 20) + 1)
    do throws(ArchiveError) {
      let application = try archive.application().unplaced
      entries.append(Entry("", parent: -1, facts: addNode(application)))
    } catch {
      entries.append(Entry("", parent: -1))
      unreadable.append(Unreadable(parent: 0, error: error))
    }
    // Breadth first, as the records lie in the file.
    var index = 0
    // Each record is the child of one node. Ranges that overlap, as they do in no valid archive, are gone over a few times, but not without end.
    var left = 4 * archive.nodeCount + 1024
    while index < entries.count {
      readChildren(of: index, left: &left)
      index += 1
    }
    for move in moves { apply(move) }
    sortPreorder()
  }

  private mutating func readChildren(of index: Int, left: inout Int) {
    guard entries[index].facts.hasChildren, entries[index].depth < 256 else { return }
    let node = nodes[entries[index].facts.node]
    guard node.childCount <= left else {
      unreadable.append(Unreadable(parent: index, error: node.excessOfChildren(limit: left)))
      return
    }
    left -= node.childCount
    node.visitChildren(in: archive) { child, identifier in
      _ = append(Entry(identifier, parent: index, facts: addNode(child)))
    } failure: { error in
      unreadable.append(Unreadable(parent: index, error: error))
    }
  }

  private mutating func addNode(_ node: consuming UnplacedNode) -> Facts {
    let facts = Facts(
      node: nodes.count, hasAttributes: node.hasAttributes, hasOrigin: node.hasOrigin, hasChildren: node.childCount > 0,
      type: node.typeNumber)
    nodes.append(node)
    return facts
  }

  /// What was saved for an entry, under its present path; nil for one that only an alias made necessary.
  func node(of index: Int) -> ArchivedNode? {
    entries[index].facts.isSaved ? savedNode(of: index, at: path(of: index)) : nil
  }

  /// What was saved for an entry of which that is known, and whose path is known too.
  func savedNode(of index: Int, at path: RestorationPath) -> ArchivedNode {
    if let node = replacements[index] { return node.moved(to: path) }
    return archive.node(nodes[entries[index].facts.node], at: path)
  }

  /// The type that an entry's node was saved with, if it has one.
  func savedType(of index: Int) -> (tag: String, schemaVersion: UInt32)? {
    let number = entries[index].facts.type
    return number == 0 ? nil : types[number - 1]
  }

  /// Appends an entry behind its siblings.
  private mutating func append(_ entry: Entry) -> Int {
    let index = entries.count
    entries.append(entry)
    entries[index].depth = entries[entry.parent].depth + 1
    link(index, under: entry.parent)
    return index
  }

  private mutating func link(_ index: Int, under parent: Int) {
    entries[index].parent = parent
    entries[index].nextSibling = -1
    let last = entries[parent].lastChild
    if last < 0 { entries[parent].firstChild = index } else { entries[last].nextSibling = index }
    entries[parent].lastChild = index
    entries[parent].childCount += 1
  }

  /// The child with an identifier.
  func child(_ identifier: String, of parent: Int) -> Int? {
    var index = entries[parent].firstChild
    while index >= 0 {
      if entries[index].identifier.isSameText(as: identifier) { return index }
      index = entries[index].nextSibling
    }
    return nil
  }

  private func find(_ path: RestorationPath) -> Int? {
    var index = 0
    for identifier in path.components {
      guard let child = child(identifier, of: index) else { return nil }
      index = child
    }
    return index
  }

  /// The present path of an entry.
  func path(of index: Int) -> RestorationPath {
    var identifiers = [String](repeating: "", count: entries[index].depth)
    var next = index
    for place in identifiers.indices.reversed() {
      identifiers[place] = entries[next].identifier
      next = entries[next].parent
    }
    return RestorationPath(validated: identifiers)
  }

  /// Where a node is in the archive that cannot be read: the path of its parent.
  func parentPath(of unreadable: Unreadable) -> RestorationPath {
    archivedPaths[unreadable.parent] ?? path(of: unreadable.parent)
  }

  /// Why a node cannot be read.
  func error(of unreadable: Unreadable) -> ArchiveError {
    unreadable.error.with(path: parentPath(of: unreadable))
  }

  // MARK: Aliases

  private mutating func apply(_ move: Resolver.Move) {
    guard let index = find(move.from) else { return }
    if find(move.to) != nil || move.to.count + height(of: index) > 256 {
      superseded.insert(index)
      return
    }
    noteArchivedPaths(below: index)
    var parent = 0
    for identifier in move.to.components.dropLast() {
      parent = child(identifier, of: parent) ?? append(Entry(identifier, parent: parent))
    }
    entries[index].identifier = move.to.identifier ?? ""
    // A node that stays with its parent keeps its place among its siblings.
    if entries[index].parent == parent { return }
    unlink(index)
    link(index, under: parent)
    var depths: [(index: Int, depth: Int)] = []
    visit(below: index) { depths.append(($0, entries[parent].depth + 1 + $1)) }
    for (index, depth) in depths { entries[index].depth = depth }
  }

  private mutating func unlink(_ index: Int) {
    let parent = entries[index].parent
    var before = -1
    var next = entries[parent].firstChild
    while next >= 0, next != index {
      before = next
      next = entries[next].nextSibling
    }
    let after = entries[index].nextSibling
    if before < 0 { entries[parent].firstChild = after } else { entries[before].nextSibling = after }
    if entries[parent].lastChild == index { entries[parent].lastChild = before }
    entries[parent].childCount -= 1
  }

  /// Calls `body` with an entry and all below it, and how deep each lies below it.
  private func visit(below index: Int, _ body: (Int, Int) -> Void) {
    var stack = [(index: index, depth: 0)]
    while let (index, depth) = stack.popLast() {
      body(index, depth)
      var child = entries[index].firstChild
      while child >= 0 {
        stack.append((child, depth + 1))
        child = entries[child].nextSibling
      }
    }
  }

  private func height(of index: Int) -> Int {
    var height = 0
    visit(below: index) { height = max(height, $1) }
    return height
  }

  private mutating func noteArchivedPaths(below index: Int) {
    var found: [Int] = []
    visit(below: index) { index, _ in found.append(index) }
    for index in found where archivedPaths[index] == nil {
      if entries[index].facts.isSaved { archivedPaths[index] = path(of: index) }
    }
  }

  // MARK: Order

  /// Brings the entries into preorder; done anew when entries were added.
  mutating func sortPreorder() {
    order.removeAll(keepingCapacity: true)
    order.reserveCapacity(entries.count)
    var index = 0
    while true {
      entries[index].position = order.count
      order.append(index)
      if entries[index].firstChild >= 0 {
        index = entries[index].firstChild
        continue
      }
      entries[index].end = order.count
      while index > 0, entries[index].nextSibling < 0 {
        index = entries[index].parent
        entries[index].end = order.count
      }
      if index == 0 { return }
      index = entries[index].nextSibling
    }
  }

  // MARK: Upgrades

  /// The child with an identifier, made for values that an upgrade gives it if there is none; nil if the tree is too deep for it.
  mutating func child(_ identifier: String, of parent: Int, addedBelow path: RestorationPath) -> Int? {
    if let child = child(identifier, of: parent) { return child }
    guard RestorationPath.canAppend(identifier, at: path.count) else { return nil }
    let index = append(Entry(identifier, parent: parent))
    added.insert(index)
    return index
  }

  /// Gives an entry another node: one with its upgraded state.
  mutating func replaceNode(of index: Int, by node: ArchivedNode) {
    entries[index].facts = addNode(node.unplaced)
    replacements[index] = node
  }

  /// Says by which number the type of an entry is known.
  mutating func setType(_ number: Int, of index: Int) {
    entries[index].facts.type = number
  }
}
