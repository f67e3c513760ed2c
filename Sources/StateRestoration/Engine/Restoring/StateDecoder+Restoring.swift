public import RestorationArchive
import Storage

extension StateDecoder {
  var session: RestorationSession? { (context as? WeakSession)?.session }

  /// Returns the objects restored for the child nodes, in saved order.
  ///
  /// Objects of other types are omitted. The returned objects may not have been decoded yet. If the archive is restored
  /// into an app that runs already, because an offer was accepted, the live children that the archive lacks follow, and those beside
  /// which saved state is kept are at their places.
  ///
  /// - Parameters:
  ///   - type: The type of the objects.
  ///   - endsAtGap: Whether the list ends before the first node without an object, as a navigation stack requires; such nodes
  ///     are omitted otherwise. A node that was set aside (``RestorableTree/setAside(_:)``) is no gap.
  /// - Returns: The objects.
  /// - Throws: ``RestorationError`` if the coder does not come from the engine.
  @inlinable
  public func restoredChildren<Child>(of type: Child.Type = Child.self, endsAtGap: Bool = false) throws(RestorationError) -> [Child] {
    // Inlinable, so that the casts are specialized for the requested type.
    var children: [Child] = []
    try visitRestoredChildren(endsAtGap: endsAtGap) { object in
      if let child = object as? Child { children.append(child) }
    }
    return children
  }

  @usableFromInline
  func visitRestoredChildren(endsAtGap: Bool, _ body: (any Restorable) -> Void) throws(RestorationError) {
    guard let session, number >= 0 else { throw Self.noSession(path) }
    session.visitRestoredChildren(of: number, endsAtGap: endsAtGap, body)
  }

  /// Returns the object restored for the child node with an identifier; nil if there is none of this type.
  ///
  /// - Throws: ``RestorationError`` if the coder does not come from the engine.
  public func restoredChild<Child>(_ identifier: String, of type: Child.Type = Child.self) throws(RestorationError) -> Child? {
    guard let session, number >= 0 else { throw Self.noSession(path) }
    defer { session.endLookUp() }
    if let object = session.tree.child(identifier, of: number).flatMap({ session.restoredObject(of: $0) }) { return object as? Child }
    return session.liveChildren(lackedBy: number).first { $0.restorationIdentifier?.isSameText(as: identifier) == true } as? Child
  }

  /// Decodes a reference, and returns the object restored for the node at its path.
  ///
  /// The object may not have been decoded yet. The result is nil if null was stored, or if the node was not restored,
  /// for which the report gives the reason.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - type: The type of the object.
  /// - Returns: The object.
  /// - Throws: `absent-key`; `wrong-type`; ``RestorationError`` if the object has another type.
  public func decodeReference<Object>(forKey key: String, as type: Object.Type = Object.self) throws -> Object? {
    let target = try decodePath(forKey: key)
    let object: Object? = try target.flatMap { try self.object(at: $0, key: key) }
    noteReferences([target], areNil: [object == nil], forKey: key)
    return object
  }

  /// Decodes a reference, or returns nil if the key does not exist.
  ///
  /// - Throws: The errors of ``decodeReference(forKey:as:)``, except `absent-key`.
  public func decodeReferenceIfPresent<Object>(forKey key: String, as type: Object.Type = Object.self) throws -> Object? {
    containsValue(forKey: key) ? try decodeReference(forKey: key, as: type) : nil
  }

  /// Decodes references, in order; nil for a stored null or a node that was not restored.
  ///
  /// - Throws: The errors of ``decodeReference(forKey:as:)``.
  public func decodeReferences<Object>(forKey key: String, as type: Object.Type = Object.self) throws -> [Object?] {
    let targets = try decodePaths(forKey: key)
    let objects: [Object?] = try targets.map { try $0.flatMap { try object(at: $0, key: key) } }
    noteReferences(targets, areNil: objects.map { $0 == nil }, forKey: key)
    return objects
  }

  /// Records which references under a key were decoded as nil: null in their place would lose a target that waits.
  ///
  /// If the object has left the list that it was an element of, `list` names its class.
  package func noteReferences(_ targets: [RestorationPath?], areNil: [Bool], in list: String? = nil, forKey key: String) {
    // A key in a dictionary has nothing to do with the same one in the state.
    if !isInDictionary { session?.noteReferences(targets, areNil: areNil, in: list, of: number, key: key) }
  }

  private func object<Object>(at target: RestorationPath, key: String) throws -> Object? {
    guard let object = try restoredObject(at: target, forKey: key) else { return nil }
    guard let result = object as? Object else {
      throw RestorationError(
        .referenceType, path: path,
        "the reference \(key.quotedForDisplay) leads to \(target.textForDisplay), which is a \(Swift.type(of: object as Any)) "
          + "and no \(Object.self): decode it as \(Swift.type(of: object as Any)), or as a type that both have in common"
      )
    }
    return result
  }

  /// Returns the object restored at the path of a reference; if there is none, reports the reason and returns nil.
  package func restoredObject(at target: RestorationPath, forKey key: String) throws -> (any Restorable)? {
    guard let session else { throw Self.noSession(path) }
    return session.object(at: target, for: path, key: key, number)
  }

  private static func noSession(_ path: RestorationPath) -> RestorationError {
    RestorationError(.noSession, path: path, "objects are known only to coders that a running restoration hands out")
  }
}

extension RestorationSession {
  func visitRestoredChildren(of parent: Int, endsAtGap: Bool, _ body: (any Restorable) -> Void) {
    defer { endLookUp() }
    var index = tree.entries[parent].firstChild
    while index >= 0 {
      if let object = restoredObject(of: index) {
        body(object)
      } else if endsAtGap, !isSetAside(index) {
        break
      }
      index = tree.entries[index].nextSibling
    }
    for object in liveChildren(lackedBy: parent) { body(object) }
  }

  /// Returns the object that its parent gets for an entry.
  func restoredObject(of index: Int) -> (any Restorable)? {
    // Late, it may have been restored before its parent.
    objects[index] ?? (progress[index].isConsumed ? liveObject(atPath: path(of: index), isRegistered: false) : keptObject(of: index))
  }

  /// Returns the live children of an entry's object that nothing in the archive replaces, if it is restored into a running app.
  func liveChildren(lackedBy parent: Int) -> [any Restorable] {
    guard isMerging else { return [] }
    let children = parent == 0 ? application?.roots ?? [] : objects[parent]?.restorationChildren ?? []
    return children.filter { object in
      guard entryNumbers[object] == nil else { return false }
      guard let child = object.restorationIdentifier.flatMap({ self.tree.child($0, of: parent) }) else { return true }
      return objects[child] == nil && !progress[child].isConsumed && keptObject(of: child) !== object
    }
  }

  /// Returns the object beside which the state of an entry is kept, if it has been there since before the archive was restored into a
  /// running app: without it, that state would count as closed.
  private func keptObject(of index: Int) -> (any Restorable)? { isMerging ? kept[index]?.object : nil }

  /// Returns the object at the path of a reference; if there is none, reports the reason and returns nil.
  func object(at target: RestorationPath, for path: RestorationPath?, key: String?, _ number: Int = -1) -> (any Restorable)? {
    let entries = entries(atSaved: target, by: number), found = entries.first
    for index in entries { if let object = objects[index] { return object } }
    defer { endLookUp() }
    if let object = liveObject(atPath: found.map { self.path(of: $0) } ?? target, isRegistered: false) { return object }
    let outcome = found.flatMap { progress[$0].outcome?.name }
    let reason =
      found == nil
      ? "the archive has no node there" : outcome.map { "that node was not restored (\($0))" } ?? "that node has no object"
    let name = key.map { " \($0.quotedForDisplay)" } ?? ""
    note(.reference, path, "\(path == nil ? "a" : "its") reference\(name) to \(target.textForDisplay) is nil: \(reason)")
    return nil
  }

  /// Records the references of an object that it decoded as nil, in place of those of an earlier decoding.
  fileprivate func noteReferences(
    _ targets: [RestorationPath?], areNil: [Bool], in list: String?, of number: Int, key: String
  ) {
    guard number >= 0, let owner: AnyObject = number == 0 ? application?.delegate : objects[number] else { return }
    var found: [WaitingReference] = []
    for place in targets.indices where areNil[place] {
      found.append(WaitingReference(place: place, list: list, entry: targets[place].flatMap { entries(atSaved: $0, by: number).first }))
    }
    let hasTargets = found.contains { $0.entry != nil }
    if !hasTargets, waitingReferences[ObjectIdentifier(owner)] == nil { return }
    if waitingReferences[ObjectIdentifier(owner)]?.owner !== owner { waitingReferences[ObjectIdentifier(owner)] = nil }
    waitingReferences[ObjectIdentifier(owner), default: WaitingReferences(owner: owner)].references[TextKey(key)] =
      hasTargets ? found : nil
  }

  /// Returns the path of an entry that a reference is to lead to again, because its state waits, or waited when the reference was
  /// decoded; nil if it is gone.
  func pathOfWaiting(_ index: Int) -> RestorationPath? {
    isPending(index) || isOffered(index) || progress[index].isConsumed ? path(of: index) : nil
  }

  /// Returns the path of the entry that had a path when a reference to it was decoded, as above.
  func pathOfWaiting(at path: RestorationPath) -> RestorationPath? {
    let present = entry(at: path)
    if let present, isPending(present) { return path }
    return (entry(followedFrom: path) ?? present).flatMap { pathOfWaiting($0) }
  }

  /// Returns the path of a node of this build that was saved at a path, which an alias may have moved.
  func currentPath(ofSaved target: RestorationPath) -> RestorationPath { entries(atSaved: target).first.map { path(of: $0) } ?? target }

  /// Returns the entries that the target of a saved reference may mean, the best one first.
  ///
  /// An alias has not moved the second node where a path has two, and late that may be restored too.
  private func entries(atSaved target: RestorationPath, by number: Int = -1) -> [Int] {
    // State that was set aside in this launch has references to present paths.
    let followed = tree.replaced.contains(number) ? nil : entry(followedFrom: target)
    let found = followed ?? entry(atSaved: target)
    let second = entry(at: target).flatMap { $0 == found || tree.archivedPaths[$0] != nil ? nil : $0 }
    return [found, second].compactMap(\.self)
  }
}
