import RestorationArchive
import Storage

/// The order in which an archive is restored.
extension RestorationSession {
  /// Restores the archive; returns false if it was refused.
  ///
  /// All objects are found or made, and bound to their entries, before any is decoded; the application state is decoded after
  /// them, and objects are told last (Behaviours 17).
  func run() throws -> Bool {
    if let refusal = try decide() {
      self.refusal = refusal
      for index in tree.order { progress[index].outcome = .skipped(.refused) }
      return false
    }
    let all = 1..<tree.order.count
    resolveObjects(at: all)
    decodeObjects(at: all)
    try decodeApplication()
    finishObjects(at: all)
    return true
  }

  private func decide() throws -> RestorationPolicy.Refusal? {
    if let refusal = options.policy.refusal(of: archive.header, at: options.launch) { return refusal }
    guard let delegate = application?.delegate else { return nil }
    if options.quarantined.contains(.application), isQuarantined(0) { progress[0].outcome = .quarantined }
    if options.isUsersChoice { return nil }
    // Decisions are the delegate's even if its state ended the process before.
    let coder = try progress[0].outcome == .quarantined ? emptyDecoder() : applicationDecoder()
    announce(.creating, 0)
    let decision = delegate.shouldRestoreState(from: coder, launch: options.launch)
    return decision == .restore ? nil : RestorationPolicy.Refusal(reason: "declined by the delegate", decision: decision)
  }

  private func decodeApplication() throws {
    if errors[0] == nil, let error = tree.applicationError { errors[0] = ErrorText.text(of: error) }
    guard let delegate = application?.delegate else {
      progress[0].outcome =
        errors[0] != nil ? .failed : (tree.node(of: 0)?.stateByteCount ?? 0) == 0 ? .placeholder : .skipped(.noFactory)
      return
    }
    if progress[0].outcome == .quarantined { return }
    let coder = try applicationDecoder()
    announce(.decoding, 0)
    do {
      try delegate.didDecodeRestorableState(with: coder)
      if let failure = partialFailures.removeValue(forKey: 0) { return fail(0, failure) }
      let (saved, known) = (applicationSchema.version, delegate.applicationSchemaVersion)
      if errors[0] == nil, saved < known, !coder.wasAskedForSchema, tree.node(of: 0)?.stateByteCount ?? 0 > 0 {
        return noteMissingUpgrade(of: 0, from: saved, to: known, "applicationStateFrom: \(saved)")
      }
      progress[0].outcome = errors[0] == nil ? .restored : .failed
      progress[0].isConsumed = true
      if saved > known {
        note(.newerSchema, .application, "the application state was saved with schema version \(saved), and this build has \(known)")
      }
      unknownApplicationKeys = tree.node(of: 0).flatMap {
        UnknownKeys(ofApplication: $0, applicationSchema, known: delegate.applicationSchemaVersion, read: coder.readKeys)
      }
    } catch {
      fail(0, error)
    }
  }

  // MARK: Decoding

  /// Decodes the objects of the entries at positions in preorder.
  func decodeObjects(at positions: Range<Int>) {
    guard let first = positions.first else { return }
    let top = tree.entries[tree.order[first]].parent
    let depth = tree.entries[top].depth
    // The paths from the common parent down to the current entry.
    var paths = [path(of: top)]
    for position in positions {
      let index = tree.order[position]
      let above = tree.entries[index].depth - depth
      if paths.count > above { paths.removeLast(paths.count - above) }
      let place = LazyPath(paths[above - 1], tree.entries[index].identifier)
      if tree.entries[index].childCount > 0 { paths.append(place.path) }
      if let object = objects[index], progress[index].outcome == nil { decode(index, object, at: place) }
    }
  }

  private func decode(_ index: Int, _ object: any Restorable, at place: LazyPath) {
    var answer = ask(Swift.type(of: object), about: index)
    if !answer.hasTag { return noteOtherType(of: index, than: object) }
    let reasons = object.restorationReasons
    // Nearly always all reasons, which needs no hashing.
    if reasons.count < RestorationReason.all.count, !reasons.contains(options.launch.reason) {
      progress[index].outcome = .notDecoded(.reason)
      progress[index].isConsumed = true
      return
    }
    // What an upgrade has moved to a new node is as the build has it, also if its object comes in a later launch (R-3.5-9).
    let saved = tree.entries[index].facts
    let isMoved = saved.isSaved && saved.hasAttributes && tree.savedNode(of: index, at: place).has(EngineAttribute.moved)
    // An earlier attempt may have left one.
    if !partialFailures.isEmpty { partialFailures[index] = nil }
    do {
      if answer.needsType, !isMoved {
        announce(.decoding, index, tellsObserver: false)
        try upgrade(index, to: Swift.type(of: object).restorationType)
        answer = ask(Swift.type(of: object), about: index)
        // An upgrade may have changed the type.
        if !answer.hasTag { return noteOtherType(of: index, than: object) }
      }
      let mayHaveUnknownKeys = answer.mayHaveUnknownKeys || tree.entries[index].facts.hasAttributes
      let coder = try decoder(of: index, at: place, recordsKeys: mayHaveUnknownKeys)
      announce(.decoding, index)
      defer { noteDroppedChildren(of: index, object) }
      try object.decodeRestorableState(with: coder)
      if !partialFailures.isEmpty, let failure = partialFailures.removeValue(forKey: index) { return fail(index, failure) }
      if !isMoved, saved.isSaved, let known = answer.newerSchemaVersion, !coder.wasAskedForSchema {
        let (saved, type) = (savedType(of: index).schemaVersion, Swift.type(of: object).restorationType)
        return noteMissingUpgrade(of: index, from: saved, to: known, "type: \(type.quotedForDisplay), from: \(saved)")
      }
      // Only now: a save from within the call must carry over the archived state.
      progress[index].restore()
      if let known = answer.olderSchemaVersion { noteNewerSchema(of: index, known: known, at: place.path) }
      if mayHaveUnknownKeys, tree.entries[index].facts.isSaved,
        let kept = UnknownKeys(tree.savedNode(of: index, at: place), object: object, read: coder.readKeys)
      {
        application?.unknownKeys[ObjectIdentifier(object)] = kept
      } else if application?.unknownKeys.isEmpty == false {
        application?.unknownKeys[ObjectIdentifier(object)] = nil
      }
    } catch {
      fail(index, error)
    }
  }

  private func noteOtherType(of index: Int, than object: any Restorable) {
    progress[index].outcome = .notDecoded(.otherType)
    let (saved, own) = (savedType(of: index).tag ?? "", Swift.type(of: object).restorationType)
    if !saved.isEmpty, !own.isEmpty {
      errors[index] = "if the type was renamed, add Alias(type: \(saved.quotedForDisplay), to: \(own.quotedForDisplay))"
    }
  }

  /// Records that no upgrade leads to the schema version of an object's class, or of the delegate for entry 0.
  func noteMissingUpgrade(of index: Int, from saved: Int, to version: Int, _ start: String) {
    progress[index].outcome = .notUpgraded
    errors[index] =
      "saved with schema version \(saved), and no upgrade leads to version \(version); "
      + "add Upgrade(\(start), to: \(version)) { state in … }"
  }

  /// Upgrades a state that was saved without a type: it counts as version 0 of the type that its object has.
  private func upgrade(_ index: Int, to type: String) throws {
    var pass = UpgradePass(resolver, of: archive)
    let schema = try pass.addType(type, toNodeOf: index, in: tree)
    pass.write(to: &tree)
    tree.setType(typeNumber(of: schema.type, schema.version), of: index)
  }

  /// Marks the children that existed when their parent began to decode, and that it has dropped.
  private func noteDroppedChildren(of index: Int, _ object: any Restorable) {
    guard let before = liveChildren[index], !before.isEmpty else { return }
    let children = Set(object.restorationChildren.map { ObjectIdentifier($0) })
    var child = tree.entries[index].firstChild
    while child >= 0 {
      if progress[child].isLocated, let known = objects[child], !children.contains(ObjectIdentifier(known)) {
        progress[child].isDropped = true
      }
      child = tree.entries[child].nextSibling
    }
  }

  /// Notes once for each type that a newer build has saved it.
  private func noteNewerSchema(of index: Int, known: Int, at path: RestorationPath) {
    guard typesOfNewerSchema.insert(tree.entries[index].facts.type).inserted else { return }
    let saved = savedType(of: index)
    let type = saved.tag.map { "type \($0.quotedForDisplay)" } ?? "an object without a type"
    note(.newerSchema, path, "\(type) was saved with schema version \(saved.schemaVersion), and this build has \(known)")
  }

  /// Notifies the objects at positions that restoring has finished.
  func finishObjects(at positions: Range<Int>) {
    for position in positions {
      let index = tree.order[position]
      guard let object = objects[index], progress[index].outcome != .placeholder else { continue }
      announce(.finishing, index)
      object.applicationFinishedRestoringState(progress[index].outcome?.isSuccess == true ? .data : .failed)
    }
  }

  /// Reads unclaimed states into memory, so that they do not depend on the archive.
  func readPendingContents() {
    for index in tree.order.dropFirst() where isPending(index) && pendingContents[index] == nil {
      let saved = tree.rewritten.contains(index) ? tree.archivedNode(of: index) : nil
      guard let node = saved ?? tree.node(of: index) else { continue }
      do {
        pendingContents[index] = try node.everything()
      } catch {
        note(.lost, path(of: index), "its state cannot be carried over: \(ErrorText.text(of: error))")
      }
    }
  }
}
