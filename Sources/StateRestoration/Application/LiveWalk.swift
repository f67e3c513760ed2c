import RestorationArchive

/// Goes over live objects, each once, parents first.
enum LiveWalk {
  /// Calls `body` with objects and all below them; the depth of paths bounds how deep it goes.
  ///
  /// Objects in `seen` are passed over; those that are visited are put in.
  static func visit(_ roots: [any Restorable], seen: inout IdentityTable, _ body: (any Restorable) -> Void) {
    // What is still to be visited, the next one last.
    var pending = roots.reversed().map { (object: $0, depth: 1) }
    while let (object, depth) = pending.popLast() {
      guard seen.insert(0, for: object) == nil else { continue }
      body(object)
      if depth >= 256 { continue }
      let children = object.restorationChildren
      for child in children.reversed() { pending.append((child, depth + 1)) }
    }
  }

  /// Objects and all below them by their paths; of those with the same path the first, with what lies below that.
  static func index(_ roots: [any Restorable]) -> [RestorationPath: any Restorable] {
    var index: [RestorationPath: any Restorable] = [:]
    var seen: Set<ObjectIdentifier> = []
    var stack = [(objects: roots, next: 0, path: RestorationPath.application)]
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
      stack.append((object.restorationChildren, 0, path))
    }
    return index
  }
}
