import RestorationArchive

/// Finding what has changed since the last capture, instead of walking everything.
extension Capture {
  /// The children of an object, where they differ from those captured before.
  private struct Family {
    let parent: Int
    let children: [any Restorable]
    /// The identifiers of the children captured before.
    let before: [String]
  }

  /// Finds the objects to encode and the children that came, went or moved since the last capture.
  ///
  /// An object that does not promise to report its changes is visited each time, and encoded unless its class leaves the
  /// encoding to ``Restored`` properties that are unchanged. An object that promises it is visited if it reported one.
  ///
  /// - Throws: ``Irregular``.
  func findChanges() throws {
    guard let reported = application.changes?.signal.takeChanged(isCollecting: true) else { throw Irregular() }
    isWalked = true
    var families: [Family] = []
    var visited: [(object: any Restorable, number: Int)] = []
    compare(application.roots, under: -1, &families, &visited)
    for top in tree.unwatchedTops {
      if let object = tree.watchedObject(top) { visited.append((object, top)) }
    }
    try visitReported(reported, &families, &visited)
    while let (object, number) = visited.popLast() {
      let isRenamed = object.restorationIdentifier?.isSameText(as: tree[number].identifier) != true
      if isRenamed || object.restorationProvider != nil || !tree.isUnchanged(number, ObjectIdentifier(type(of: object))) {
        mark(object, number, isRenamed: isRenamed)
      }
      compare(object.restorationChildren, under: number, &families, &visited)
    }
    try addRenamed(to: &families)
    try follow(families)
  }

  /// Visits the objects that have reported a change, and the parents of those that are gone.
  private func visitReported(
    _ reported: Set<ObjectIdentifier>, _ families: inout [Family], _ visited: inout [(object: any Restorable, number: Int)]
  ) throws {
    var parents: Set<Int> = []
    for address in reported {
      guard let number = tree.number(at: address), tree[number].facts.isTracked else { continue }
      guard let object = tree.watchedObject(number) else {
        parents.insert(Int(tree[number].parent))
        continue
      }
      mark(object, number, isRenamed: object.restorationIdentifier?.isSameText(as: tree[number].identifier) != true)
      parents.insert(number)
    }
    for parent in parents.sorted() where parent >= 0 && tree[parent].facts.isTracked {
      if let object = tree.watchedObject(parent) {
        compare(object.restorationChildren, under: parent, &families, &visited)
      } else if !parents.contains(Int(tree[parent].parent)), tree[parent].parent >= 0 {
        // Its own parent must have lost it, and reported that.
        throw Irregular()
      }
    }
  }

  private func mark(_ object: any Restorable, _ number: Int, isRenamed: Bool) {
    tree[number].object = object
    changed.insert(number)
    if isRenamed { renamed.insert(number) }
  }

  /// Compares the children of an object with those captured before, and visits the untracked ones.
  @inline(__always)
  private func compare(
    _ children: [any Restorable], under parent: Int, _ families: inout [Family], _ visited: inout [(object: any Restorable, number: Int)]
  ) {
    var next = tree.firstChild(of: parent)
    var same = 0
    for child in children {
      guard next >= 0, tree.isObject(child, of: next) else { break }
      same += 1
      if !tree[next].facts.isTracked, parent < 0 || !tree[parent].facts.isTracked { visited.append((child, next)) }
      next = tree.nextSibling(of: next)
    }
    if same == children.count, next < 0 { return }
    families.append(Family(parent: parent, children: children, before: tree.childIdentifiers(of: parent)))
    // The rest of the list, where not every child was there before.
    for child in children.dropFirst(same) {
      guard let number = tree.number(of: child), tree.isObject(child, of: number), Int(tree[number].parent) == parent,
        !tree[number].facts.isTracked, parent < 0 || !tree[parent].facts.isTracked
      else { continue }
      visited.append((child, number))
    }
  }

  /// Adds the parents of renamed objects, whose children are then others.
  private func addRenamed(to families: inout [Family]) throws {
    var known = Set(families.map(\.parent))
    for number in renamed.sorted() where !tree[number].isRemoved {
      let parent = Int(tree[number].parent)
      guard known.insert(parent).inserted else { continue }
      var children: [any Restorable] = []
      if parent < 0 {
        children = application.roots
      } else if let object = tree[parent].object ?? tree.watchedObject(parent) {
        children = object.restorationChildren
      } else {
        throw Irregular()
      }
      families.append(Family(parent: parent, children: children, before: tree.childIdentifiers(of: parent)))
    }
  }

  /// Follows the children that came, went and moved.
  private func follow(_ families: [Family]) throws {
    // All removals first: an object that appears here may have left another parent.
    for family in families where !isGone(family) { removeLeavers(of: family) }
    for family in families where !isGone(family) { try addComers(to: family) }
    renamed = []
  }

  private func isGone(_ family: Family) -> Bool { family.parent >= 0 && tree[family.parent].isRemoved }

  /// Returns the number of a child that stays under its name.
  private func staying(_ child: any Restorable, under parent: Int) -> Int? {
    guard let number = tree.number(of: child), Int(tree[number].parent) == parent, !renamed.contains(number),
      tree[number].object === child || tree.isObject(child, of: number)
    else { return nil }
    return number
  }

  private func removeLeavers(of family: Family) {
    let staying = Set(family.children.compactMap { self.staying($0, under: family.parent) })
    var leavers: [Int] = []
    tree.visitChildren(of: family.parent) { if !staying.contains($0) { leavers.append($0) } }
    for leaver in leavers { remove(leaver) }
  }

  private func remove(_ top: Int) {
    var removed: [Int] = []
    tree.remove(top) { removed.append($0) }
    for number in removed {
      changed.remove(number)
      renamed.remove(number)
      // What refers to it has another path to store, or none.
      for referrer in tree.referrers(of: number) where !tree[referrer].isRemoved && !changed.contains(referrer) {
        if let object = tree.watchedObject(referrer) { mark(object, referrer, isRenamed: false) } else { isIrregular = true }
      }
      let path = tree.path(of: number)
      let before = orders[path]?.before ?? tree.childIdentifiers(of: number)
      if !before.isEmpty || orders[path] != nil { orders[path] = ChildOrder(before: before, after: nil) }
    }
    tree.forgetReferences(to: removed)
  }

  private func addComers(to family: Family) throws {
    var admitted: [Admitted] = []
    try admit(family.children, under: family.parent, to: &admitted)
    var numbers: [Int] = []
    for child in admitted.reversed() {
      if let number = staying(child.object, under: family.parent) {
        numbers.append(number)
        continue
      }
      let first = tree.numbers.upperBound
      try walk([child.object], under: family.parent)
      noteAdded(first..<tree.numbers.upperBound)
      if tree.numbers.upperBound > first { numbers.append(first) }
    }
    tree.setChildren(numbers, of: family.parent)
    note(family.parent, before: family.before, after: numbers)
    // Without children, a node without type and state is left out.
    if numbers.isEmpty, family.parent >= 0, !tree[family.parent].hasTag, !changed.contains(family.parent) { isIrregular = true }
  }

  /// Records the children of added nodes, which are in preorder.
  private func noteAdded(_ added: Range<Int>) {
    changed.formUnion(added)
    var children: [Int: [Int]] = [:]
    for number in added.dropFirst() { children[Int(tree[number].parent), default: []].append(number) }
    for number in added {
      tree.setChildren(children[number] ?? [], of: number)
      note(number, before: [], after: children[number] ?? [])
    }
  }

  /// Records the children of a node; what they were before this capture is kept if it was recorded already.
  private func note(_ parent: Int, before: [String], after: [Int]) {
    let path = tree.path(of: parent)
    orders[path] = ChildOrder(before: orders[path]?.before ?? before, after: after.map { tree[$0].identifier })
  }
}
