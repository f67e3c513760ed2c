import RestorationArchive

/// Traversal of live objects: each object once, parents first.
enum LiveWalk {
  /// Calls `body` with each object and its descendants, down to the depth limit of paths.
  ///
  /// Objects in `seen` are skipped, and visited objects are added to it.
  static func visit(_ roots: [any Restorable], seen: inout IdentityTable, _ body: (any Restorable) -> Void) {
    // A stack: the next object to visit is last.
    var pending = roots.reversed().map { (object: $0, depth: 1) }
    while let (object, depth) = pending.popLast() {
      guard seen.insert(0, for: object) == nil else { continue }
      body(object)
      if depth >= RestorationPath.maximumCount { continue }
      let children = object.restorationChildren
      for child in children.reversed() { pending.append((child, depth + 1)) }
    }
  }

  /// Returns objects and their descendants by path.
  ///
  /// If a path is taken, the later object and its descendants are skipped. `admit` selects the objects of each list.
  static func index(
    _ roots: [any Restorable], admit: ([any Restorable]) -> [any Restorable] = { $0 }
  ) -> [RestorationPath: any Restorable] {
    var index: [RestorationPath: any Restorable] = [:]
    var seen: Set<ObjectIdentifier> = []
    var stack = [(objects: admit(roots), next: 0, path: RestorationPath.application)]
    while let top = stack.last {
      guard top.next < top.objects.count else {
        stack.removeLast()
        continue
      }
      stack[stack.count - 1].next += 1
      let object = top.objects[top.next]
      guard let identifier = object.restorationIdentifier, RestorationPath.canAppend(identifier, at: top.path.count),
        seen.insert(ObjectIdentifier(object)).inserted
      else { continue }
      let path = top.path.appending(identifier)
      guard index[path] == nil else { continue }
      index[path] = object
      stack.append((admit(object.restorationChildren), 0, path))
    }
    return index
  }
}

/// The tree of an app that is about to end, as it was when the app said so.
///
/// A framework may close windows while it quits. What goes away from then on counts as still there.
final class EndingTree {
  private let roots: [any Restorable]
  private let children: [ObjectIdentifier: [any Restorable]]
  /// The objects that were registered individually; kept alive.
  private let registered: [any Restorable]
  /// The objects that the app has unregistered since.
  var unregistered: [any Restorable] = []
  /// The objects that are in the tree now.
  private var live = IdentityTable()
  /// The objects that may still move to the tree of another archive: those of this tree alone, which keeps them alive.
  private var own: Set<ObjectIdentifier> = []
  /// The objects that have moved there since.
  private var moved: Set<ObjectIdentifier> = []

  init(_ roots: [any Restorable], registered: [any Restorable], others: [RestorableTree]) {
    self.roots = roots
    self.registered = registered
    var children: [ObjectIdentifier: [any Restorable]] = [:]
    var own: Set<ObjectIdentifier> = []
    var seen = IdentityTable()
    LiveWalk.visit(roots + registered, seen: &seen) { object in
      own.insert(ObjectIdentifier(object))
      let below = object.restorationChildren
      if !below.isEmpty { children[ObjectIdentifier(object)] = below }
    }
    self.children = children
    Self.visit(others) { own.remove(ObjectIdentifier($0)) }
    self.own = own
  }

  private static func visit(_ trees: [RestorableTree], _ body: (any Restorable) -> Void) {
    var seen = IdentityTable()
    LiveWalk.visit(trees.flatMap { $0.roots + $0.registeredObjects }, seen: &seen, body)
  }

  /// Finds out which objects are still in the tree, and which have moved to one of `others`: that one may be closed before
  /// this one is looked at again.
  func look(at roots: [any Restorable], and others: [RestorableTree]) {
    live = IdentityTable()
    Self.visit(others) { if own.contains(ObjectIdentifier($0)) { moved.insert(ObjectIdentifier($0)) } }
    LiveWalk.visit(roots + registered, seen: &live) { moved.remove(ObjectIdentifier($0)) }
  }

  /// Returns the roots, together with former ones in their old places.
  func roots(among now: [any Restorable]) -> [any Restorable] { completed(now, from: roots) }

  /// Returns the children of an object, together with former ones in their old places.
  func children(of object: any Restorable) -> [any Restorable] {
    completed(object.restorationChildren, from: children[ObjectIdentifier(object)] ?? [])
  }

  private func completed(_ now: [any Restorable], from before: [any Restorable]) -> [any Restorable] {
    if before.isEmpty { return now }
    let present = Set(now.map { ObjectIdentifier($0) })
    // An object that is elsewhere was moved.
    let stayed = before.filter { object in
      let key = ObjectIdentifier(object)
      return present.contains(key) || live[object] == nil && !moved.contains(key)
    }
    let known = Set(before.map { ObjectIdentifier($0) })
    return stayed + now.filter { !known.contains(ObjectIdentifier($0)) }
  }
}

extension RestorableTree {
  /// Says that the app is about to end: what leaves the tree from now on is saved as still there.
  ///
  /// Frameworks close windows while an app quits, and an object that has left the tree counts as closed by the user. Call
  /// this first when the user quits; ``AppRestoration/beginEnding()`` does it for the app and its scenes.
  public func beginEnding() {
    if ending == nil { ending = EndingTree(roots, registered: registeredObjects, others: others?().map(\.tree) ?? []) }
  }

  /// Says that the app goes on after all, for example because the user has cancelled; what has left the tree is closed.
  public func cancelEnding() {
    let former = ending?.unregistered ?? []
    ending = nil
    for object in former { unregister(object) }
  }
}
