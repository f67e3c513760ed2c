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
      if depth >= 256 { continue }
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
