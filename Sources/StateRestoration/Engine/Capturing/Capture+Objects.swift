import RestorationArchive

/// The objects to save and their paths.
extension Capture {
  /// Determines the paths of all objects, if not done yet.
  func walk() throws {
    if isWalked { return }
    isWalked = true
    application.ending?.look(at: application.roots, and: application.others?().map(\.tree) ?? [])
    try walk(application.ending?.roots(among: application.roots) ?? application.roots, under: -1)
    registrationCount = 0
    _ = try takeInRegistered()
  }

  /// Adds the objects registered since the last call, and returns whether there were any.
  func takeInRegistered() throws -> Bool {
    guard application.registered.registrationCount > registrationCount else { return false }
    registrationCount = application.registered.registrationCount
    for (object, path) in application.registered.alive where tree.number(of: object) == nil {
      if let path { _ = try place(object, at: path) } else { _ = try place(object) }
    }
    return true
  }

  /// Determines the paths of all objects, again if done while the application state was encoded: objects may have come
  /// and gone since.
  func walkAgain() throws {
    let referred = tree.numbers.compactMap { tree[$0].isNeeded ? tree[$0].object : nil }
    if isWalked {
      // Notes of the walk are reported again; all others are kept.
      notes.removeAll { [.withoutIdentifier, .unusableIdentifier, .tooDeep, .twice, .duplicate].contains($0.kind) }
      isWalked = false
      tree.removeAll()
      disordered = []
    }
    try walk()
    for object in referred { _ = try path(of: object) }
  }

  /// Adds objects and their descendants, in preorder.
  func walk(_ objects: [any Restorable], under parent: Int) throws {
    // A stack: the next object to add is last.
    var pending: [Admitted] = []
    try admit(objects, under: parent, to: &pending)
    while let next = pending.popLast() {
      guard let number = add(next.object, next.identifier, under: next.parent) else { continue }
      let children = application.ending?.children(of: next.object) ?? Self.children(of: next.object)
      if !children.isEmpty { try admit(children, under: number, to: &pending) }
    }
  }

  /// Returns the children of an object.
  ///
  /// (Not inlined: the caller already holds the object, and inlining would add another retain.)
  @inline(never)
  private static func children(of object: any Restorable) -> [any Restorable] { object.restorationChildren }

  /// An object whose identifier is unique among the preceding siblings.
  struct Admitted {
    let object: any Restorable
    let identifier: String
    let fingerprint: UInt64
    let parent: Int
  }

  /// Adds an object; nil if it was already added, or is too deep.
  private func add(_ object: any Restorable, _ identifier: String, under parent: Int) -> Int? {
    let limit = RestorationPath.maximumCount
    guard Int(tree.depth(below: parent)) <= limit else {
      report(.tooDeep, tree.path(of: parent), "objects below it lie too deep to be saved: a path has at most \(limit) identifiers")
      return nil
    }
    if let number = tree.add(object, identifier, under: parent) { return number }
    if let other = tree.number(of: object) {
      let (first, second) = (tree.path(of: other), parentText(parent))
      let place = tree.isNode(parent, below: object) ? "\(second), which is below it" : second
      let message = "the object is also a child of \(place): it is saved at \(first.textForDisplay) only"
      report(.twice, first, "\(message), and the other place should refer to it")
    }
    return nil
  }

  func parentText(_ parent: Int) -> String { parent < 0 ? "the top" : tree.path(of: parent).textForDisplay }

  /// Pushes the objects with a unique identifier onto the pending stack, with the first one on top.
  func admit(_ objects: [any Restorable], under parent: Int, to pending: inout [Admitted]) throws {
    let start = pending.count
    let hasRivals = session?.rivals.isEmpty == false
    var places: [TextKey: Int] = [:]
    for object in objects {
      if hasRivals, let made = session?.rival(of: object, among: objects) {
        try reportDuplicate(object, made, made.restorationIdentifier ?? "", under: parent, saved: "restored")
        continue
      }
      guard let identifier = identifier(of: object, under: parent) else { continue }
      let fingerprint = identifier.fingerprint
      // Linear search is cheaper than hashing for a few objects.
      let first =
        objects.count <= 8
        ? Self.first(of: identifier, fingerprint, in: pending, from: start)
        : places.updateValue(pending.count, forKey: TextKey(identifier))
      if let first {
        if objects.count > 8 { places[TextKey(identifier)] = first }
        try reportTaken(object, identifier, by: pending[first])
        continue
      }
      pending.append(Admitted(object: object, identifier: identifier, fingerprint: fingerprint, parent: parent))
    }
    var (low, high) = (start, pending.count - 1)
    while low < high {
      pending.swapAt(low, high)
      low += 1
      high -= 1
    }
  }

  /// Returns the position of the first object with an identifier.
  private static func first(of identifier: String, _ fingerprint: UInt64, in pending: [Admitted], from start: Int) -> Int? {
    (start..<pending.count).first { pending[$0].fingerprint == fingerprint && pending[$0].identifier.isSameText(as: identifier) }
  }

  /// Reports an object whose identifier is taken, unless it is the same object.
  @inline(never)
  private func reportTaken(_ object: any Restorable, _ identifier: String, by first: Admitted) throws {
    // The same object listed twice is not a conflict.
    if first.object !== object { try reportDuplicate(first.object, object, identifier, under: first.parent) }
  }

  /// Returns the identifier of an object; if it has none that can be saved, reports this and returns nil.
  private func identifier(of object: any Restorable, under parent: Int) -> String? {
    let identifier = object.restorationIdentifier
    if let identifier, RestorationPath.isIdentifier(identifier) { return identifier }
    let fault = identifier.map { "an identifier of \($0.utf8.count) bytes (1 to 1,024 are possible)" } ?? "no identifier"
    report(
      identifier == nil ? .withoutIdentifier : .unusableIdentifier, parent < 0 ? nil : tree.path(of: parent),
      "a \(type(of: object)) below \(parentText(parent)) has \(fault), and is left out")
    return nil
  }

  /// Reports two objects with the same path.
  func reportDuplicate(
    _ first: any Restorable, _ second: any Restorable, _ identifier: String, under parent: Int, saved: String = "first"
  ) throws {
    let path = RestorationPath(validated: (parent < 0 ? [] : tree.path(of: parent).components) + [identifier])
    // Roots or children that are made anew each time they are asked for are two objects as well.
    let isOfOneClass = type(of: first) == type(of: second)
    let message =
      "\(owner(first)) and \(owner(second)) have the same path: the \(saved) one is saved, and the other is not, until each has an "
      + "identifier of its own\(isOfOneClass ? ", or they are one object that is returned each time" : "")"
    if options.failsOnDuplicates { throw RestorationError(.duplicatePath, path: path, message) }
    report(.duplicate, path, message)
    // While the app ends, the first one is that which was there.
    guard saved == "first", application.ending == nil else { return }
    // What was saved of the other one before it was renamed is in no later file.
    if let last = application.lastState(of: second), last.path != path {
      report(
        .superseded, last.path,
        "its object has the identifier of another one now, and the file before is pinned (`restoration store` lists it)")
    }
    guard duplicates[path] == nil else { return }
    duplicates[path] = WeakObject(object: first)
    // The state saved there may be that of the other one.
    guard application.duplicates[path]?.object !== first, application.lastState(of: first)?.path != path, previousNode(at: path) != nil
    else { return }
    report(.superseded, path, "another object has come to its path, and the file before is pinned (`restoration store` lists it)")
  }

  private func owner(_ object: any Restorable) -> String {
    let place = application.registered[object]?.place
    return "\(type(of: object))\(place.map { " registered at \($0)" } ?? "")"
  }

  // MARK: Objects outside the tree

  /// Adds an object that is not in its parent's children, below that parent, and returns its number.
  func place(_ object: any Restorable) throws -> Int? {
    if let number = tree.number(of: object) { return number }
    guard let identifier = object.restorationIdentifier, RestorationPath.canAppend(identifier, at: 0) else { return nil }
    let registered = application.registered[object]
    if let path = registered?.path { return try place(object, at: path) }
    // A closed object that another one still refers to has no place of its own.
    if registered == nil, object.restorationParent == nil { return nil }
    guard let parent = try ensureParent(of: object, depth: 1) else { return nil }
    return try place(object, identifier, under: parent)
  }

  /// Returns the number of the parent of an object, -1 for the top level; a placeholder if the parent is not saved itself.
  private func ensureParent(of object: any Restorable, depth: Int) throws -> Int? {
    guard let parent = object.restorationParent else { return -1 }
    if let number = tree.number(of: parent) { return number }
    if let path = application.registered[parent]?.path { return try place(parent, at: path) }
    guard let identifier = parent.restorationIdentifier, RestorationPath.canAppend(identifier, at: depth),
      let above = try ensureParent(of: parent, depth: depth + 1)
    else { return nil }
    return tree.number(of: identifier, under: above) ?? tree.addPlace(identifier, under: above)
  }

  private func place(_ object: any Restorable, at path: RestorationPath) throws -> Int? {
    guard let identifier = path.identifier else { return nil }
    return try place(object, identifier, under: tree.ensurePlaceholder(at: path.components.dropLast()))
  }

  private func place(_ object: any Restorable, _ identifier: String, under parent: Int) throws -> Int? {
    if let other = tree.number(of: identifier, under: parent) {
      if let first = tree[other].object {
        try reportDuplicate(first, object, identifier, under: parent)
        return nil
      }
      // So far only a placeholder.
      if tree[other].written == nil {
        tree.setObject(object, of: other)
        try fill(other, with: object.restorationChildren)
        return other
      }
      report(.duplicate, tree.path(of: other), "\(owner(object)) was added too late: only a placeholder is saved")
      return nil
    }
    guard let number = add(object, identifier, under: parent) else { return nil }
    tree[number].isListed = false
    disordered.insert(parent)
    try walk(object.restorationChildren, under: number)
    return number
  }

  /// Adds the children of an object that has taken the place of a placeholder, below which others may lie already.
  private func fill(_ place: Int, with children: [any Restorable]) throws {
    for child in children {
      if let identifier = child.restorationIdentifier, tree.number(of: child) == nil, tree.number(of: identifier, under: place) != nil {
        _ = try self.place(child, identifier, under: place)
      } else {
        try walk([child], under: place)
      }
    }
  }

  /// Records the node written for carried-over state, so that others can be below it.
  func adopt(_ identifier: String, under parent: Int, written: ArchiveWriter.Node) {
    let place = tree.number(of: identifier, under: parent) ?? tree.addPlace(identifier, under: parent)
    tree[place].written = written
    disordered.insert(parent)
  }
}

/// The search for changes since the last capture, which takes the place of a walk over everything.
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

  /// Records the children of a node; an earlier record keeps its children before this capture.
  private func note(_ parent: Int, before: [String], after: [Int]) {
    let path = tree.path(of: parent)
    orders[path] = ChildOrder(before: orders[path]?.before ?? before, after: after.map { tree[$0].identifier })
  }
}
