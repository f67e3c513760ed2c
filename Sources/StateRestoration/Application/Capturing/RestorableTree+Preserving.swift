public import RestorationArchive

extension RestorableTree {
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
  /// - Returns: The archive, or the decision to keep or delete the previous state.
  /// - Throws: ``RestorationError`` if the saved state has been neither restored nor given up, or within another call of
  ///   this method; with ``PreservationOptions/verifiesChanges``, if an object has changed without reporting it.
  ///   `ArchiveError` for a header that cannot be stored.
  public func preserve(header: ArchiveHeader, options: PreservationOptions = PreservationOptions()) throws -> Preservation {
    guard condition != .undecided || session?.isRunning == true else {
      throw RestorationError(
        .notRestoredYet, "saving now would replace state that was neither restored nor given up: restore or start fresh first")
    }
    guard !isPreserving else { throw RestorationError(.wrongTime, "state is not preserved from within preserving") }
    isPreserving = true
    defer { isPreserving = false }
    if session?.isRunning == false { session?.isFirstTurn = false }
    let known = captured
    captured = nil
    if options.encodesOnlyChanges { observeChanges() }
    if options.encodesOnlyChanges, let known, let preservation = try preserveChanges(since: known, header: header, options: options) {
      return preservation
    }
    return try preserveEverything(header: header, options: options)
  }

  private func preserveEverything(header: ArchiveHeader, options: PreservationOptions) throws -> Preservation {
    _ = changes?.signal.takeChanged(isCollecting: true)
    let capture = Capture(self, header: header, options: options)
    let (archive, decision) = try capture.everything()
    guard let archive else { return decline(decision) }
    let snapshot = Snapshot(archive, header: capture.writer.header)
    lastSnapshot = snapshot
    (lastNodeCount, duplicates) = (archive.nodeCount, capture.duplicates)
    if changes != nil { captured = capture.treeForChanges() }
    let earlier = session?.unreported
    session?.unreported = ([], [])
    let report = PreservationReport(
      notes: capture.notes + (earlier?.notes ?? []), nodeCount: archive.nodeCount, archive: archive, budget: options.budget,
      quarantineChanges: capture.quarantineChanges.union(earlier?.quarantineChanges ?? []))
    return hold(Preservation(.save, report: report, isDeferred: condition == .pending, snapshot: snapshot))
  }

  /// Captures the changes; nil if everything has to be captured.
  private func preserveChanges(
    since known: CapturedTree, header: ArchiveHeader, options: PreservationOptions
  ) throws -> Preservation? {
    guard !known.isWorn, registered.isEmpty, ending == nil, session?.isSettled ?? true, var snapshot = lastSnapshot,
      snapshot.changeCount < Snapshot.maximumChangeCount
    else { return nil }
    do {
      let capture = Capture(self, header: header, options: options, since: known)
      let (changes, decision) = try capture.changes()
      guard let changes else {
        if !capture.isWalked { captured = known }
        return decision == .save ? nil : decline(decision)
      }
      snapshot.add(changes, header: capture.writer.header)
      if options.verifiesChanges { try verify(snapshot, header: header, options: options) }
      (lastSnapshot, captured) = (snapshot, known)
      let report = PreservationReport(notes: capture.notes, nodeCount: known.count, archive: nil)
      return hold(Preservation(.save, report: report, isDeferred: condition == .pending, snapshot: snapshot))
    } catch is Capture.Irregular {
      return nil
    }
  }

  private func decline(_ decision: SaveDecision) -> Preservation {
    if decision == .keepPrevious {
      return preservation(.keepPrevious, [.init(kind: .notSaved, path: nil, message: "the delegate keeps the previous state")])
    }
    lastSnapshot = nil
    session?.isForgotten = true
    return hold(preservation(.forget, [.init(kind: .notSaved, path: nil, message: "the delegate wants nothing to be saved")]))
  }

  /// The number of nodes to expect: that of the previous archive, or 64 without one.
  var expectedNodeCount: Int { min(lastNodeCount ?? session?.archive.nodeCount ?? 64, 1 << 20) }

  /// Starts to record which objects have changed, for an app whose changes nothing else observes.
  private func observeChanges() {
    guard changes == nil else { return }
    let signal = ChangeSignal {}
    changes = ChangeTracking(signal: signal)
    UnclaimedChanges.use()
    ownSignal = SignalRegistration(signal)
  }

  // MARK: Verifying

  /// Compares a capture of changes with a capture of everything.
  ///
  /// - Throws: ``RestorationError`` if they differ: an object has changed without reporting it.
  private func verify(_ snapshot: Snapshot, header: ArchiveHeader, options: PreservationOptions) throws {
    var options = options
    options.encodesOnlyChanges = false
    guard let everything = try Capture(self, header: header, options: options).everything().archive?.bytes() else { return }
    let captured = try snapshot.bytes()
    guard captured != everything else { return }
    let known = try ArchiveTree(decoding: ArchiveReader(captured))
    let real = try ArchiveTree(decoding: ArchiveReader(everything))
    guard let path = Self.firstDifference(known.nodes, real.nodes, at: .application) else {
      throw RestorationError(.unreportedChange, "the captured changes give another archive than a capture of everything")
    }
    let object = LiveWalk.index(roots)[path].map { "the \(type(of: $0)) at" } ?? "the object at"
    throw RestorationError(
      .unreportedChange, path: path,
      "\(object) \(path.textForDisplay) tracks its changes, and has changed its state or its children without setNeedsSave()")
  }

  /// Returns the path of the first node that differs, or whose children do.
  private static func firstDifference(_ known: [ArchiveNode], _ real: [ArchiveNode], at path: RestorationPath) -> RestorationPath? {
    guard known.count == real.count else { return path }
    for (left, right) in zip(known, real) {
      guard left.identifier.isSameText(as: right.identifier) else { return path }
      var (bareLeft, bareRight) = (left, right)
      (bareLeft.children, bareRight.children) = ([], [])
      let below = path.appending(left.identifier)
      if bareLeft != bareRight { return below }
      if let difference = firstDifference(left.children, right.children, at: below) { return difference }
    }
    return nil
  }

  // MARK: Outcomes

  private func preservation(_ decision: SaveDecision, _ notes: [PreservationReport.Note]) -> Preservation {
    Preservation(
      decision, report: PreservationReport(notes: notes, nodeCount: 0, archive: nil),
      isDeferred: condition == .pending && (decision != .keepPrevious || deferredPreservation != nil))
  }

  /// Defers a save while the state is pending; the newest replaces earlier ones, even if it may be written at once.
  private func hold(_ preservation: Preservation) -> Preservation {
    deferredPreservation = condition == .pending ? preservation : nil
    return preservation
  }
}
