import RestorationArchive
import Storage

extension RestorationSession {
  /// Restores the archive, including the completion callbacks of its objects; returns false if it was refused.
  func run() throws -> Bool {
    if let refusal = try decide() {
      self.refusal = refusal
      for index in state.value.tree.order { state.value.progress[index].outcome = .skipped(.refused) }
      return false
    }
    let all = 1..<state.value.tree.order.count
    resolveObjects(at: all)
    decodeObjects(at: all)
    try decodeApplication()
    finishObjects(at: all)
    return true
  }

  private func decide() throws -> RestorationPolicy.Refusal? {
    if let refusal = options.policy.refusal(of: archive.header, at: options.launch) { return refusal }
    guard let delegate = application?.delegate else { return nil }
    if options.quarantined.contains(.application), isQuarantined(0) {
      state.value.progress[0].outcome = .quarantined
      return nil
    }
    let coder = try applicationDecoder()
    announce(.creating, 0)
    let decision = delegate.shouldRestoreState(from: coder, launch: options.launch)
    return decision == .restore ? nil : RestorationPolicy.Refusal("declined by the delegate", decision: decision)
  }

  private func decodeApplication() throws {
    if errors[0] == nil, let error = state.value.tree.applicationError { errors[0] = ErrorText.text(of: error) }
    guard let delegate = application?.delegate else {
      state.value.progress[0].outcome =
        errors[0] != nil ? .failed : (state.value.tree.node(of: 0)?.stateByteCount ?? 0) == 0 ? .placeholder : .skipped(.noFactory)
      return
    }
    if state.value.progress[0].outcome == .quarantined { return }
    state.value.progress[0].isConsumed = true
    let coder = try applicationDecoder()
    announce(.decoding, 0)
    do {
      try delegate.didDecodeRestorableState(with: coder)
      state.value.progress[0].outcome = errors[0] == nil ? .restored : .failed
      let (saved, known) = (applicationSchema.version, delegate.applicationSchemaVersion)
      if saved > known {
        note(.newerSchema, .application, "the application state was saved with schema version \(saved), and this build has \(known)")
      }
      unknownApplicationKeys = state.value.tree.node(of: 0).flatMap {
        UnknownApplicationKeys($0, schema: applicationSchema, known: delegate.applicationSchemaVersion)
      }
    } catch {
      fail(0, error)
    }
  }
}
