import RestorationArchive
import Storage

/// Objects that come while the archive is restored, or later.
extension RestorationSession {
  /// Restores the unclaimed state for an object that was registered, or came to a path, after restoring ended.
  ///
  /// - Returns: The state found for the object.
  func restoreRegistered(_ object: any Restorable, at path: RestorationPath? = nil) -> RegistrationResult {
    isRunning = true
    defer {
      isRunning = false
      release()
      forgetDeadResidents()
      announceEndAfterCalls()
    }
    let positions = restoreLate(object, at: path)
    restoreLateRegistrations(notifiesOthers: true)
    guard let positions else {
      object.applicationFinishedRestoringState(.none)
      application?.noteKeptStates(self, newcomer: object)
      return .none
    }
    withLiveness(below: object) { markUnadopted(at: positions, isLive: $0) }
    withLiveness(below: object) { noteResidents(at: positions, isLive: $0) }
    application?.noteKeptStates(self, newcomer: object)
    return progress[tree.order[positions.lowerBound]].outcome?.isSuccess == true ? .data : .failed
  }

  /// Restores the unclaimed state for objects registered during restoration, including those that register meanwhile.
  ///
  /// - Parameter notifiesOthers: Whether to notify objects without unclaimed state here.
  func restoreLateRegistrations(notifiesOthers: Bool) {
    var next = 0
    while next < lateRegistrations.count {
      let object = lateRegistrations[next]
      next += 1
      // The object was already bound when its path was reached.
      if entryNumbers[object] != nil { continue }
      if restoreLate(object) == nil, notifiesOthers { object.applicationFinishedRestoringState(.none) }
    }
    lateRegistrations = []
  }

  /// Restores the unclaimed state for an object and its descendants; nil if there is none.
  ///
  /// - Returns: The positions of the object's entry and its descendants.
  private func restoreLate(_ object: any Restorable, at known: RestorationPath? = nil) -> Range<Int>? {
    guard let path = known ?? application?.path(of: object, in: self), let index = entry(at: path), isPending(index),
      progress[index].outcome != .quarantined
    else { return nil }
    let positions = tree.entries[index].position..<tree.entries[index].end
    // Descendants that were skipped or deferred only because of this node are decided again.
    for position in positions.dropFirst() {
      let below = tree.order[position]
      switch progress[below].outcome {
      case .skipped(.ancestor), .later, .notAdopted: decideAgain(below)
      case .skipped(.superseded): if !tree.superseded.contains(below) { decideAgain(below) }
      case .restored, .located: if progress[below].isUnadopted { decideAgain(below) }
      default: break
      }
    }
    decideAgain(index)
    progress[index].rule = Self.liveRule
    errors[index] = nil
    bind(object, to: index, isLocated: true)
    resolveObjects(at: positions.dropFirst())
    decodeObjects(at: positions)
    finishObjects(at: positions)
    for position in positions {
      let index = tree.order[position]
      if progress[index].isConsumed { pendingContents[index] = nil }
    }
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
