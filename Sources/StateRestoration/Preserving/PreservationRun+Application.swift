import RestorationArchive

/// The application state.
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
        guard UInt32(exactly: delegate.applicationSchemaVersion) != nil else {
          throw RestorationError(.encodingFailed, "a schema version is 0 to 2^32-1, and not \(delegate.applicationSchemaVersion)")
        }
        try delegate.willEncodeRestorableState(with: coder)
      }
      let schema = ApplicationSchema(version: delegate.applicationSchemaVersion)
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

  /// Saves the application state together with the unknown keys that the delegate does not write itself.
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
        report(.unknownKeys, .application, "keys that the delegate does not know are kept: \(keys.count)")
      } else {
        report(.lost, .application, "keys that the delegate does not know are dropped, because a header cannot list so many: \(keys.count)")
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
    let archive = application.formerObjects?.last?.archive.reader ?? application.lastSaved?.reader ?? session?.archive
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

  /// Reports lost state: encoding the current state failed, and the previous state could not be kept either.
  func reportLost(_ path: RestorationPath, after error: any Error, because failure: any Error) {
    let texts = (ErrorText.text(of: error), ErrorText.text(of: failure))
    report(.lost, path, "encoding failed: \(texts.0); and what was saved before cannot be kept: \(texts.1)")
  }
}
