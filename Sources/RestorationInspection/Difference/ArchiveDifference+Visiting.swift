import ArchiveFormat
import RestorationArchive

extension ArchiveDifference {
  /// A step of the walk over both trees.
  enum Event {
    /// Two partners.
    case pair(old: Int, new: Int)
    /// A node of the new archive without a partner, with the number of such nodes in its subtree; or one that damage of
    /// the old archive may hide there.
    case added(Int, count: Int, isHidden: Bool)
    /// The same for a node of the old archive.
    case removed(Int, count: Int, isHidden: Bool)
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
    case (let oldRoot?, nil): body(.removed(oldRoot, count: unmatched(below: oldRoot, isOld: true), isHidden: false))
    case (nil, let newRoot?): walk(added: newRoot, isHidden: false, body)
    case (nil, nil): break
    }
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
        if !matching.isMatched(old: index) {
          body(.removed(index, count: unmatched(below: index, isOld: true), isHidden: isNewIncomplete))
        }
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
    body(.added(index, count: unmatched(below: index, isOld: false), isHidden: isHidden))
    var stack = new.childrenInSavedOrder(of: index).map(\.index).reversed() as [Int]
    while let child = stack.popLast() {
      if let partner = matching.partner(ofNew: child) {
        walk(partner, child, body)
      } else {
        stack += new.childrenInSavedOrder(of: child).map(\.index).reversed()
      }
    }
  }

  /// Returns the number of nodes without a partner that can be reached from a node through such nodes alone.
  private func unmatched(below index: Int, isOld: Bool) -> Int {
    var count = 0
    visitUnmatched(below: index, isOld: isOld) { _ in count += 1 }
    return count
  }

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
      for broken in references.brokenReferences(of: Int(owner)) {
        body(.brokenReference(BrokenReference(path: path, key: broken.key, target: broken.target)))
      }
    }
  }

  private func change(for event: Event) -> NodeDifference? {
    switch event {
    case .pair(let oldIndex, let newIndex): return change(of: oldIndex, newIndex)
    case .added(let index, let count, let isHidden):
      guard !isHidden else { return hidden(new.path(of: index), "the node may lie in a damaged part of the old archive") }
      return single(index, count, isOld: false)
    case .removed(let index, let count, let isHidden):
      guard !isHidden else { return hidden(old.path(of: index), "the node may lie in a damaged part of the new archive") }
      return single(index, count, isOld: true)
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
    var changes: [ValueChange] = []
    var failure: ArchiveError?
    if found.contains(.contents) || found.contains(.unreadable) {
      do throws(ArchiveError) {
        changes = try comparison.changes(of: oldIndex, newIndex)
      } catch {
        failure = error
      }
    }
    return NodeDifference(
      kind: failure != nil && kind == .changed ? .unreadable : kind, path: path,
      oldPath: kind == .changed ? nil : old.path(of: oldIndex), type: Self.typeText(of: newIndex, in: new), nodeCount: 1, byteCount: 0,
      changes: changes, order: found.contains(.order) ? NodeOrder(oldIndex, newIndex, matching).changes : [], error: failure)
  }

  private func single(_ index: Int, _ count: Int, isOld: Bool) -> NodeDifference {
    let tree = isOld ? old : new
    var byteCount = 0
    visitUnmatched(below: index, isOld: isOld) { byteCount += Int(tree.record(of: $0)?.stateLength ?? 0) }
    var failure: ArchiveError?
    var changes: [ValueChange] = []
    do throws(ArchiveError) {
      changes = isOld ? try comparison.changes(ofRemoved: index) : try comparison.changes(ofAdded: index)
    } catch {
      failure = error
    }
    return NodeDifference(
      kind: isOld ? .removed : .added, path: tree.path(of: index), oldPath: nil, type: Self.typeText(of: index, in: tree),
      nodeCount: count, byteCount: byteCount, changes: changes, order: [], error: failure)
  }

  private func hidden(_ path: RestorationPath, _ reason: String) -> NodeDifference {
    NodeDifference(unreadable: path, Self.error(reason))
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
    guard let type = tree.record(of: index).flatMap({ tree.type(of: $0) }) else { return nil }
    return type.schemaVersion == 0 ? type.tag.escapedForDisplay : "\(type.tag.escapedForDisplay) \(type.schemaVersion)"
  }
}

extension NodeDifference {
  init(unreadable path: RestorationPath, _ error: ArchiveError) {
    self.init(
      kind: .unreadable, path: path, oldPath: nil, type: nil, nodeCount: 1, byteCount: 0, changes: [], order: [], error: error)
  }
}
