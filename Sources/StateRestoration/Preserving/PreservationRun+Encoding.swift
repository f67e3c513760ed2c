import ArchiveFormat
import RestorationArchive

extension PreservationRun {
  /// Asks the delegate whether to save, encodes the application state, and then determines the paths of all objects.
  func encodeApplication() throws -> SaveDecision {
    // Overrides the header passed by the app, which may come from an older archive.
    ApplicationSchema(version: 0).note(in: writer)
    guard let delegate = application.delegate else {
      carryApplicationState()
      try walk()
      return .save
    }
    let isQuarantined = carriesQuarantinedApplicationState()
    var decision = SaveDecision.save
    let kept = session.flatMap { $0.isForgotten ? nil : $0.unknownApplicationKeys }
    // The keys that the delegate writes are known only after it has encoded.
    let target = kept == nil ? writer : ArchiveWriter(userInfo: userInfo)
    do {
      try target.encodeApplicationState { coder in
        decision = delegate.shouldSaveState(to: coder)
        // Throwing discards everything written so far.
        guard decision == .save, !isApplicationPending, !isQuarantined else { throw Stop() }
        guard UInt32(exactly: delegate.applicationSchema) != nil else {
          throw RestorationError(.encodingFailed, "a schema version is 0 to 2^32-1, and not \(delegate.applicationSchema)")
        }
        try delegate.willEncodeRestorableState(with: coder)
      }
      let schema = ApplicationSchema(version: delegate.applicationSchema)
      if let kept {
        try write(ArchiveReader(target.finish()).application().state(), schema, keeping: kept)
      } else {
        schema.note(in: writer)
      }
    } catch is Stop {
      if decision != .save { return decision }
      carryApplicationState()
    } catch {
      try keepApplicationState(after: error)
    }
    try walkAgain()
    return .save
  }

  private struct Stop: Error {}

  /// Saves the application state together with the kept keys that the delegate does not write itself.
  private func write(_ state: ArchiveDictionary, _ schema: ApplicationSchema, keeping kept: UnknownApplicationKeys) throws {
    var schema = schema
    var contents = state
    let keys = kept.state.filter { state.entry(forKey: $0.key) == nil }.map(\.key)
    if !keys.isEmpty {
      if schema.keep(keys, of: kept.version) {
        for entry in kept.state where state.entry(forKey: entry.key) == nil {
          contents[entry.key] = entry.value
          contents.setSensitive(entry.isSensitive, forKey: entry.key)
        }
        report(.unknownKeys, .application, "\(keys.count) keys that the delegate does not know are kept")
      } else {
        report(.lost, .application, "\(keys.count) keys that the delegate does not know are more than a header can list, and are dropped")
      }
    }
    for error in kept.errors where error.key.map({ state.entry(forKey: $0) == nil }) ?? true {
      report(.lost, .application, "what the delegate does not know cannot be read, and is dropped: \(ErrorText.text(of: error))")
    }
    try writer.encode(contents, of: nil)
    schema.note(in: writer)
  }

  /// Whether the application state of the archive that was, or is being, restored is unclaimed.
  private var isApplicationPending: Bool {
    guard let session, session.refusal == nil, !session.isForgotten else { return false }
    return !session.progress[0].isConsumed && (session.isRunning || application.delegate == nil)
  }

  /// Carries over the unclaimed application state.
  private func carryApplicationState() {
    guard isApplicationPending || session?.quarantine[0]?.isEnded == false, let node = session?.tree.node(of: 0) else { return }
    do {
      try writer.encode(try node.state(), of: nil)
      session?.applicationSchema.note(in: writer)
    } catch {
      report(.lost, .application, "it cannot be carried over: \(ErrorText.text(of: error))")
    }
  }

  private func keepApplicationState(after error: any Error) throws {
    application.delegate?.didCatch(error, at: .application)
    if options.isStrict { throw strict(error, .application) }
    let session = self.session.flatMap { $0.refusal == nil && !$0.isForgotten ? $0 : nil }
    let archive = application.lastSaved?.reader ?? session?.archive
    let previous: ArchiveDictionary?
    do {
      previous = try archive?.application().state()
    } catch let failure {
      return reportLost(.application, after: error, because: failure)
    }
    report(
      .keptPrevious, .application,
      "encoding failed, \(previous == nil ? "nothing was saved before" : "the previous state is kept"): \(ErrorText.text(of: error))")
    guard let archive, let previous else { return }
    try writer.encode(previous, of: nil)
    ApplicationSchema(of: archive.header).note(in: writer)
  }

  /// Reports the loss of previous state that can be neither encoded again nor kept.
  private func reportLost(_ path: RestorationPath, after error: any Error, because failure: any Error) {
    let texts = (ErrorText.text(of: error), ErrorText.text(of: failure))
    report(.lost, path, "encoding failed: \(texts.0); and what was saved before cannot be kept: \(texts.1)")
  }

  func strict(_ error: any Error, _ path: RestorationPath) -> RestorationError {
    RestorationError(.encodingFailed, path: path, "encoding failed: \(ErrorText.text(of: error))")
  }

  // MARK: Second pass

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
    guard !state.value.nodes[number].hasTag, let node = state.value.nodes[number].written, !state.value.nodes[number].isNeeded,
      state.value.nodes[number].object != nil
    else { return }
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
    let kind = type(of: object)
    let tag = kind.restorationType
    state.value.nodes[number].hasTag = !tag.isEmpty
    if let session, let index = unboundEntry(of: object, in: session) { return keep(number, under: parent, entry: index) }
    do {
      guard let version = UInt32(exactly: kind.restorationSchema) else {
        throw RestorationError(.encodingFailed, "a schema version is 0 to 2^32-1, and not \(kind.restorationSchema)")
      }
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
    guard let previous = previousNode(at: path) else {
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

  private func previousNode(at path: RestorationPath) -> NodeReader? {
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

  // MARK: Keys of newer builds

  private func unknownKeys(of number: Int, _ object: any Restorable, in session: RestorationSession) -> UnknownKeys? {
    guard !session.isForgotten, !session.unknownKeys.isEmpty, let found = session.unknownKeys[path(of: number)]
    else { return nil }
    return found.object === object ? found : nil
  }

  /// Encodes an object together with the kept keys that it does not write itself.
  private func write(
    _ number: Int, _ object: any Restorable, under parent: ArchiveWriter.Node?, _ tag: String?, _ version: UInt32, keeping kept: UnknownKeys
  ) throws {
    // The keys that the object writes are known only after it has encoded, but the attributes that list the kept keys
    // are written before them.
    let provider = object.restorationProvider
    var contents = try separatelyEncodedState(by: object, at: path(of: number))
    var keys: [ArchiveValue] = []
    for entry in kept.state where contents.entry(forKey: entry.key) == nil {
      contents[entry.key] = entry.value
      contents.setSensitive(entry.isSensitive, forKey: entry.key)
      keys.append(.string(entry.key))
    }
    var attributes: ArchiveDictionary = [:]
    if !keys.isEmpty, kept.schema > version {
      attributes[EngineAttribute.unknownKeysSchema] = .integer(Int(kept.schema))
      attributes[EngineAttribute.unknownKeys] = .array(keys)
    }
    let written = try writer.addNode(
      state.value.nodes[number].identifier, under: parent, type: tag, schemaVersion: tag == nil ? 0 : version)
    state.value.nodes[number].written = written
    try writer.encode(contents, of: written, provider: provider, attributes: attributes)
    reportUnreadable(kept, at: path(of: number), but: contents)
    if !keys.isEmpty { report(.unknownKeys, path(of: number), "\(keys.count) keys that its object does not know are kept") }
  }

  /// Reports kept entries that cannot be read, except for keys that the object has written itself.
  private func reportUnreadable(_ kept: UnknownKeys, at path: RestorationPath, but written: ArchiveDictionary) {
    for error in kept.errors {
      let text = ErrorText.text(of: error)
      guard let key = error.key else {
        report(.lost, path, "what its object does not know cannot be read, and is dropped: \(text)")
        continue
      }
      if written.entry(forKey: key) != nil { continue }
      report(
        .lost, path, "the value under \(key.escapedForDisplay), which its object does not know, cannot be read, and is dropped: \(text)")
    }
  }

  /// Returns the encoded state of an object as a value.
  private func separatelyEncodedState(by object: any Restorable, at path: RestorationPath) throws -> ArchiveDictionary {
    let apart = ArchiveWriter(userInfo: userInfo)
    var node: ArchiveWriter.Node?
    for identifier in path.components { node = try apart.addNode(identifier, under: node) }
    if let node { try apart.encodeState(of: node) { try object.encodeRestorableState(with: $0) } }
    return try ArchiveReader(apart.finish()).node(at: path)?.state() ?? [:]
  }
}
