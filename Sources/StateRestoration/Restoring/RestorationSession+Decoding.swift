import ArchiveFormat
import RestorationArchive

extension RestorationSession {
  /// Decodes the objects of the entries at positions in preorder.
  func decodeObjects(at positions: Range<Int>) {
    for position in positions {
      let index = state.value.tree.order[position]
      if let object = state.value.objects[index], state.value.progress[index].outcome == nil { decode(index, object) }
    }
  }

  private func decode(_ index: Int, _ object: any Restorable) {
    // Not before the end: what is saved from within the call is what was saved before.
    defer { state.value.progress[index].isConsumed = true }
    let answer = ask(Swift.type(of: object), about: index)
    if !answer.hasTag {
      state.value.progress[index].outcome = .notDecoded(.otherType)
      return
    }
    let reasons = object.restorationReasons
    // Nearly always all of them, which needs no hashing.
    if reasons.count < RestorationReason.all.count, !reasons.contains(options.launch.reason) {
      state.value.progress[index].outcome = .notDecoded(.reason)
      return
    }
    do {
      let coder = try decoder(of: index)
      announce(.decoding, index)
      try object.decodeRestorableState(with: coder)
      state.value.progress[index].outcome = state.value.progress[index].isLocated ? .located : .restored
      if answer.mayKeepKeys || state.value.tree.entries[index].facts.hasAttributes, let node = state.value.tree.node(of: index),
        let kept = KeptKeys(node, object: object)
      {
        keptKeys[node.path] = kept
      }
    } catch {
      fail(index, ErrorText.text(of: error))
    }
  }

  /// Tells the objects at positions that restoring has finished.
  func finishObjects(at positions: Range<Int>) {
    for position in positions {
      let index = state.value.tree.order[position]
      guard let object = state.value.objects[index], state.value.progress[index].outcome != .placeholder else { continue }
      announce(.finishing, index)
      object.applicationFinishedRestoringState(state.value.progress[index].outcome?.isSuccess == true ? .data : .failed)
    }
  }

  /// Reads the states that nobody took, so that they are there whatever becomes of the archive.
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
