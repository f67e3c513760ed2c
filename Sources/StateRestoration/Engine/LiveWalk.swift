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
  /// The objects that are in the tree now, or in that of another archive.
  private var live = IdentityTable()

  init(_ roots: [any Restorable], registered: [any Restorable]) {
    self.roots = roots
    self.registered = registered
    var children: [ObjectIdentifier: [any Restorable]] = [:]
    var seen = IdentityTable()
    LiveWalk.visit(roots + registered, seen: &seen) { object in
      let below = object.restorationChildren
      if !below.isEmpty { children[ObjectIdentifier(object)] = below }
    }
    self.children = children
  }

  /// Finds out which objects are still in the tree, or in one of `others`, to which they have moved.
  func look(at roots: [any Restorable], and others: [RestorableTree]) {
    live = IdentityTable()
    LiveWalk.visit(roots + registered + others.flatMap { $0.roots + $0.registeredObjects }, seen: &live) { _ in }
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
    let stayed = before.filter { present.contains(ObjectIdentifier($0)) || live[$0] == nil }
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
    if ending == nil { ending = EndingTree(roots, registered: registeredObjects) }
  }

  /// Says that the app goes on after all, for example because the user has cancelled; what has left the tree is closed.
  public func cancelEnding() {
    let former = ending?.unregistered ?? []
    ending = nil
    for object in former { unregister(object) }
  }
}
