import RestorationArchive
import Storage

/// The second pass: the states of the objects.
extension PreservationRun {
  /// Encodes all objects, including those that join through references or register during encoding.
  func encodeObjects() throws {
    var count = 0
    skipQuarantined()
    repeat {
      try encodeObjects(from: count)
      count = state.value.nodes.count
      // The unclaimed state of newly registered objects is no longer pending, so it must be encoded here or it is lost.
    } while try takeInRegistered()
    for number in state.value.nodes.indices
    where state.value.nodes[number].isNeeded && state.value.nodes[number].written == nil && !state.value.nodes[number].isReplaced {
      _ = ensureWritten(number)
    }
  }

  private func encodeObjects(from first: Int) throws {
    // A local copy, because each access to a lazy property tests whether it is initialized.
    let writer = writer
    var open: [Int] = []
    var number = first
    while number < state.value.nodes.count {
      while let last = open.last, last != state.value.nodes[number].parent {
        close(last)
        open.removeLast()
      }
      try encode(number, with: writer)
      open.append(number)
      number += 1
    }
    for last in open.reversed() { close(last) }
  }

  /// Removes the node of an object that wrote nothing to the archive, after its descendants are done.
  private func close(_ number: Int) {
    guard !state.value.nodes[number].hasTag, let node = state.value.nodes[number].written, state.value.nodes[number].object != nil
    else { return }
    guard !state.value.nodes[number].isNeeded else {
      hasShells = hasShells || writer.isLastAndEmpty(node)
      return
    }
    if writer.removeIfLastAndEmpty(node) { state.value.nodes[number].written = nil }
  }

  private func encode(_ number: Int, with writer: ArchiveWriter) throws {
    // A placeholder gets a node only if a descendant needs one.
    guard let object = state.value.nodes[number].object, !isReplaced(number) else { return }
    var parent: ArchiveWriter.Node?
    if state.value.nodes[number].parent >= 0 {
      guard let written = ensureWritten(state.value.nodes[number].parent) else {
        state.value.nodes[number].isRefused = true
        return
      }
      parent = written
    }
    encodedNumber = number
    defer { encodedNumber = -1 }
    let kind = type(of: object)
    let tag = kind.restorationType
    state.value.nodes[number].hasTag = !tag.isEmpty
    if let session, let index = unboundEntry(of: object, in: session) { return keep(number, under: parent, entry: index) }
    do {
      let version = kind.restorationSchemaVersion
      if let session, let kept = unknownKeys(of: number, object, in: session) {
        try write(number, object, under: parent, tag.isEmpty ? nil : tag, version, keeping: kept)
        return
      }
      try writer.addNode(
        state.value.nodes[number].identifier, under: parent, type: tag.isEmpty ? nil : tag, schemaVersion: tag.isEmpty ? 0 : version,
        provider: object.restorationProvider, added: { state.value.nodes[number].written = $0 },
        encoding: { try object.encodeRestorableState(with: $0) })
    } catch {
      application.delegate?.didCatch(error, at: path(of: number))
      if options.isStrict { throw strict(error, path(of: number)) }
      keepPrevious(number, under: parent, after: error)
    }
  }

  /// Returns whether saved state is carried over in place of an object.
  private func isReplaced(_ number: Int) -> Bool {
    if state.value.nodes[number].isReplaced { return true }
    let parent = state.value.nodes[number].parent
    guard parent >= 0, state.value.nodes[parent].isReplaced else { return false }
    // The object was added while others were encoded.
    state.value.nodes[number].isReplaced = true
    return true
  }

  /// Returns the archive node of an object or placeholder, and creates it without state if necessary; nil if this
  /// fails.
  func ensureWritten(_ number: Int) -> ArchiveWriter.Node? {
    if let node = state.value.nodes[number].written { return node }
    if state.value.nodes[number].isRefused { return nil }
    if state.value.nodes[number].object == nil {
      // The unclaimed node at a placeholder takes its place, if there is one (R-3.5-1).
      carryOver(toPlace: number)
      if let node = state.value.nodes[number].written { return node }
    }
    var parent: ArchiveWriter.Node?
    if state.value.nodes[number].parent >= 0 {
      guard let written = ensureWritten(state.value.nodes[number].parent) else { return nil }
      parent = written
    }
    do {
      let node = try writer.addNode(state.value.nodes[number].identifier, under: parent)
      state.value.nodes[number].written = node
      // Siblings that belong after it may already be written.
      disordered.insert(state.value.nodes[number].parent)
      if state.value.nodes[number].object == nil {
        try writer.encode([:], of: node, attributes: [EngineAttribute.placeholder: true])
      }
      return node
    } catch {
      report(.lost, path(of: number), "it cannot be saved: \(ErrorText.text(of: error))")
      state.value.nodes[number].isRefused = true
      return nil
    }
  }

  // MARK: Previous state

  /// Returns the entry of an object that is being restored but not decoded yet: encoding it now would not yield its
  /// state.
  private func unboundEntry(of object: any Restorable, in session: RestorationSession) -> Int? {
    guard session.isRunning, let index = session.entry(boundTo: object),
      !session.progress[index].isConsumed
    else { return nil }
    return index
  }

  /// Saves the archived state of an entry for an object that has not decoded it yet.
  private func keep(_ number: Int, under parent: ArchiveWriter.Node?, entry: Int) {
    guard let session, let node = session.tree.node(of: entry) else { return }
    if let failure = copy(node, to: number, under: parent, origin: carriedOrigin(of: node)) {
      report(.lost, path(of: number), "its object is not restored yet, and its state cannot be kept: \(ErrorText.text(of: failure))")
    } else {
      report(.carriedOver, path(of: number), "its object is not restored yet")
    }
  }

  /// Saves the previous state of an object that failed to encode.
  private func keepPrevious(_ number: Int, under parent: ArchiveWriter.Node?, after error: any Error) {
    let path = path(of: number)
    if let node = state.value.nodes[number].written, writer.removeIfLastAndEmpty(node) { state.value.nodes[number].written = nil }
    guard let previous = previousNode(of: number, at: path) else {
      report(.failed, path, "encoding failed, and nothing was saved before: \(ErrorText.text(of: error))")
      if state.value.nodes[number].written == nil { _ = ensureWritten(number) }
      return
    }
    if let failure = copy(previous, to: number, under: parent, origin: previous.origin) {
      reportLost(path, after: error, because: failure)
    } else {
      report(.keptPrevious, path, "encoding failed, the previous state is kept: \(ErrorText.text(of: error))")
    }
  }

  private func previousNode(of number: Int, at path: RestorationPath) -> NodeReader? {
    if let former = application.formerObjects, let object = state.value.nodes[number].object, let known = former.number(of: object),
      former.path(of: known) == path, let captured = former.nodes[known].captured
    {
      return try? captured.archive.reader?.node(at: path)
    }
    if let saved = application.lastSaved?.reader { return try? saved.node(at: path) }
    guard let session, session.refusal == nil, !session.isForgotten, let index = session.entry(at: path), index > 0
    else { return nil }
    return session.tree.node(of: index)
  }

  /// Saves the contents of an archived node; on failure, saves an empty node and returns the error.
  private func copy(
    _ node: NodeReader, to number: Int, under parent: ArchiveWriter.Node?, origin: ArchiveOrigin?
  ) -> (any Error)? {
    do {
      let contents = try node.everything()
      // A node with encoded content cannot be removed, only filled.
      let written =
        try state.value.nodes[number].written
        ?? writer.addNode(
          state.value.nodes[number].identifier, under: parent, type: node.type, schemaVersion: node.schemaVersion, origin: origin)
      state.value.nodes[number].written = written
      state.value.nodes[number].isNeeded = true
      let attributes = storable(contents.attributes, at: path(of: number))
      try writer.encode(contents.state, of: written, provider: contents.provider, attributes: attributes)
      return nil
    } catch {
      if state.value.nodes[number].written == nil { _ = ensureWritten(number) }
      return error
    }
  }

  func strict(_ error: any Error, _ path: RestorationPath) -> RestorationError {
    RestorationError(.encodingFailed, path: path, "encoding failed: \(ErrorText.text(of: error))")
  }
}
