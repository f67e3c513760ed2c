/// The tree of an app that is about to end, as it was when the app said so.
///
/// A framework may close windows while it quits. What goes away from then on counts as still there.
final class EndingTree {
  private let roots: [any Restorable]
  private let children: [ObjectIdentifier: [any Restorable]]
  /// The objects that were registered individually; kept alive.
  private let registered: [any Restorable]
  /// The objects that are in the tree now.
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

  /// Finds out which objects are still in the tree.
  func look(at roots: [any Restorable]) {
    live = IdentityTable()
    LiveWalk.visit(roots + registered, seen: &live) { _ in }
  }

  /// Returns the roots, with those that went away in their places.
  func roots(among now: [any Restorable]) -> [any Restorable] { completed(now, from: roots) }

  /// Returns the children of an object, with those that went away in their places.
  func children(of object: any Restorable) -> [any Restorable] {
    completed(object.restorationChildren, from: children[ObjectIdentifier(object)] ?? [])
  }

  private func completed(_ now: [any Restorable], from before: [any Restorable]) -> [any Restorable] {
    if before.isEmpty { return now }
    let present = Set(now.map { ObjectIdentifier($0) })
    // An object that is elsewhere in the tree was moved.
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
  public func cancelEnding() { ending = nil }
}
