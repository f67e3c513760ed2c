import RestorationArchive

/// Goes over live objects, each once, parents first.
enum LiveWalk {
  /// Calls `body` with objects and all below them; the depth of paths bounds how deep it goes.
  ///
  /// Objects in `seen` are passed over; those that are visited are put in.
  static func visit(_ roots: [any Restorable], seen: inout Set<ObjectIdentifier>, _ body: (any Restorable) -> Void) {
    var stack = [(objects: roots, next: 0)]
    while let top = stack.last {
      guard top.next < top.objects.count else {
        stack.removeLast()
        continue
      }
      stack[stack.count - 1].next += 1
      let object = top.objects[top.next]
      guard seen.insert(ObjectIdentifier(object)).inserted else { continue }
      body(object)
      let children = stack.count < 256 ? object.restorationChildren : []
      if !children.isEmpty { stack.append((children, 0)) }
    }
  }

  /// Objects and all below them by their paths; of those with the same path the first.
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
      if index[path] == nil { index[path] = object }
      stack.append((object.restorationChildren, 0, path))
    }
    return index
  }
}
