import RestorationArchive
import Storage

extension RestorationSession {
  /// Decodes the objects of the entries at positions in preorder.
  func decodeObjects(at positions: Range<Int>) {
    guard let first = positions.first else { return }
    let top = state.value.tree.entries[state.value.tree.order[first]].parent
    let depth = state.value.tree.entries[top].depth
    // The paths from the common parent down to the current entry.
    var paths = [path(of: top)]
    for position in positions {
      let index = state.value.tree.order[position]
      let above = state.value.tree.entries[index].depth - depth
      if paths.count > above { paths.removeLast(paths.count - above) }
      let path = paths[above - 1].appending(state.value.tree.entries[index].identifier)
      if state.value.tree.entries[index].childCount > 0 { paths.append(path) }
      if let object = state.value.objects[index], state.value.progress[index].outcome == nil { decode(index, object, at: path) }
    }
  }

  private func decode(_ index: Int, _ object: any Restorable, at path: RestorationPath) {
    let answer = ask(Swift.type(of: object), about: index)
    if !answer.hasTag {
      state.value.progress[index].outcome = .notDecoded(.otherType)
      let (saved, own) = (savedType(of: index).tag ?? "", Swift.type(of: object).restorationType)
      if !saved.isEmpty, !own.isEmpty {
        errors[index] = "if the type was renamed, add Alias(type: \(saved.quotedForDisplay), to: \(own.quotedForDisplay))"
      }
      return
    }
    let reasons = object.restorationReasons
    // Nearly always all reasons, which needs no hashing.
    if reasons.count < RestorationReason.all.count, !reasons.contains(options.launch.reason) {
      state.value.progress[index].outcome = .notDecoded(.reason)
      state.value.progress[index].isConsumed = true
      return
    }
    do {
      if answer.needsType { try upgrade(index, to: Swift.type(of: object).restorationType, at: path) }
      let coder = try decoder(of: index, at: path)
      announce(.decoding, index)
      defer { noteDroppedChildren(of: index, object) }
      try object.decodeRestorableState(with: coder)
      if let failure = partialFailures.removeValue(forKey: index) { return fail(index, failure) }
      if let known = ask(Swift.type(of: object), about: index).newerSchemaVersion, !coder.wasAskedForSchema {
        let (saved, type) = (savedType(of: index).schemaVersion, Swift.type(of: object).restorationType)
        return noteMissingUpgrade(of: index, from: saved, to: known, "type: \(type.quotedForDisplay), from: \(saved)")
      }
      state.value.progress[index].outcome = state.value.progress[index].isLocated ? .located : .restored
      // Only now: a save from within the call must carry over the archived state.
      state.value.progress[index].isConsumed = true
      if let known = answer.olderSchemaVersion { noteNewerSchema(of: index, known: known, at: path) }
      let facts = state.value.tree.entries[index].facts
      if facts.isSaved, answer.mayHaveUnknownKeys || facts.hasAttributes,
        let kept = UnknownKeys(state.value.tree.savedNode(of: index, at: path), object: object)
      {
        unknownKeys[path] = kept
      }
    } catch {
      fail(index, error)
    }
  }

  /// Records that no upgrade leads to the schema version of an object's class, or of the delegate for entry 0.
  func noteMissingUpgrade(of index: Int, from saved: Int, to version: Int, _ start: String) {
    state.value.progress[index].outcome = .notUpgraded
    errors[index] =
      "saved with schema version \(saved), and no upgrade leads to version \(version); "
      + "add Upgrade(\(start), to: \(version)) { state in … }"
  }

  /// Upgrades a state that was saved without a type: it counts as version 0 of the type that its object has.
  private func upgrade(_ index: Int, to type: String, at path: RestorationPath) throws {
    var pass = UpgradePass(resolver, of: archive)
    let version = try pass.addType(type, toNodeOf: index, in: tree)
    pass.write(to: &state.value.tree)
    state.value.tree.setType(typeNumber(of: type, version), of: index)
  }

  /// Marks the children that existed when their parent began to decode, and that it has dropped.
  private func noteDroppedChildren(of index: Int, _ object: any Restorable) {
    guard let before = state.value.liveChildren[index], !before.isEmpty else { return }
    let children = Set(object.restorationChildren.map { ObjectIdentifier($0) })
    var child = state.value.tree.entries[index].firstChild
    while child >= 0 {
      if state.value.progress[child].isLocated, let known = state.value.objects[child], !children.contains(ObjectIdentifier(known)) {
        state.value.progress[child].isDropped = true
      }
      child = state.value.tree.entries[child].nextSibling
    }
  }

  /// Notes once for each type that a newer build has saved it.
  private func noteNewerSchema(of index: Int, known: Int, at path: RestorationPath) {
    guard typesOfNewerSchema.insert(state.value.tree.entries[index].facts.type).inserted else { return }
    let saved = savedType(of: index)
    let type = saved.tag.map { "type \($0.quotedForDisplay)" } ?? "an object without a type"
    note(.newerSchema, path, "\(type) was saved with schema version \(saved.schemaVersion), and this build has \(known)")
  }

  /// Notifies the objects at positions that restoring has finished.
  func finishObjects(at positions: Range<Int>) {
    for position in positions {
      let index = state.value.tree.order[position]
      guard let object = state.value.objects[index], state.value.progress[index].outcome != .placeholder else { continue }
      announce(.finishing, index)
      object.applicationFinishedRestoringState(state.value.progress[index].outcome?.isSuccess == true ? .data : .failed)
    }
  }

  /// Reads unclaimed states into memory, so that they do not depend on the archive.
  func readPendingContents() {
    for index in state.value.tree.order.dropFirst() where isPending(index) && pendingContents[index] == nil {
      guard let node = state.value.tree.node(of: index) else { continue }
      do {
        let contents = try node.everything()
        pendingContents[index] = PendingContents(provider: contents.provider, attributes: contents.attributes, state: contents.state)
      } catch {
        note(.lost, path(of: index), "its state cannot be carried over: \(ErrorText.text(of: error))")
      }
    }
  }
}

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
    return state.value.progress[state.value.tree.order[positions.lowerBound]].outcome?.isSuccess == true ? .data : .failed
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
      if state.value.boundEntries[object] != nil { continue }
      if restoreLate(object) == nil, notifiesOthers { object.applicationFinishedRestoringState(.none) }
    }
    lateRegistrations = []
  }

  /// Restores the unclaimed state for an object and its descendants; nil if there is none.
  ///
  /// - Returns: The positions of the object's entry and its descendants.
  private func restoreLate(_ object: any Restorable, at known: RestorationPath? = nil) -> Range<Int>? {
    guard let path = known ?? application?.path(of: object, in: self), let index = entry(at: path), isPending(index),
      state.value.progress[index].outcome != .quarantined
    else { return nil }
    let positions = state.value.tree.entries[index].position..<state.value.tree.entries[index].end
    // Descendants that were skipped or deferred only because of this node are decided again.
    for position in positions.dropFirst() {
      let below = state.value.tree.order[position]
      switch state.value.progress[below].outcome {
      case .skipped(.ancestor), .later, .notAdopted: decideAgain(below)
      case .skipped(.superseded): if !state.value.tree.superseded.contains(below) { decideAgain(below) }
      case .restored, .located: if state.value.progress[below].isUnadopted { decideAgain(below) }
      default: break
      }
    }
    decideAgain(index)
    state.value.progress[index].rule = Self.liveRule
    errors[index] = nil
    bind(object, to: index, isLocated: true)
    resolveObjects(at: positions.dropFirst())
    decodeObjects(at: positions)
    finishObjects(at: positions)
    for position in positions {
      let index = state.value.tree.order[position]
      if state.value.progress[index].isConsumed { pendingContents[index] = nil }
    }
    return positions
  }

  /// Forgets the outcome of an entry whose state is still unclaimed.
  private func decideAgain(_ index: Int) {
    state.value.progress[index].outcome = nil
    state.value.progress[index].isUnadopted = false
    state.value.progress[index].isDropped = false
    (unadopted[index], kept[index]) = (nil, nil)
  }

  /// Calls `body` with a test for membership in the live tree; most tested objects are below `object`.
  private func withLiveness(below object: any Restorable, _ body: ((any Restorable) -> Bool) -> Void) {
    var live = IdentityTable()
    LiveWalk.visit([object], seen: &live) { _ in }
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
