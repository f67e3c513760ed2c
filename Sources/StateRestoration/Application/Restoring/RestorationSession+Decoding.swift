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
    // Set at the end: a save from within the call must carry over the archived state.
    defer { state.value.progress[index].isConsumed = true }
    let answer = ask(Swift.type(of: object), about: index)
    if !answer.hasTag {
      state.value.progress[index].outcome = .notDecoded(.otherType)
      return
    }
    let reasons = object.restorationReasons
    // Nearly always all reasons, which needs no hashing.
    if reasons.count < RestorationReason.all.count, !reasons.contains(options.launch.reason) {
      state.value.progress[index].outcome = .notDecoded(.reason)
      return
    }
    do {
      let coder = try decoder(of: index, at: path)
      announce(.decoding, index)
      try object.decodeRestorableState(with: coder)
      state.value.progress[index].outcome = state.value.progress[index].isLocated ? .located : .restored
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
