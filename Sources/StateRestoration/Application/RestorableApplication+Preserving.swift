public import RestorationArchive

extension RestorableApplication {
  /// Saves the state of all objects: the result is an archive and a report, to be written wherever.
  ///
  /// Objects are asked in the order of their paths, parents first. One that throws keeps the state that it had before. State that nobody took
  /// when the app was restored is in the result again, under its own origin.
  ///
  /// The same state gives the same content digest.
  ///
  /// - Parameters:
  ///   - header: What the archive says about itself.
  ///   - options: How to preserve.
  /// - Returns: The archive, or that what was saved before stays or goes.
  /// - Throws: ``RestorationError`` if it is not decided yet what becomes of the saved state, for two objects with the same path if that is to
  ///   fail, for an object that throws if preserving is strict; `ArchiveError` for a header that cannot be stored.
  public func preserve(header: ArchiveHeader, options: PreservationOptions = PreservationOptions()) throws -> Preservation {
    guard condition != .undecided || session?.isRunning == true else {
      throw RestorationError(
        .notRestoredYet, "saving now would replace state that was neither restored nor given up: restore or start fresh first")
    }
    guard !isPreserving else { throw RestorationError(.wrongTime, "state is not preserved from within preserving") }
    isPreserving = true
    defer { isPreserving = false }
    let run = PreservationRun(self, header: header, options: options)
    switch try run.encodeApplication() {
    case .keepPrevious:
      return outcome(.keepPrevious, [.init(kind: .notSaved, path: nil, message: "the delegate wants what was saved before to stay")])
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
    let encoded = try run.writer.handOverDistinct(keepsNodes: nodeCount <= Self.mostKeptNodes)
    writer = run.writer
    lastSaved = PreservedArchive(encoded, nodeCount: nodeCount)
    let report = PreservationReport(
      findings: run.findings, nodeCount: nodeCount, archive: lastSaved, quarantineChanges: run.quarantineChanges)
    return hold(Preservation(outcome: .archive, report: report, isHeld: condition == .pending))
  }

  /// How many nodes a writer may go on to hold until the next save, for the memory that they take.
  private static let mostKeptNodes = 4096

  private func outcome(_ outcome: Preservation.Outcome, _ findings: [PreservationReport.Finding]) -> Preservation {
    Preservation(
      outcome: outcome, report: PreservationReport(findings: findings, nodeCount: 0, archive: nil),
      isHeld: condition == .pending && (outcome != .keepPrevious || heldPreservation != nil))
  }

  /// Keeps what was saved while the state is pending; the newest counts, also if it may be written at once.
  private func hold(_ preservation: Preservation) -> Preservation {
    heldPreservation = condition == .pending ? preservation : nil
    return preservation
  }
}
