public import RestorationArchive

extension RestorableApplication {
  /// Saves the state of all objects, and returns an archive and a report for the caller to write.
  ///
  /// Objects are encoded in path order, parents first. An object that throws keeps its previous state. Unclaimed state
  /// of the restored archive is carried over, with its original origin.
  ///
  /// Equal state produces an equal content digest.
  ///
  /// - Parameters:
  ///   - header: The header of the archive.
  ///   - options: The preservation options.
  /// - Returns: The archive, the changes since the previous capture (``PreservationOptions/Extent/changes``), or the
  ///   decision to keep or delete the previous state.
  /// - Throws: ``RestorationError`` if the saved state has been neither restored nor given up, or within another call of
  ///   this method; with
  ///   ``PreservationOptions/Duplicates/fail``, if two objects have the same path; in strict mode, if an object throws.
  ///   `ArchiveError` for a header that cannot be stored.
  public func preserve(header: ArchiveHeader, options: PreservationOptions = PreservationOptions()) throws -> Preservation {
    guard condition != .undecided || session?.isRunning == true else {
      throw RestorationError(
        .notRestoredYet, "saving now would replace state that was neither restored nor given up: restore or start fresh first")
    }
    guard !isPreserving else { throw RestorationError(.wrongTime, "state is not preserved from within preserving") }
    isPreserving = true
    defer {
      isPreserving = false
      formerObjects = nil
    }
    if let changes = try preserveChanges(header: header, options: options) { return changes }
    let run = PreservationRun(self, header: header, options: options)
    switch try run.encodeApplication() {
    case .keepPrevious:
      return outcome(.keepPrevious, [.init(kind: .notSaved, path: nil, message: "the delegate keeps the previous state")])
    case .forget:
      lastSaved = nil
      session?.isForgotten = true
      return hold(outcome(.forget, [.init(kind: .notSaved, path: nil, message: "the delegate wants nothing to be saved")]))
    case .save: break
    }
    try run.encodeObjects()
    run.carryOver()
    run.orderSiblings()
    let nodeCount = run.writer.nodeCount
    let encoded = try run.writer.finishEncodingDistinct(keepsNodes: nodeCount <= Self.maximumKeptNodes)
    writer = run.writer
    lastSaved = PreservedArchive(encoded, nodeCount: nodeCount)
    savedObjects = run.savedObjects()
    if options.verifiesChanges { verifiedState = try lastSaved?.bytes() }
    let report = PreservationReport(
      notes: run.notes, nodeCount: nodeCount, archive: lastSaved, budget: options.budget, quarantineChanges: run.quarantineChanges)
    return hold(
      Preservation(outcome: .archive, report: report, isDeferred: condition == .pending, place: savedObjects?.place))
  }

  /// Captures what has changed; nil if everything has to be captured.
  private func preserveChanges(header: ArchiveHeader, options: PreservationOptions) throws -> Preservation? {
    let known = savedObjects
    savedObjects = nil
    formerObjects = known
    guard options.extent == .changes else { return nil }
    observeChanges()
    guard let known, !known.isWorn, !known.place.chain.isBroken, registered.isEmpty, session?.isSettled ?? true else {
      _ = changes?.signal.takeChanged(isCollecting: true)
      return nil
    }
    do {
      let run = try ChangeRun(self, known, header: header, options: options)
      let (captured, decision) = try run.capture()
      guard let captured else {
        if !run.isPrepared { savedObjects = known }
        if decision == .keepPrevious {
          return outcome(.keepPrevious, [.init(kind: .notSaved, path: nil, message: "the delegate keeps the previous state")])
        }
        return nil
      }
      if options.verifiesChanges { try verify(captured, header: header, options: options) }
      savedObjects = known
      let report = PreservationReport(notes: run.notes, nodeCount: known.count, archive: nil)
      return Preservation(outcome: .changes, report: report, isDeferred: false, changes: captured)
    } catch is ChangeRun.Irregular {
      _ = changes?.signal.takeChanged(isCollecting: true)
      return nil
    }
  }

  /// Starts to record which objects have changed, for an app whose changes nothing else observes.
  private func observeChanges() {
    guard changes == nil else { return }
    let signal = ChangeSignal { _ in }
    changes = ChangeTracking(signal: signal)
    UnclaimedChanges.use()
    ownSignal = SignalRegistration(signal)
  }

  /// The largest node count for which the writer is kept until the next save; a limit on its memory.
  private static let maximumKeptNodes = 4096

  private func outcome(_ outcome: PreservationOutcome, _ notes: [PreservationReport.Note]) -> Preservation {
    Preservation(
      outcome: outcome, report: PreservationReport(notes: notes, nodeCount: 0, archive: nil),
      isDeferred: condition == .pending && (outcome != .keepPrevious || deferredPreservation != nil))
  }

  /// Defers a save while the state is pending; the newest replaces earlier ones, even if it may be written at once.
  private func hold(_ preservation: Preservation) -> Preservation {
    deferredPreservation = condition == .pending ? preservation : nil
    return preservation
  }
}
