import FoundationValues
import RestorationArchive

/// The nodes of an archive as the restoring build sees them, with aliases applied and states upgraded.
///
/// Entry 0 is the app itself. Entries form linked lists, because aliases move some of them:
///
///     0 app ─ firstChild → 1 root ─ nextSibling → 2 panel
///                          └ firstChild → 3 list …
struct SavedTree: Sendable {
  /// A node, or a placeholder required by an alias.
  struct Entry {
    var identifier: String
    var parent: Int
    var firstChild = -1
    var lastChild = -1
    var nextSibling = -1
    var childCount = 0
    /// The number of ancestors, including the app itself.
    fileprivate(set) var depth = 0
    /// The position in preorder; `end` is the position after the last descendant.
    var position = 0
    var end = 0
    /// Data from the node's record.
    fileprivate(set) var facts: Facts

    fileprivate init(_ identifier: String, parent: Int, facts: Facts = .none) {
      (self.identifier, self.parent, self.facts) = (identifier, parent, facts)
    }
  }

  /// Data needed for every node; copying the node itself would cost three retains.
  struct Facts: BitwiseCopyable {
    /// The index in `nodes`; -1 for an entry that is in no archive.
    let node: Int
    let hasAttributes: Bool
    let hasOrigin: Bool
    fileprivate let hasChildren: Bool
    /// The type number: initially that of the archive, later an index into the types of a session.
    fileprivate(set) var type: Int

    /// Whether the entry has a node.
    var isSaved: Bool { node >= 0 }

    fileprivate static let none = Facts(node: -1, hasAttributes: false, hasOrigin: false, hasChildren: false, type: 0)
  }

  /// A node that cannot be read.
  struct Unreadable {
    /// The parent entry; the app itself if that is what cannot be read.
    let parent: Int
    /// The error without its path: there may be many errors, each with a path of a quarter megabyte.
    let error: ArchiveError
  }

  private(set) var entries: [Entry] = []
  /// The number of entries that were in the archive, before aliases and upgrades have added others.
  private(set) var archivedCount = 0
  private let archive: ArchiveReader
  /// The types of the archive, numbered from 1.
  private let types: [(tag: String, schemaVersion: Int)]
  // Paths are computed on demand: together they take more memory than everything else.
  private(set) var nodes: [UnplacedNode] = []
  /// The entries in preorder: parents first, siblings in saved order.
  private(set) var order: [Int] = []
  /// The archived path of each entry that an alias moved, directly or with an ancestor.
  private(set) var archivedPaths: [Int: RestorationPath] = [:]
  /// Entries whose alias target is taken.
  private(set) var superseded: Set<Int> = [] {
    didSet { childIndexes = [:] }
  }
  private(set) var unreadable: [Unreadable] = []
  /// The error that hides the application state, and with it all nodes.
  private(set) var applicationError: ArchiveError?
  /// The first and last schema version of each upgraded entry.
  var upgrades: [Int: ClosedRange<Int>] = [:]
  /// The error of each entry that could not be upgraded.
  var upgradeErrors: [Int: any Error] = [:]
  /// Entries that are in no archive, created because an upgrade moved values there.
  private(set) var added: Set<Int> = []
  /// The entries with states of the archive that this build's upgrades have changed.
  private(set) var rewritten: Set<Int> = []
  /// The entries whose nodes are no longer those of the archive, because they were set aside or taken over.
  private(set) var replaced: Set<Int> = []
  /// For each entry to or from which an upgrade has moved values, the entries at the other end.
  var related: [Int: [Int]] = [:]
  /// The nodes of entries with upgraded state, which belong to another archive.
  private(set) var replacements: [Int: NodeReader] = [:]

  /// The children by identifier, of entries with many children; built on demand.
  private var childIndexes: [Int: [TextKey: Int]] = [:]

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
      applicationError = error
    }
    // Breadth first, in record order.
    var index = 0
    while index < entries.count {
      readChildren(of: index)
      index += 1
    }
    archivedCount = entries.count
    for move in moves { apply(move) }
    sortPreorder()
  }

  private mutating func readChildren(of index: Int) {
    guard entries[index].facts.hasChildren, entries[index].depth < RestorationPath.maximumCount else { return }
    // However ranges of children overlap, all of them together have no more records than the archive: a range that exceeds the
    // rest is refused.
    nodes[entries[index].facts.node].visitChildren(in: archive) { child, identifier in
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

  /// Returns the saved node of an entry, under its current path; nil for a placeholder required by an alias.
  func node(of index: Int) -> NodeReader? {
    entries[index].facts.isSaved ? savedNode(of: index, at: LazyPath(path(of: index))) : nil
  }

  /// Returns the node of an entry as it was saved, before any upgrade; nil if there was none, or a placeholder.
  func archivedNode(of index: Int) -> NodeReader? {
    guard index < archivedCount else { return nil }
    let node = archive.node(nodes[index], at: LazyPath(path(of: index)))
    return node.isPlaceholder ? nil : node
  }

  /// Returns the saved node of an entry that is known to have one, at its known place.
  func savedNode(of index: Int, at place: LazyPath) -> NodeReader {
    if let node = replacements[index] { return node.moved(to: place) }
    return archive.node(nodes[entries[index].facts.node], at: place)
  }

  /// Returns the provider of an entry's node; nil if there is none or it is unreadable.
  func provider(of index: Int) -> ProviderReference? {
    guard let node = node(of: index), node.hasProvider else { return nil }
    return try? node.provider()
  }

  /// Returns the type with which an entry's node was saved, if it has one.
  func savedType(of index: Int) -> (tag: String, schemaVersion: Int)? {
    let number = entries[index].facts.type
    return number == 0 ? nil : types[number - 1]
  }

  /// Appends an entry after its siblings.
  private mutating func append(_ entry: consuming Entry) -> Int {
    let (index, parent) = (entries.count, entry.parent)
    if !childIndexes.isEmpty { childIndexes[parent]?[TextKey(entry.identifier)] = index }
    entries.append(entry)
    entries[index].depth = entries[parent].depth + 1
    link(index, under: parent)
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

  /// Returns the child with an identifier; of two, the one that has the path.
  ///
  /// - Complexity: O(1), expected, after the first call for the parent.
  mutating func child(_ identifier: String, of parent: Int) -> Int? {
    // Linear search is cheaper than hashing for a few children.
    if entries[parent].childCount > 8 {
      if childIndexes[parent] == nil { childIndexes[parent] = makeChildIndex(of: parent) }
      return childIndexes[parent]?[TextKey(identifier)]
    }
    var found: Int?
    var index = entries[parent].firstChild
    while index >= 0 {
      if entries[index].identifier.isSameText(as: identifier) { found = found.map { preferred(index, to: $0) } ?? index }
      index = entries[index].nextSibling
    }
    return found
  }

  private func makeChildIndex(of parent: Int) -> [TextKey: Int] {
    Dictionary(children(of: parent).map { (TextKey(entries[$0].identifier), $0) }) { preferred($1, to: $0) }
  }

  /// Returns the one of two entries with the same path that has the path: the one that is not superseded, else the one that a
  /// live object has saved last.
  private func preferred(_ index: Int, to other: Int) -> Int {
    if superseded.contains(index) != superseded.contains(other) { return superseded.contains(index) ? other : index }
    return wasSavedLater(index, than: other) ? index : other
  }

  private mutating func find(_ path: RestorationPath) -> Int? {
    path.components.reduce(0) { index, identifier in index.flatMap { child(identifier, of: $0) } }
  }

  /// Returns the current path of an entry.
  func path(of index: Int) -> RestorationPath {
    var identifiers = [String](repeating: "", count: entries[index].depth)
    var next = index
    for place in identifiers.indices.reversed() {
      identifiers[place] = entries[next].identifier
      next = entries[next].parent
    }
    return RestorationPath(validated: identifiers)
  }

  /// Returns the number of an entry's node in the archive, or of the node whose upgrade has made it.
  func nodeNumber(of index: Int) -> Int {
    var source = index
    while source >= archivedCount { source = entries[source].parent }
    return source
  }

  /// Returns the path of the node with a number; nil if there is none.
  func path(ofNode number: Int) -> RestorationPath? { number < archivedCount ? path(of: number) : nil }

  /// Returns the error of an unreadable node, with the archived path of its parent.
  func error(of unreadable: Unreadable) -> ArchiveError {
    unreadable.error.with(path: archivedPaths[unreadable.parent] ?? path(of: unreadable.parent))
  }

  // MARK: Aliases

  private mutating func apply(_ move: Resolver.Move) {
    guard let index = find(move.from) else { return }
    if move.to.count + height(of: index) > RestorationPath.maximumCount {
      superseded.insert(index)
      return
    }
    let other = find(move.to)
    // A placeholder has no state to lose: its children join those of the other entry.
    let placeholder = other.flatMap { isPlaceholder($0) ? $0 : isPlaceholder(index) ? index : nil }
    if let other, placeholder == nil {
      // The one that a live object has saved last has what the user did last.
      guard wasSavedLater(index, than: other) else {
        superseded.insert(index)
        return
      }
      superseded.insert(other)
    }
    for (index, _) in subtree(of: index) where archivedPaths[index] == nil && entries[index].facts.isSaved {
      archivedPaths[index] = path(of: index)
    }
    var parent = 0
    for identifier in move.to.components.dropLast() {
      parent = child(identifier, of: parent) ?? append(Entry(identifier, parent: parent))
    }
    place(index, move.to.identifier ?? "", under: parent)
    guard let other, let placeholder else { return }
    var losers = [placeholder]
    merge(placeholder, into: placeholder == index ? other : index, &losers)
    superseded.formUnion(losers)
  }

  /// Moves the children of a placeholder to another entry at its path.
  private mutating func merge(_ placeholder: Int, into index: Int, _ losers: inout [Int]) {
    var list = children(of: index)
    var holders = makeChildIndex(of: index)
    for child in children(of: placeholder) {
      list.append(child)
      let key = TextKey(entries[child].identifier)
      guard let known = holders[key] else {
        holders[key] = child
        continue
      }
      // Not deeper than a path.
      let wins = !isPlaceholder(child) && (isPlaceholder(known) || wasSavedLater(child, than: known))
      let (winner, loser) = wins ? (child, known) : (known, child)
      if isPlaceholder(loser) { merge(loser, into: winner, &losers) }
      losers.append(loser)
      holders[key] = winner
    }
    for entry in [index, placeholder] { (entries[entry].firstChild, entries[entry].lastChild, entries[entry].childCount) = (-1, -1, 0) }
    for child in list { link(child, under: index) }
  }

  /// Whether an entry has no state of its own, only descendants.
  func isPlaceholder(_ index: Int) -> Bool { node(of: index)?.isPlaceholder ?? true }

  private func children(of index: Int) -> [Int] {
    var found: [Int] = []
    var child = entries[index].firstChild
    while child >= 0 {
      found.append(child)
      child = entries[child].nextSibling
    }
    return found
  }

  /// Gives an entry, with all below it, another place.
  mutating func place(_ index: Int, _ identifier: String, under parent: Int) {
    childIndexes = [:]
    entries[index].identifier = identifier
    // A node that keeps its parent also keeps its position among its siblings.
    if entries[index].parent == parent { return }
    detach(index)
    link(index, under: parent)
    for (index, depth) in subtree(of: index) { entries[index].depth = entries[parent].depth + 1 + depth }
  }

  /// Gives the path of two entries to one of them.
  mutating func prefer(_ index: Int, to other: Int) {
    superseded.remove(index)
    superseded.insert(other)
  }

  /// The depth of the lowest entry below an entry, itself included.
  func height(of index: Int) -> Int { subtree(of: index).reduce(0) { max($0, $1.depth) } }

  /// Takes an entry, with all below it, out of the tree.
  mutating func detach(_ index: Int) {
    if entries[index].parent < 0 { return }
    childIndexes = [:]
    defer { entries[index].parent = -1 }
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

  /// Returns an entry and its descendants, each with its depth below the entry.
  private func subtree(of index: Int) -> [(index: Int, depth: Int)] {
    var found = [(index: index, depth: 0)]
    var next = 0
    while next < found.count {
      found += children(of: found[next].index).map { ($0, found[next].depth + 1) }
      next += 1
    }
    return found
  }

  /// Whether a node was saved by a live object later than another one that claims its path.
  func wasSavedLater(_ index: Int, than other: Int) -> Bool {
    guard let origin = node(of: other)?.origin else { return false }
    guard let own = node(of: index)?.origin else { return entries[index].facts.isSaved }
    let times = (
      own.timestamp?.timeIntervalSinceReferenceDate ?? -.infinity, origin.timestamp?.timeIntervalSinceReferenceDate ?? -.infinity
    )
    return times.0 > times.1
  }

  // MARK: Order

  /// Sorts the entries in preorder; repeated after entries are added.
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

  /// Returns the child with an identifier, and adds it for values moved by an upgrade if it is missing; nil if it would
  /// be too deep.
  mutating func child(_ identifier: String, of parent: Int, addedBelow path: RestorationPath) -> Int? {
    if let child = child(identifier, of: parent) { return child }
    guard RestorationPath.canAppend(identifier, at: path.count) else { return nil }
    let index = append(Entry(identifier, parent: parent))
    added.insert(index)
    return index
  }

  /// Replaces the node of an entry by one with its upgraded state.
  mutating func replaceNode(of index: Int, by node: NodeReader) {
    entries[index].facts = addNode(node.unplaced)
    replacements[index] = node
    if !replaced.contains(index) { rewritten.insert(index) }
  }

  /// Adds an entry without a node, and returns its number; the entries must be sorted again.
  mutating func addEntry(_ identifier: String, below parent: Int) -> Int { append(Entry(identifier, parent: parent)) }

  /// Sets the node of an entry to one that is no longer that of the archive.
  mutating func setNode(_ node: NodeReader, of index: Int) {
    replaced.insert(index)
    rewritten.remove(index)
    replaceNode(of: index, by: node)
    (upgrades[index], upgradeErrors[index], related[index]) = (nil, nil, nil)
    if superseded.contains(index) { superseded.remove(index) }
  }

  /// Sets the type number of an entry.
  mutating func setType(_ number: Int, of index: Int) {
    entries[index].facts.type = number
  }
}

extension NodeReader {
  /// Everything that a node has besides its children.
  typealias Contents = (provider: ProviderReference?, attributes: ArchiveDictionary, state: ArchiveDictionary)

  /// Whether the node is empty and exists only for its descendants.
  var isPlaceholder: Bool {
    type == nil && has(EngineAttribute.placeholder)
  }

  /// Whether an attribute has the value true.
  func has(_ attribute: String) -> Bool {
    guard hasAttributes, let attributes = try? attributes() else { return false }
    return attributes[attribute] == .bool(true)
  }
}

/// A node type of an archive, with cached answers that apply to all of its nodes.
struct SavedType {
  /// The current tag of the type; nil for nodes without a type.
  let tag: String?
  /// The schema version of the states, after upgrades.
  let schemaVersion: Int
  /// The number of the factory registered for the type.
  let factory: Int?
  /// The last queried class, and the answer for it.
  var lastAnswer: (kind: ObjectIdentifier, answer: ClassAnswer)?

  /// The relation of a class to the nodes of a type.
  struct ClassAnswer {
    /// Whether the class has the tag, or the nodes have none.
    let hasTag: Bool
    /// Whether the class requires unknown keys to be preserved: its schema is older than the saved one, or it sets
    /// `keepsUnknownKeys`.
    ///
    /// Nodes with attributes are checked in any case.
    let mayHaveUnknownKeys: Bool
    /// Whether the class has a type and a later version than 0, and the nodes have no type.
    let needsType: Bool
    /// The schema version of the class, if the saved one is newer.
    var olderSchemaVersion: Int?
    /// The schema version of the class, if the saved one is older, also after upgrades.
    var newerSchemaVersion: Int?
  }

  /// Returns the answer of a class for nodes of this type.
  func answer(of kind: any Restorable.Type) -> ClassAnswer {
    let version = kind.savedType.version
    return ClassAnswer(
      hasTag: tag.map { $0.isSameText(as: kind.restorationType) } ?? true,
      mayHaveUnknownKeys: schemaVersion > version || kind.keepsUnknownKeys, needsType: tag == nil && version > 0,
      olderSchemaVersion: schemaVersion > version ? version : nil, newerSchemaVersion: schemaVersion < version ? version : nil)
  }
}
