import RestorationArchive

/// The children that came, went and moved.
extension ChangeRun {
  /// The children of an object, where they differ from those saved before.
  private struct Family {
    let parent: Int
    let children: [any Restorable]
    /// The identifiers of the children saved before.
    let before: [String]
  }

  /// Compares the children of objects, and follows those that differ.
  func follow(_ parents: Set<Int>) throws {
    let families = try differing(parents)
    if families.isEmpty { return }
    // All removals first: an object that appears here may have left another parent.
    for family in families { try removeLeavers(of: family) }
    for family in families where family.parent < 0 || !saved.nodes[family.parent].isRemoved { try addComers(to: family) }
  }

  private func differing(_ parents: Set<Int>) throws -> [Family] {
    var families: [Family] = []
    for parent in parents.sorted() {
      let children: [any Restorable]
      if parent < 0 {
        children = application.roots
      } else {
        guard !saved.nodes[parent].isRemoved else { continue }
        guard let object = saved.nodes[parent].object else {
          // Its own parent must have lost it.
          if parents.contains(saved.nodes[parent].parent) { continue }
          throw Irregular()
        }
        children = object.restorationChildren
      }
      if saved.areChildren(children, of: parent), !hasRenamedChild(parent) { continue }
      families.append(Family(parent: parent, children: children, before: saved.childIdentifiers(of: parent)))
    }
    return families
  }

  private func hasRenamedChild(_ parent: Int) -> Bool {
    renamed.contains { saved.nodes[$0].parent == parent && !saved.nodes[$0].isRemoved }
  }

  /// Returns the number of a child that stays under its name.
  private func staying(_ child: any Restorable, under parent: Int) -> Int? {
    guard let number = saved.number(of: child), saved.nodes[number].parent == parent, !renamed.contains(number) else { return nil }
    return number
  }

  private func removeLeavers(of family: Family) throws {
    if family.parent >= 0, saved.nodes[family.parent].isRemoved { return }
    let staying = Set(family.children.compactMap { self.staying($0, under: family.parent) })
    var leavers: [Int] = []
    saved.visitChildren(of: family.parent) { if !staying.contains($0) { leavers.append($0) } }
    for leaver in leavers { remove(leaver) }
  }

  private func remove(_ top: Int) {
    var removed: [Int] = []
    saved.remove(top) { removed.append($0) }
    for number in removed {
      changed.remove(number)
      added.remove(number)
      renamed.remove(number)
      // What refers to it has another path to store, or none.
      changed.formUnion(saved.referrers(of: number))
      let path = saved.path(of: number)
      let before = orders[path]?.before ?? saved.childIdentifiers(of: number)
      if !before.isEmpty || orders[path] != nil { orders[path] = ChildOrder(before: before, after: nil) }
    }
    saved.forgetReferences(to: removed)
  }

  private func addComers(to family: Family) throws {
    var numbers: [Int] = []
    var names: Set<IdentifierKey> = []
    for child in family.children {
      let number = try staying(child, under: family.parent) ?? addTree(child, under: family.parent)
      guard names.insert(IdentifierKey(saved.nodes[number].identifier)).inserted else { throw Irregular() }
      numbers.append(number)
    }
    saved.setChildren(numbers, of: family.parent)
    note(family.parent, before: family.before, after: numbers)
  }

  /// Adds an object and all below it.
  private func addTree(_ top: any Restorable, under parent: Int) throws -> Int {
    let first = try add(top, under: parent)
    var stack = [first]
    while let number = stack.popLast() {
      guard let object = saved.nodes[number].object else { throw Irregular() }
      var names: Set<IdentifierKey> = []
      var numbers: [Int] = []
      for child in object.restorationChildren {
        let added = try add(child, under: number)
        guard names.insert(IdentifierKey(saved.nodes[added].identifier)).inserted else { throw Irregular() }
        numbers.append(added)
      }
      saved.setChildren(numbers, of: number)
      note(number, before: [], after: numbers)
      stack += numbers
    }
    return first
  }

  private func add(_ object: any Restorable, under parent: Int) throws -> Int {
    // An object that is still elsewhere is saved there only, which the capture of everything reports.
    guard saved.number(of: object) == nil, let identifier = object.restorationIdentifier, (1...1024).contains(identifier.utf8.count),
      parent < 0 || saved.nodes[parent].depth < 256
    else { throw Irregular() }
    let number = saved.add(object, identifier, under: parent)
    changed.insert(number)
    added.insert(number)
    return number
  }

  /// Records the children of a node; what they were before this capture is kept if it was recorded already.
  private func note(_ parent: Int, before: [String], after: [Int]) {
    let path = saved.path(of: parent)
    orders[path] = ChildOrder(before: orders[path]?.before ?? before, after: after.map { saved.nodes[$0].identifier })
  }
}
