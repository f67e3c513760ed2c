import RestorationArchive
import Storage

/// The objects that exist already, by path and by identifier.
extension RestorationSession {
  /// Returns a live object that is already at the path of an entry.
  func liveObject(at index: Int) -> (any Restorable)? {
    let parent = tree.entries[index].parent
    if progress[parent].hasLiveChildren ?? lookUpLiveChildren(of: parent),
      let live = liveChildren[parent]?[TextKey(tree.entries[index].identifier)]
    {
      return live
    }
    return hasRegistered ? registeredObject(at: index) : nil
  }

  private func lookUpLiveChildren(of parent: Int) -> Bool {
    let object = objects[parent]
    guard parent == 0 || object != nil else { return false }
    let children = object?.restorationChildren ?? application?.roots ?? []
    if !children.isEmpty { liveChildren[parent] = Self.byIdentifier(children) }
    progress[parent].hasLiveChildren = !children.isEmpty
    return !children.isEmpty
  }

  private func registeredObject(at index: Int) -> (any Restorable)? {
    guard let application, !application.registered.isEmpty else { return nil }
    let registered = liveObject(atPath: path(of: index), isRegistered: true)
    // If the parent was bound only later, the path of the object is known only now.
    guard registered == nil, let parent = objects[tree.entries[index].parent] else { return registered }
    return registeredChildren[ObjectIdentifier(parent)]?[TextKey(tree.entries[index].identifier)]
  }

  /// Returns the live object at a path: a registered one, or, unless `isRegistered` is set, one reachable from the
  /// roots.
  func liveObject(atPath path: RestorationPath, isRegistered: Bool) -> (any Restorable)? {
    guard let application else { return nil }
    if !isRegistered, liveIndex == nil {
      // A registered object or its parents may have been bound since.
      registeredIndex = nil
      liveIndex = index(of: application.roots)
    }
    if registeredIndex == nil {
      (registeredIndex, registeredChildren) = ([:], [:])
      for (object, path) in application.registered.alive { addToRegisteredIndex(object, path, application) }
    }
    return registeredIndex?[path] ?? (isRegistered ? nil : liveIndex?[path])
  }

  /// Returns objects and their descendants by path, as they are saved.
  func index(of roots: [any Restorable]) -> [RestorationPath: any Restorable] {
    LiveWalk.index(roots) { objects in rivals.isEmpty ? objects : objects.filter { rival(of: $0, among: objects) == nil } }
  }

  func addToRegisteredIndex(_ object: any Restorable, _ path: RestorationPath?, _ application: RestorableTree) {
    if path == nil, let parent = object.restorationParent, let identifier = object.restorationIdentifier {
      let key = TextKey(identifier)
      if registeredChildren[ObjectIdentifier(parent)]?[key] == nil {
        registeredChildren[ObjectIdentifier(parent), default: [:]][key] = object
      }
    }
    if let path = application.path(of: object, in: self), registeredIndex?[path] == nil { registeredIndex?[path] = object }
  }

  private static func byIdentifier(_ objects: [any Restorable]) -> [TextKey: any Restorable] {
    var result: [TextKey: any Restorable] = [:]
    for object in objects {
      guard let identifier = object.restorationIdentifier else { continue }
      if result[TextKey(identifier)] == nil { result[TextKey(identifier)] = object }
    }
    return result
  }

  /// Releases everything that only restoring needs, so that it keeps no object alive.
  func release() {
    // This may release the last reference to an object. The objects are kept until all properties are consistent,
    // because their `deinit` can run other code.
    let (objects, replaced, late, lookUps, livePath) = (objects, replacedObjects, lateRegistrations, takeLookUps(), livePath)
    releaseEntryNumbers()
    (self.livePath, lateRegistrations) = (nil, [])
    (self.objects, replacedObjects) = ([(any Restorable)?](repeating: nil, count: objects.count), [])
    (lastRequest, keysOfFactories) = (nil, [:])
    withExtendedLifetime((objects, replaced, late, lookUps, livePath)) {}
  }

  /// Clears the lookup tables of live objects, so that they are built again.
  func forgetLookUps() { withExtendedLifetime(takeLookUps()) {} }

  /// Ends a look-up of a coder, which may be used later: the tables would then keep closed objects alive.
  func endLookUp() { if !isRunning { forgetLookUps() } }

  /// Clears the lookup tables, and returns their contents so that the caller releases them when all properties are
  /// consistent.
  private func takeLookUps() -> some Any {
    for index in progress.indices { progress[index].hasLiveChildren = nil }
    let taken = (liveChildren, liveIndex, registeredIndex, registeredChildren)
    (liveChildren, liveIndex, registeredIndex, registeredChildren) = ([:], nil, nil, [:])
    return taken
  }
}

extension RestorationSession {
  /// Marks the entries with an unadopted object, which is not in the live tree: one that was created for its entry, one
  /// that was dropped or replaced, and one below an unadopted entry.
  ///
  /// Its state is still unclaimed. An object that existed already and has left the tree without a successor was closed.
  ///
  /// - Parameters:
  ///   - positions: The entries, by position in preorder.
  ///   - isLive: Whether an object is in the live tree.
  func markUnadopted(at positions: Range<Int>, isLive: (any Restorable) -> Bool) {
    var isCurrent = false
    for position in positions {
      let index = tree.order[position]
      guard let object = objects[index], !isLive(object) else { continue }
      let isAbandoned =
        progress[index].isMade || progress[index].isDropped
        || progress[tree.entries[index].parent].isUnadopted
      if !isAbandoned {
        // Decoding may have replaced objects that were looked up earlier.
        if !isCurrent { forgetLookUps() }
        isCurrent = true
        guard liveObject(atPath: path(of: index), isRegistered: false) != nil else { continue }
        errors[index] =
          "another object has taken the place of its object; let restorationChildren, or the closure for the roots, return the same object "
          + "each time"
      }
      progress[index].isUnadopted = true
      progress[index].isConsumed = progress[index].outcome == .notDecoded(.reason)
      noteUnadopted(object, of: index)
      // An object with a parent is saved if another object refers to it, which is known only when saving.
      if object.restorationParent != nil { continue }
      let outcome = progress[index].outcome
      if outcome == .restored || outcome == .located { progress[index].outcome = .notAdopted }
    }
  }

  /// Returns the object that was made for the saved state at a path although another one was there, if both are in a list
  /// under one identifier: the state and the restored children belong to it.
  func rival(of live: any Restorable, among objects: [any Restorable]) -> (any Restorable)? {
    guard let known = rivals[ObjectIdentifier(live)], known.live.object === live, let made = known.made.object,
      let identifier = live.restorationIdentifier, made.restorationIdentifier?.isSameText(as: identifier) == true,
      objects.contains(where: { $0 === made })
    else { return nil }
    return made
  }

  /// Records the restored objects that stand in a list with one of `others` under one identifier, for example because a parent
  /// has made a second child.
  func noteRivals(among others: [any Restorable], _ roots: [any Restorable], _ registered: [any Restorable]) {
    if others.isEmpty { return }
    let unbound = Set(others.map { ObjectIdentifier($0) })
    func look(at objects: [any Restorable], below parent: (any Restorable)?) {
      let second = objects.filter { unbound.contains(ObjectIdentifier($0)) }
      if second.isEmpty || second.count == objects.count { return }
      let restored = Self.byIdentifier(
        objects.filter { object in
          guard let above = entry(boundTo: object).map({ tree.entries[$0].parent }) else { return false }
          return (above == 0) == (parent == nil) && self.objects[above] === parent
        })
      for live in second {
        if let made = live.restorationIdentifier.flatMap({ restored[TextKey($0)] }) { noteRival(made, of: live) }
      }
    }
    look(at: roots, below: nil)
    var seen = IdentityTable()
    LiveWalk.visit(roots + registered, seen: &seen) { look(at: $0.restorationChildren, below: $0) }
  }

  func noteRival(_ made: any Restorable, of live: any Restorable) {
    rivals[ObjectIdentifier(live)] = (WeakObject(object: live), WeakObject(object: made))
  }

  func noteUnadopted(_ object: any Restorable, of index: Int) {
    unadopted[index] = WeakObject(object: object)
    placeless[ObjectIdentifier(object)] = (WeakObject(object: object), index)
  }

  /// Returns the entry that an object stands for that is in no place: it was restored from it and not adopted, or set
  /// aside.
  func entry(ofPlaceless object: any Restorable) -> Int? {
    placeless[ObjectIdentifier(object)].flatMap { $0.object.object === object ? $0.entry : nil }
  }

  /// Records that an object whose state was unclaimed has come into the live tree after all; returns false if it did not
  /// take that state in.
  func noteAdopted(_ index: Int) -> Bool {
    switch progress[index].outcome {
    case .failed, .notUpgraded, .notDecoded: return false
    default: break
    }
    progress[index].isConsumed = true
    if progress[index].outcome == .notAdopted { progress[index].outcome = progress[index].isMade ? .restored : .located }
    progress[index].isUnadopted = false
    (pendingContents[index], unadopted[index]) = (nil, nil)
    return true
  }

  /// Records the objects that live at or above unclaimed state; that state is discarded when they are closed.
  ///
  /// - Parameters:
  ///   - positions: The entries, by position in preorder.
  ///   - isLive: Whether an object is currently in the live tree.
  func noteResidents(at positions: Range<Int>, isLive: (any Restorable) -> Bool) {
    guard positions.contains(where: { isPending(tree.order[$0]) }) else { return }
    // Decoding may have replaced objects that were looked up earlier; a replaced object was not closed.
    forgetLookUps()
    var seen: Set<Int> = []
    for position in positions {
      var index = tree.order[position]
      if !isPending(index) { continue }
      while index > 0, seen.insert(index).inserted {
        // Only an object that is in the tree now can leave it later.
        if let object = objects[index], isLive(object) {
          noteResident(object, at: index)
        } else if let object = liveObject(atPath: path(of: index), isRegistered: false), isLive(object) {
          // Looked up by path rather than as a child of a bound object: the parent's own node may be unclaimed too.
          noteResident(object, at: index)
        }
        index = tree.entries[index].parent
      }
    }
  }

  private func noteResident(_ object: any Restorable, at index: Int) {
    residents[index] = WeakObject(object: object)
    newResidents.insert(index)
    placed.remove(index)
  }

  /// Records the object that is at the path of an entry.
  func noteResident(_ object: any Restorable, atPathOf index: Int) {
    residents[index] = WeakObject(object: object)
    placed.insert(index)
  }

  /// Records the objects above state that is set aside at a path: it ends with them.
  func noteResidents(above path: RestorationPath, object: (RestorationPath) -> (any Restorable)?) {
    var above = path.parent
    while let next = above, !next.isEmpty {
      if let index = entry(at: next), let object = object(next) { noteResident(object, atPathOf: index) }
      above = next.parent
    }
  }

  /// Removes the newly recorded residents that only the restoration kept alive; they were not closed, and no state is kept
  /// beside them.
  func forgetDeadResidents() {
    for index in newResidents where residents[index]?.object == nil {
      residents[index] = nil
      if let state = kept[index], state.object == nil, !state.isReplaced { kept[index] = nil }
    }
    newResidents = []
  }

  /// Discards the state of a single entry.
  func discard(_ index: Int, as reason: RestorationOutcome.Skip) {
    kept[index] = nil
    progress[index].outcome = .skipped(reason)
    progress[index].rule = Self.noRule
    pendingContents[index] = nil
    errors[index] = nil
  }

  /// Discards the unclaimed state at a path and below it.
  ///
  /// - Returns: Whether there was any.
  func discardPending(at path: RestorationPath) -> Bool {
    // The current path takes precedence: if the target of an alias was taken, both paths have a node.
    guard let index = entry(at: path) ?? entry(atSaved: path), index > 0 else { return false }
    var hasDiscarded = false
    for position in tree.entries[index].position..<tree.entries[index].end {
      let index = tree.order[position]
      // An entry that already has an object is decoded by it.
      guard isPending(index), objects[index] == nil else { continue }
      discard(index, as: .gone)
      hasDiscarded = true
    }
    return hasDiscarded
  }
}

/// Objects that come while the archive is restored, or later.
extension RestorationSession {
  /// Restores the unclaimed state for an object that was registered, or came to a path, after restoring ended.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - tellsNone: Whether to tell the object if there is no state; not if it may have had some before.
  /// - Returns: The state found for the object.
  func restoreRegistered(_ object: any Restorable, tellsNone: Bool = true) -> RestoredState {
    isRunning = true
    defer {
      isRunning = false
      release()
      forgetDeadResidents()
      announceEndAfterCalls()
    }
    let positions = restoreLate(object)
    restoreLateRegistrations(notifiesOthers: true)
    guard let positions, let index = positions.first.map({ tree.order[$0] }) else {
      if tellsNone { object.applicationFinishedRestoringState(.none) }
      application?.noteKeptStates(self, newcomer: object)
      return .none
    }
    noteLate(object, at: positions)
    // Noting it has asked for children, which may register more.
    restoreLateRegistrations(notifiesOthers: true)
    if positions.contains(where: { isPending(tree.order[$0]) }) { application?.noteKeptStates(self, newcomer: object) }
    if progress[index].outcome == .placeholder {
      if tellsNone { object.applicationFinishedRestoringState(.none) }
      return .none
    }
    if progress[index].outcome?.isSuccess == true { return .data }
    if let line = makeReport(excessCompletions: 0).keptLine { application?.reportKept?(line) }
    return .failed
  }

  /// Records what a late object and those below it have taken in, and what still waits.
  private func noteLate(_ object: any Restorable, at positions: Range<Int>) {
    withLiveness(below: object) { markUnadopted(at: positions, isLive: $0) }
    for index in tree.order[positions] where progress[index].isConsumed { pendingContents[index] = nil }
    withLiveness(below: object) { noteResidents(at: positions, isLive: $0) }
  }

  /// Lets registered objects be restored late that were not reached, because the object above them waits.
  func deferRegistered(_ registered: [any Restorable]) {
    for object in registered where entryNumbers[object] == nil {
      guard let path = application?.path(of: object, in: self), let index = entry(at: path), isPending(index),
        tree.entries[index].parent > 0, objects[tree.entries[index].parent] == nil,
        progress[index].outcome == .later || progress[index].outcome == .skipped(.ancestor)
      else { continue }
      lateRegistrations.append(object)
    }
  }

  /// Restores the unclaimed state of objects registered during restoration, and of later ones until none is left.
  ///
  /// - Parameter notifiesOthers: Whether to notify objects without unclaimed state here.
  func restoreLateRegistrations(notifiesOthers: Bool) {
    var next = 0
    while next < lateRegistrations.count {
      let object = lateRegistrations[next]
      next += 1
      // The object was already bound when its path was reached.
      if entryNumbers[object] != nil { continue }
      let positions = restoreLate(object)
      // Of those before, the end of restoring does it for all at once.
      if notifiesOthers, let positions { noteLate(object, at: positions) }
      let isOfState = positions?.first.map { progress[tree.order[$0]].outcome != .placeholder } ?? false
      if !isOfState, notifiesOthers { object.applicationFinishedRestoringState(.none) }
    }
    lateRegistrations = []
  }

  /// Restores the unclaimed state for an object and its descendants; nil if there is none.
  ///
  /// - Returns: The positions of the object's entry and its descendants.
  private func restoreLate(_ object: any Restorable) -> Range<Int>? {
    // What an object has replaced by its own state, and has saved, is older than that.
    guard let path = application?.path(of: object, in: self), let index = entry(at: path), progress[index].outcome != .quarantined,
      !isReplaced(index)
    else { return nil }
    let positions = tree.entries[index].position..<tree.entries[index].end
    // It may have nothing of its own, and what waits below it was never below an object.
    let isPlaceholder =
      progress[index].outcome == .placeholder && positions.contains { isPending(tree.order[$0]) && !isReplaced(tree.order[$0]) }
    guard isPlaceholder || isPending(index) else { return nil }
    // Descendants that were skipped or deferred only because of this node are decided again.
    for position in positions.dropFirst() {
      let below = tree.order[position]
      // What an object has replaced by its own state is older than that.
      if isReplaced(below) { continue }
      switch progress[below].outcome {
      case .skipped(.ancestor), .later, .notAdopted: decideAgain(below)
      case .skipped(.noFactory): if isPlaceholder { decideAgain(below) }
      case .skipped(.superseded): if !tree.superseded.contains(below) { decideAgain(below) }
      case .restored, .located: if progress[below].isUnadopted { decideAgain(below) }
      default: break
      }
    }
    if isPlaceholder {
      objects[index] = object
    } else {
      decideAgain(index)
      progress[index].rule = Self.liveRule
      errors[index] = nil
      bind(object, to: index, isLocated: true)
    }
    resolveObjects(at: positions.dropFirst())
    decodeObjects(at: positions)
    finishObjects(at: positions)
    return positions
  }

  /// Forgets the outcome of an entry whose state is still unclaimed.
  private func decideAgain(_ index: Int) {
    progress[index].outcome = nil
    progress[index].isUnadopted = false
    progress[index].isDropped = false
    (unadopted[index], kept[index]) = (nil, nil)
  }

  /// Calls `body` with a test for membership in the live tree; most tested objects are below `object`, if that is given.
  func withLiveness(below object: (any Restorable)? = nil, _ body: ((any Restorable) -> Bool) -> Void) {
    var live = IdentityTable()
    if let object { LiveWalk.visit([object], seen: &live) { _ in } }
    // Nearly always all objects are below it; the entire tree is visited only if one is not.
    var isWhole = false
    body { object in
      if live[object] == nil, !isWhole, let application {
        isWhole = true
        LiveWalk.visit(application.roots + application.registeredObjects, seen: &live) { _ in }
      }
      return live[object] != nil
    }
  }
}
