import ArchiveFormat
public import RestorationArchive

/// The differences between two archives by their meaning: nodes, values, order and references rather than bytes.
///
///     let difference = ArchiveDifference(from: try ArchiveReader(inspecting: good), to: try ArchiveReader(inspecting: bad))
///     if !difference.isEmpty { print(difference.counts.text) }
///
/// Nodes are matched by path. Nodes without a counterpart at their path are then recognized if they were moved or renamed
/// (see `Inspecting` in the guide for the rule). The difference is empty exactly if both archives have equal contents:
/// header, application state, nodes, and sections.
///
/// State that no object claimed is carried over from save to save, which counts the saves. Such a node is a difference,
/// but not a changed node, and not one of the changes that are visited.
///
/// A damaged part is a difference of its own: what it holds cannot be compared, and a node that it may hide is neither
/// added nor removed. Contents are read again when the changes are visited, so memory is linear in the number of nodes.
///
/// - Complexity: O(n log n) in the length of the archives.
public struct ArchiveDifference: Sendable {
  /// The extent of a comparison.
  public struct Options: Sendable {
    /// Whether to ignore the volatile header (timestamp, system version and writer), and how many saves have carried
    /// nodes over.
    public var ignoresVolatileHeader = false
    /// The path of the only node to compare, with everything below it; by default the whole archive, with its header.
    public var path = RestorationPath.application
    /// The treatment of sensitive values.
    public var sensitive = SensitiveValues.redact

    /// Creates options that compare everything.
    public init() {}
  }

  let options: Options
  let matching: NodeMatching
  /// Whether both archives have the same key table, so that equal bytes are equal contents.
  let sharesKeys: Bool
  /// The compared nodes at the top: record 0, or the nodes at the path of the options.
  let oldRoot: Int?
  let newRoot: Int?
  /// The differences of each node of the new archive that has a partner.
  private var differences: [Deviations]
  /// The nodes of the new archive that hold broken references.
  private(set) var brokenOwners: [UInt32] = []
  /// The changes of format version, header and sections.
  private(set) var generalChanges: [ArchiveChange] = []
  /// The numbers of differences.
  public private(set) var counts = Counts()

  var old: ComparedTree { matching.old }
  var new: ComparedTree { matching.new }

  /// Whether nothing differs.
  public var isEmpty: Bool { counts.total == 0 }

  /// Whether the old archive has a node at the path of the options.
  public var hasOld: Bool { oldRoot != nil }
  /// Whether the new archive has one.
  public var hasNew: Bool { newRoot != nil }

  /// Compares two archives.
  public init(from old: ArchiveReader, to new: ArchiveReader, options: Options = Options()) {
    self.options = options
    let (oldTree, newTree) = (ComparedTree(old), ComparedTree(new))
    oldRoot = options.path.isEmpty ? 0 : oldTree.index(of: options.path)
    newRoot = options.path.isEmpty ? 0 : newTree.index(of: options.path)
    matching = NodeMatching(
      oldTree, newTree, oldRoot: oldRoot.flatMap { oldTree.contains($0) ? $0 : nil },
      newRoot: newRoot.flatMap { newTree.contains($0) ? $0 : nil })
    sharesKeys = oldTree.archive.records.keys.isSame(as: newTree.archive.records.keys)
    differences = [Deviations](repeating: [], count: newTree.parents.count)
    if options.path.isEmpty { compareArchives() }
    for index in differences.indices {
      if let partner = matching.partner(ofNew: index) { differences[index] = deviations(partner, index) }
    }
    countNodes()
    if counts.removed + counts.moved + counts.renamed > 0 { findBrokenReferences() }
  }

  // MARK: Comparing

  private mutating func compareArchives() {
    let (mine, theirs) = (old.archive.formatVersion, new.archive.formatVersion)
    if mine != theirs { generalChanges.append(.formatVersion(old: mine, new: theirs)) }
    let changes = ValueComparison.changes(
      in: .header, Self.entries(of: old.archive.header, options), Self.entries(of: new.archive.header, options), options.sensitive)
    generalChanges += changes.map { .header($0) }
    let (left, right) = (Array(old.archive.records.metadata.ancillarySections), Array(new.archive.records.metadata.ancillarySections))
    let sections = MergedPairs(left, right, by: { Int($0.code.rawValue) - Int($1.code.rawValue) })
    generalChanges += sections.compactMap {
      SectionChange($0.old, $0.new, in: old.archive.records, new.archive.records).map { .section($0) }
    }
    counts.header = changes.count + (mine == theirs ? 0 : 1)
    counts.sections = generalChanges.count - counts.header
  }

  private static func entries(of header: ArchiveHeader, _ options: Options) -> ArchiveDictionary {
    var entries = header.entries
    if options.ignoresVolatileHeader {
      for key in RegisteredHeaderKey.allCases where key.isVolatile { entries[key.rawValue] = nil }
    }
    return entries
  }

  private mutating func countNodes() {
    walk { event in
      switch event {
      case .pair(let oldIndex, let newIndex):
        let found = differences[newIndex]
        if found.contains(.unreadable) { counts.unreadable += 1 }
        if found.contains(.order) { counts.reordered += 1 }
        switch kind(of: oldIndex, newIndex) {
        case .moved: counts.moved += 1
        case .renamed: counts.renamed += 1
        default:
          if found.contains(.contents) {
            counts.changed += 1
          } else if found.contains(.carried), !options.ignoresVolatileHeader {
            counts.carriedOver += 1
          }
        }
      case .single(_, let count, isOld: false): counts.added += count
      case .single(_, let count, isOld: true): counts.removed += count
      case .uncertain, .hidden: counts.unreadable += 1
      }
    }
  }

  private mutating func findBrokenReferences() {
    for index in new.parents.indices where isInScope(index) && new.archive.records.mayHoldReferences(index) {
      let broken = matching.brokenReferences(of: index).count
      if broken > 0 { brokenOwners.append(UInt32(truncatingIfNeeded: index)) }
      counts.brokenReferences += broken
    }
  }

  /// Whether a node of one of the archives is compared.
  func isInScope(_ index: Int, isOld: Bool = false) -> Bool {
    let (tree, root) = isOld ? (old, oldRoot) : (new, newRoot)
    guard tree.contains(index), let root else { return false }
    if root == 0 { return true }
    var index = index
    while index > root { index = Int(tree.parents[index]) }
    return index == root
  }

  /// Returns whether partners are in the same place, or how the new one differs in it.
  func kind(of oldIndex: Int, _ newIndex: Int) -> NodeDifference.Kind {
    if newIndex == newRoot { return .changed }
    guard matching.hasPartnersAsParents(oldIndex, newIndex) else { return .moved }
    return old.identifier(of: oldIndex).isIdenticalText(to: new.identifier(of: newIndex)) ? .changed : .renamed
  }
}

extension ArchiveDifference {
  /// The numbers of differences of each kind.
  public struct Counts: Sendable, Equatable {
    /// The nodes that only the new archive has.
    public internal(set) var added = 0
    /// The nodes that only the old archive has.
    public internal(set) var removed = 0
    /// The nodes with another parent.
    public internal(set) var moved = 0
    /// The nodes with another identifier below the same parent.
    public internal(set) var renamed = 0
    /// The nodes in their place with other contents.
    public internal(set) var changed = 0
    /// The nodes whose children have another order.
    public internal(set) var reordered = 0
    /// The references to nodes that the new archive lacks.
    public internal(set) var brokenReferences = 0
    /// The differences of the header and of the format version.
    public internal(set) var header = 0
    /// The sections that differ.
    public internal(set) var sections = 0
    /// The nodes that were carried over by another number of saves, from the same save.
    public internal(set) var carriedOver = 0
    /// The nodes that damage hides or makes unreadable, each perhaps with everything below it.
    public internal(set) var unreadable = 0

    /// The numbers in the order of ``text``, each with its name in JSON and the words for it.
    var parts: [(name: String, count: Int, noun: String, nouns: String, verb: String)] {
      [
        ("added", added, "node", "nodes", "added"), ("removed", removed, "node", "nodes", "removed"),
        ("moved", moved, "node", "nodes", "moved"), ("renamed", renamed, "node", "nodes", "renamed"),
        ("changed", changed, "node", "nodes", "changed"), ("reordered", reordered, "node", "nodes", "with children in another order"),
        ("brokenReferences", brokenReferences, "reference", "references", "broken"),
        ("header", header, "header entry", "header entries", "changed"), ("sections", sections, "section", "sections", "changed"),
        ("carriedOver", carriedOver, "node", "nodes", "carried over again"),
        ("unreadable", unreadable, "part", "parts", "not comparable because of damage"),
      ]
    }

    /// The number of differences of all kinds.
    public var total: Int { parts.reduce(0) { $0 + $1.count } }

    /// One line for people, such as "2 nodes added, 1 changed".
    public var text: String {
      let texts = parts.filter { $0.count > 0 }.map { "\($0.count) \($0.count == 1 ? $0.noun : $0.nouns) \($0.verb)" }
      return texts.isEmpty ? "no difference" : texts.joined(separator: ", ")
    }
  }
}

extension ArchiveDifference {
  enum Event {
    /// Two partners.
    case pair(old: Int, new: Int)
    /// A node of one archive without a partner, with the number of such nodes in its subtree.
    case single(Int, count: Int, isOld: Bool)
    /// A node of one archive without a partner that damage of the other one may hide there.
    case uncertain(Int, isOld: Bool)
    /// A node some of whose children are unreadable in one archive.
    case hidden(old: Int?, new: Int?)
  }

  /// Walks over both trees in the order of the new one; removed nodes come at their old place among their siblings.
  ///
  /// The maximum path depth bounds the recursion.
  func walk(_ body: (Event) -> Void) {
    switch (oldRoot, newRoot) {
    case (let oldRoot?, let newRoot?):
      if matching.partner(ofNew: newRoot) == oldRoot { walk(oldRoot, newRoot, body) } else { body(.hidden(old: oldRoot, new: newRoot)) }
    case (let oldRoot?, nil): body(single(oldRoot, isOld: true, isHidden: false))
    case (nil, let newRoot?): walk(added: newRoot, isHidden: false, body)
    case (nil, nil): break
    }
  }

  private func single(_ index: Int, isOld: Bool, isHidden: Bool) -> Event {
    if isHidden { return .uncertain(index, isOld: isOld) }
    var count = 0
    visitUnmatched(below: index, isOld: isOld) { _ in count += 1 }
    return .single(index, count: count, isOld: isOld)
  }

  private func walk(_ oldIndex: Int, _ newIndex: Int, _ body: (Event) -> Void) {
    body(.pair(old: oldIndex, new: newIndex))
    let isOldIncomplete = old.incomplete.contains(oldIndex)
    let isNewIncomplete = new.incomplete.contains(newIndex)
    if isOldIncomplete || isNewIncomplete {
      body(.hidden(old: isOldIncomplete ? oldIndex : nil, new: isNewIncomplete ? newIndex : nil))
    }
    let before = old.childrenInSavedOrder(of: oldIndex)
    var places: [Int: Int] = [:]
    for (place, child) in before.enumerated() { places[child.index] = place }
    var next = 0
    func removeChildren(until end: Int) {
      while next < end {
        let index = before[next].index
        if !matching.isMatched(old: index) { body(single(index, isOld: true, isHidden: isNewIncomplete)) }
        next += 1
      }
    }
    for child in new.childrenInSavedOrder(of: newIndex) {
      guard let partner = matching.partner(ofNew: child.index) else {
        walk(added: child.index, isHidden: isOldIncomplete, body)
        continue
      }
      if let place = places[partner], place >= next { removeChildren(until: place + 1) }
      walk(partner, child.index, body)
    }
    removeChildren(until: before.count)
  }

  /// Walks over a node that only the new archive has; nodes below it may have been moved there.
  private func walk(added index: Int, isHidden: Bool, _ body: (Event) -> Void) {
    body(single(index, isOld: false, isHidden: isHidden))
    var stack = new.childrenInSavedOrder(of: index).map(\.index).reversed() as [Int]
    while let child = stack.popLast() {
      if let partner = matching.partner(ofNew: child) {
        walk(partner, child, body)
      } else {
        stack += new.childrenInSavedOrder(of: child).map(\.index).reversed()
      }
    }
  }

  /// Visits the nodes without a partner that can be reached from a node through such nodes alone.
  private func visitUnmatched(below index: Int, isOld: Bool, _ body: (Int) -> Void) {
    let tree = isOld ? old : new
    var stack = [index]
    while let node = stack.popLast() {
      body(node)
      for child in tree.children(of: node) where isOld ? !matching.isMatched(old: child.index) : !matching.isMatched(new: child.index) {
        stack.append(child.index)
      }
    }
  }

  // MARK: Changes

  /// Calls `body` with each change.
  ///
  /// The header comes first, then the nodes in the order of the new tree, with removed nodes at their old place, then
  /// broken references.
  public func visitChanges(_ body: (ArchiveChange) -> Void) {
    for change in generalChanges { body(change) }
    walk { event in
      if let change = change(for: event) { body(.node(change)) }
    }
    for owner in brokenOwners {
      let path = new.path(of: Int(owner))
      for broken in matching.brokenReferences(of: Int(owner)) {
        let target = options.sensitive.hides(broken.isSensitive) ? nil : broken.target
        body(.brokenReference(BrokenReference(path: path, key: broken.key, target: target)))
      }
    }
  }

  private func change(for event: Event) -> NodeDifference? {
    switch event {
    case .pair(let oldIndex, let newIndex): return change(of: oldIndex, newIndex)
    case .single(let index, let count, let isOld): return change(of: index, count, isOld: isOld)
    case .uncertain(let index, let isOld):
      let error = Self.error("the node may lie in a damaged part of the \(isOld ? "new" : "old") archive")
      return NodeDifference(unreadable: (isOld ? old : new).path(of: index), error)
    case .hidden(let oldIndex, let newIndex):
      let error =
        oldIndex.flatMap { Self.firstError(below: $0, old) } ?? newIndex.flatMap { Self.firstError(below: $0, new) }
      let path = newIndex.map { new.path(of: $0) } ?? oldIndex.map { old.path(of: $0) } ?? .application
      return NodeDifference(unreadable: path, error ?? Self.error("children of the node are damaged"))
    }
  }

  private func change(of oldIndex: Int, _ newIndex: Int) -> NodeDifference? {
    let kind = kind(of: oldIndex, newIndex)
    let found = differences[newIndex]
    guard kind != .changed || !found.subtracting(.carried).isEmpty else { return nil }
    let path = new.path(of: newIndex)
    let isSame = found.isDisjoint(with: [.contents, .unreadable])
    let (changes, failure) = Self.attempt { () throws(ArchiveError) in isSame ? [] : try valueChanges(oldIndex, newIndex) }
    return NodeDifference(
      kind: failure != nil && kind == .changed ? .unreadable : kind, path: path,
      oldPath: kind == .changed ? nil : old.path(of: oldIndex), type: Self.typeText(of: newIndex, in: new), nodeCount: 1, byteCount: 0,
      changes: changes, order: found.contains(.order) ? matching.orderChanges(oldIndex, newIndex) : [], error: failure)
  }

  private func change(of index: Int, _ count: Int, isOld: Bool) -> NodeDifference {
    let tree = isOld ? old : new
    var byteCount = 0
    visitUnmatched(below: index, isOld: isOld) { byteCount += Int(tree.record(of: $0)?.stateLength ?? 0) }
    let (changes, failure) = Self.attempt { () throws(ArchiveError) in
      let parts = try parts(of: index, in: tree)
      return isOld ? self.changes(from: parts, to: [:]) : self.changes(from: [:], to: parts)
    }
    return NodeDifference(
      kind: isOld ? .removed : .added, path: tree.path(of: index), oldPath: nil, type: Self.typeText(of: index, in: tree),
      nodeCount: count, byteCount: byteCount, changes: changes, order: [], error: failure)
  }

  /// Returns changes, or none and the error that hides them.
  private static func attempt(_ body: () throws(ArchiveError) -> [ValueChange]) -> ([ValueChange], ArchiveError?) {
    do throws(ArchiveError) { return (try body(), nil) } catch { return ([], error) }
  }

  private static func error(_ reason: String) -> ArchiveError {
    ArchiveError(.blockDamaged, "node", found: .text(reason))
  }

  /// Returns the error that hides a child of a node.
  private static func firstError(below index: Int, _ tree: ComparedTree) -> ArchiveError? {
    let (archive, path) = (tree.archive, tree.path(of: index))
    var first: ArchiveError?
    do throws(ArchiveError) {
      let node = try archive.node(index: index, path: path)
      node.visitChildren { child in
        if case .failure(let error) = child { first = first ?? error }
      }
    } catch {
      return error
    }
    return first
  }

  private static func typeText(of index: Int, in tree: ComparedTree) -> String? {
    tree.record(of: index).flatMap { tree.type(of: $0) }?.text.escapedForDisplay
  }
}

extension NodeDifference {
  init(unreadable path: RestorationPath, _ error: ArchiveError) {
    self.init(
      kind: .unreadable, path: path, oldPath: nil, type: nil, nodeCount: 1, byteCount: 0, changes: [], order: [], error: error)
  }
}

extension SectionChange {
  /// Compares a section of two archives; nil if they have the same content.
  fileprivate init?(_ left: SectionEntry?, _ right: SectionEntry?, in old: ArchiveRecords, _ new: ArchiveRecords) {
    var error: ArchiveError?
    if let left, let right {
      do throws(FormatError) {
        let (mine, theirs) = (try old.bytes(of: left), try new.bytes(of: right))
        if mine.storage.span.extracting(mine.range).isEqual(to: theirs.storage.span.extracting(theirs.range)) { return nil }
      } catch let failure {
        error = ArchiveError(failure)
      }
    }
    self.init(code: (left ?? right)?.code.text ?? "", oldByteCount: left?.length, newByteCount: right?.length, error: error)
  }
}
