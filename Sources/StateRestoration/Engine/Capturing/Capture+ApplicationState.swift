import RestorationArchive

/// The application state, and the keys of newer builds that objects and the delegate do not know.
extension Capture {
  /// Asks the delegate whether to save, encodes the application state, and then determines the paths of all objects.
  ///
  /// A capture of changes leaves the paths as they were.
  func encodeApplication() throws -> SaveDecision {
    // Overrides the header passed by the app, which may come from an older archive.
    ApplicationSchema(version: 0).note(in: writer)
    guard let delegate = application.delegate else {
      if isOfEverything {
        carryApplicationState()
        try walk()
      }
      return .save
    }
    var decision = SaveDecision.save
    let session = self.session.flatMap { $0.holdsState ? $0 : nil }
    let (kept, unknown) = (session?.kept[0], session?.unknownApplicationKeys)
    // What the delegate writes is compared first, and its keys are known only after it has encoded.
    let target = kept == nil && unknown == nil ? writer : makeSeparateWriter()
    do {
      try target.encodeApplicationState { coder in
        decision = delegate.shouldSaveState(to: coder)
        // Throwing discards everything written so far.
        guard decision == .save, !isApplicationPending else { throw Stop() }
        guard UInt32(exactly: delegate.applicationSchemaVersion) != nil else {
          throw RestorationError(.encodingFailed, "a schema version is 0 to 2^32-1, and not \(delegate.applicationSchemaVersion)")
        }
        try delegate.willEncodeRestorableState(with: coder)
      }
      let apart = try target === writer ? nil : ArchiveReader(target.finish())
      if let kept {
        if !kept.isReplaced, kept.encoding == apart?.contentDigest { throw Stop() }
        replaceKeptApplicationState()
      }
      noteLateDelegate()
      let schema = ApplicationSchema(version: delegate.applicationSchemaVersion)
      if let apart {
        try write(apart.application().state(), schema, keeping: unknown)
      } else {
        schema.note(in: writer)
      }
    } catch is Stop {
      if decision != .save { return decision }
      carryApplicationState()
    } catch  where kept?.isReplaced == false {
      // A delegate that cannot encode now is not changed by that.
      delegate.didCatch(error, at: .application)
      if options.isStrict { throw strict(error, .application) }
      report(.keptPrevious, .application, "encoding failed, the saved state is still kept: \(ErrorText.text(of: error))")
      carryApplicationState()
    } catch {
      // The capture of everything reports the failure and keeps the previous state.
      guard isOfEverything else { throw Irregular() }
      try keepApplicationState(after: error)
    }
    if isOfEverything { try walkAgain() }
    return .save
  }

  private struct Stop: Error {}

  /// Reports saved state that waited for a delegate, and that the state of the one set since replaces.
  private func noteLateDelegate() {
    guard let session, session.holdsState, !session.hasNoApplicationState, session.kept[0] == nil,
      session.progress[0].outcome == .skipped(.noFactory)
    else { return }
    session.progress[0].isConsumed = true
    report(
      .superseded, .application,
      "the delegate was set after restoring and has not decoded the saved state: its own state is saved, and the file before is pinned "
        + "(`restoration store` lists it)")
  }

  /// Saves the application state together with the unknown keys that the delegate does not write itself.
  private func write(_ state: ArchiveDictionary, _ schema: ApplicationSchema, keeping kept: UnknownKeys?) throws {
    var (schema, contents, completed) = (schema, state, state)
    let keys = kept.map { completed.addMissing($0.state) } ?? []
    if let kept, !keys.isEmpty {
      if schema.keep(keys, of: kept.schema) {
        contents = completed
        report(.unknownKeys, .application, "keys that the delegate does not know are kept: \(keys.count)")
      } else {
        report(.lost, .application, "keys that the delegate does not know are dropped, because a header cannot list so many: \(keys.count)")
      }
    }
    for error in kept?.errors ?? [] where error.key.map({ state.entry(forKey: $0) == nil }) ?? true {
      report(.lost, .application, "what the delegate does not know cannot be read, and is dropped: \(ErrorText.text(of: error))")
    }
    try writer.encode(contents, of: nil)
    schema.note(in: writer)
  }

  /// Whether the application state of the archive that was, or is being, restored is unclaimed.
  private var isApplicationPending: Bool {
    guard let session, session.holdsState else { return false }
    return !session.progress[0].isConsumed && (session.isRunning || application.delegate == nil)
  }

  /// Carries over the unclaimed application state.
  private func carryApplicationState() {
    guard isApplicationPending || session?.kept[0]?.isReplaced == false, let node = session?.tree.node(of: 0) else { return }
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
    let session = self.session.flatMap { $0.holdsState ? $0 : nil }
    let last = application.lastSnapshot
    let previous: ArchiveDictionary?
    do {
      previous = try last.map { try $0.node(at: .application)?.state() } ?? session?.archive.application().state()
    } catch let failure {
      return reportLost(.application, after: error, because: failure)
    }
    report(
      .keptPrevious, .application,
      "encoding failed, \(previous == nil ? "nothing was saved before" : "the previous state is kept"): \(ErrorText.text(of: error))")
    guard let previous, let header = try last?.header ?? session?.archive.header else { return }
    try writer.encode(previous, of: nil)
    ApplicationSchema(of: header).note(in: writer)
  }

  // MARK: Unknown keys of objects

  /// Returns the keys that an object does not know, and that are preserved for a build that does.
  ///
  /// Those of an object that was restored in another open tree come with it.
  func unknownKeys(of object: any Restorable) -> UnknownKeys? {
    if application.unknownKeys.isEmpty, unknownKeysElsewhere.isEmpty { return nil }
    let key = ObjectIdentifier(object)
    if let found = application.unknownKeys[key], found.object === object { return found }
    guard let found = unknownKeysElsewhere[key], found.object === object else { return nil }
    application.unknownKeys[key] = found
    return found
  }

  /// Encodes an object together with the unknown keys that it does not write itself.
  func write(
    _ number: Int, _ object: any Restorable, under parent: ArchiveWriter.Node?, _ provider: ProviderReference?, keeping kept: UnknownKeys
  ) throws {
    let (tag, version) = type(of: object).savedType
    // The keys that the object writes are known only after it has encoded, but the attributes that list the unknown keys
    // are written before them.
    var contents = try separatelyEncoded(object, number).node(at: tree.path(of: number))?.state() ?? [:]
    let keys = contents.addMissing(kept.state)
    var attributes: ArchiveDictionary = [:]
    if !keys.isEmpty, kept.schema > type(of: object).restorationSchemaVersion {
      attributes[EngineAttribute.unknownKeysSchema] = .integer(kept.schema)
      attributes[EngineAttribute.unknownKeys] = .array(keys.map { .string($0) })
    }
    let written = try writer.addNode(tree[number].identifier, under: parent, type: tag, schemaVersion: version)
    tree[number].written = written
    try writer.encode(contents, of: written, provider: provider, attributes: attributes)
    reportUnreadable(kept, at: tree.path(of: number), but: contents)
    if !keys.isEmpty { report(.unknownKeys, tree.path(of: number), "keys that its object does not know are kept: \(keys.count)") }
  }

  /// Reports preserved entries that cannot be read, except for keys that the object has written itself.
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
}
