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
        UnknownKeys(ofApplication: $0, applicationSchema, known: delegate.applicationSchemaVersion)
      }
    } catch {
      fail(0, error)
    }
  }
}
