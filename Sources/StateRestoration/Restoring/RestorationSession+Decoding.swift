import RestorationArchive

extension RestorationSession {
  /// Decodes the objects of the entries at positions in preorder.
  func decodeObjects(at positions: Range<Int>) {
    for position in positions {
      let index = tree.order[position]
      if let object = objects[index], progress[index].outcome == nil { decode(index, object) }
    }
  }

  private func decode(_ index: Int, _ object: any Restorable) {
    // Not before the end: what is saved from within the call is what was saved before.
    defer { progress[index].isConsumed = true }
    if let type = type(of: index), !type.isSameText(as: Swift.type(of: object).restorationType) {
      progress[index].outcome = .notDecoded(.otherType)
      return
    }
    if !object.restorationReasons.contains(options.launch.reason) {
      progress[index].outcome = .notDecoded(.reason)
      return
    }
    do {
      let coder = try decoder(of: index)
      announce(.decoding, index)
      try object.decodeRestorableState(with: coder)
      progress[index].outcome = progress[index].isLocated ? .located : .restored
      if let node = tree.entries[index].node, let kept = KeptKeys(node, object: object) { keptKeys[node.path] = kept }
    } catch {
      fail(index, ErrorText.text(of: error))
    }
  }

  /// Tells the objects at positions that restoring has finished.
  func finishObjects(at positions: Range<Int>) {
    for position in positions {
      let index = tree.order[position]
      guard let object = objects[index], progress[index].outcome != .placeholder else { continue }
      announce(.finishing, index)
      object.applicationFinishedRestoringState(progress[index].outcome?.isSuccess == true ? .data : .failed)
    }
  }

  /// Reads the states that nobody took, so that they are there whatever becomes of the archive.
  func readPendingContents() {
    for index in tree.order.dropFirst() where isPending(index) && pendingContents[index] == nil {
      guard let node = tree.entries[index].node else { continue }
      do {
        let contents = try node.everything()
        pendingContents[index] = PendingContents(provider: contents.provider, attributes: contents.attributes, state: contents.state)
      } catch {
        note(.lost, path(of: index), "its state cannot be carried over: \(ErrorText.text(of: error))")
      }
    }
  }
}
