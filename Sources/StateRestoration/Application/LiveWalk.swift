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
}
