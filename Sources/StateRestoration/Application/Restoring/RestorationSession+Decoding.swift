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
    // What an upgrade of this build has moved to a new node is as this build has it.
    let isAdded = !state.value.tree.added.isEmpty && state.value.tree.added.contains(index)
    do {
      if answer.needsType, !isAdded { try upgrade(index, to: Swift.type(of: object).restorationType, at: path) }
      let coder = try decoder(of: index, at: path)
      announce(.decoding, index)
      defer { noteDroppedChildren(of: index, object) }
      try object.decodeRestorableState(with: coder)
      if let failure = partialFailures.removeValue(forKey: index) { return fail(index, failure) }
      if !isAdded, let known = ask(Swift.type(of: object), about: index).newerSchemaVersion, !coder.wasAskedForSchema {
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
