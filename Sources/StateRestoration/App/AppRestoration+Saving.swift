public import RestorationArchive

extension AppRestoration {
  /// Reports a change to the app as a whole that is not observed, such as an object with its own encoding, or a new
  /// child.
  ///
  /// Returns immediately. Call it as often as changes occur.
  public func setNeedsSave() { schedule.noteChange(.application) }

  /// Captures changes before the app blocks its actor in a call such as `readLine`.
  ///
  ///     while true {
  ///       restoration.turn()
  ///       guard let line = readLine() else { break }
  ///       edit(line)
  ///     }
  ///
  /// Call it before the first wait too: an app that waits for input has launched successfully, so a kill no longer
  /// counts against its state, unless restoring is extended (``RestorationActivity``).
  ///
  /// Returns without waiting for the disk: another thread writes, 0.5 s after the last turn with changes and at most 5
  /// s after the first. If an edit must be on disk before the app responds, call ``saveNow()``.
  public func turn() {
    schedule.beginTurn()
    defer { schedule.endTurn() }
    for archive in openArchives { tree(of: archive)?.endFirstTurn() }
    handle(.turnEnded)
    store.noteTurn()
  }

  /// Saves all open archives and returns when they are on disk, unless the delegate keeps or forgets the previous state.
  ///
  /// An object that cannot encode its state keeps its previous one, and the others are saved: ``onPreserve`` gets the
  /// report, and ``AppConfiguration/reportProblem`` a line.
  ///
  /// - Throws: ``StoreError``; ``RestorationError`` before the launch, and while the files are inaccessible (the state
  ///   is then kept in memory).
  public func saveNow() throws {
    guard schedule.lifecycle.phase != .notRunning else { throw RestorationError(.notRestoredYet, "saving before launch()") }
    var mail: [(archive: ArchiveName, mail: Mail)] = []
    var isDeferred = false
    var number: UInt64?
    defer {
      if number == nil {
        store.mailboxes.post(mail)
        markAllChanged()
      }
    }
    for archive in openArchives {
      schedule.noteCapture(archive)
      guard let preservation = try preserve(archive) else { continue }
      isDeferred = isDeferred || preservation.isDeferred
      if let captured = preservation.mail(at: configuration.date()) { mail.append((archive, captured)) }
    }
    let posted = store.mailboxes.post(mail)
    number = posted
    schedule.noteAnswer()
    store.writeWaiting()
    if schedule.lifecycle.phase == .ended { store.endLaunch() }
    for (archive, _) in mail where try store.mailboxes.result(of: posted, archive)?.get() == .deferred { isDeferred = true }
    if isDeferred {
      throw RestorationError(.notRestoredYet, "the storage is not accessible yet; the state is kept in memory")
    }
  }

  /// Captures all open archives and waits until they are on disk or the time limit expires; also after the end.
  ///
  /// - Parameter time: The time limit for all archives together.
  /// - Returns: The worst outcome. Either the old or the new state is on disk, unless the delegate said to forget it.
  @discardableResult
  public nonisolated(nonsending) func flush(within time: Duration = .seconds(5)) async -> SaveOutcome {
    let deadline = clock.now + time.limited
    captureError = nil
    markAllChanged()
    let hasEnded = schedule.lifecycle.phase == .ended
    captureChanges(in: openArchives.filter { hasEnded || schedule.lifecycle.hasChanges($0) })
    let outcome = await written(by: deadline)
    // The lock that this save has taken again.
    if hasEnded { store.endLaunch() }
    return outcome
  }

  /// Says that the app is about to end: windows, scenes and objects that go away from now on are saved as still there.
  ///
  /// Frameworks close windows while an app quits. Call this before they do, when the user quits; the ends and signals call
  /// it themselves.
  ///
  ///     func quit() async {
  ///       restoration.beginEnding()
  ///       closeAllWindows()
  ///       await restoration.end()
  ///     }
  public func beginEnding() {
    isEnding = true
    for archive in openArchives { tree(of: archive)?.beginEnding() }
  }

  /// Says that the app goes on after all, for example because the user has cancelled: what has gone away is closed.
  ///
  /// Scenes that were closed meanwhile can be opened again with their state.
  public func cancelEnding() {
    isEnding = false
    for archive in openArchives { tree(of: archive)?.cancelEnding() }
    markAllChanged()
  }

  /// Saves, and records an orderly end of the process, so that the next launch is not treated as a recovery.
  ///
  /// Automatic saving stops. A second call saves what has changed since.
  ///
  /// - Parameter time: The time limit for writing to disk.
  /// - Returns: The worst outcome of the last saves.
  @discardableResult
  public nonisolated(nonsending) func end(within time: Duration = .seconds(5)) async -> SaveOutcome {
    guard schedule.lifecycle.phase != .ended else { return await flush(within: time) }
    let deadline = clock.now + time.limited
    captureError = nil
    beginEnding()
    handle(.terminate(within: time))
    let outcome = await written(by: deadline)
    finish()
    return outcome
  }

  /// Saves and records an orderly end synchronously, without a time limit, for apps that cannot end asynchronously.
  ///
  /// - Throws: The same errors as ``saveNow()``; the end is recorded even then.
  public func endNow() throws {
    guard schedule.lifecycle.phase != .ended else { return try saveNow() }
    beginEnding()
    defer {
      _ = schedule.handle(.terminate(within: .zero))
      finish()
    }
    try saveNow()
  }

  private func finish() {
    signals = nil
    for archive in Array(results.keys) { forget(archive) }
    store.endLaunch()
    input.finish()
  }

  /// Lets go of everything as the system does at the end of the process, for tests that simulate one: nothing more is
  /// saved, even by objects that live on, and another instance can open the store.
  package func abandon(as exit: LastExit) {
    signals = nil
    schedule.end()
    for archive in Array(results.keys) { forget(archive) }
    UnclaimedChanges.tell(schedule, nil)
    consumer?.cancel()
    input.finish()
    store.abandon(as: exit)
  }

  /// The open archives, starting with the app's.
  var openArchives: [ArchiveName] { [.application] + scenes.map(\.archive) }

  /// Waits for the saves of all archives under one deadline.
  private nonisolated(nonsending) func written(by deadline: Duration) async -> SaveOutcome {
    store.startWriting()
    var worst = captureError != nil ? SaveOutcome.failed : schedule.lifecycle.isStorageAvailable ? .unchanged : .deferred
    for archive in openArchives {
      guard let number = store.mailboxes.newest(of: archive) else { continue }
      let outcome = await store.mailboxes.outcome(of: number, archive) { [clock] in try await clock.sleep(until: deadline) }
      if outcome.severity > worst.severity { worst = outcome }
    }
    return worst
  }

  // MARK: Offers

  /// The open offers of the app and of each open scene, newest first in each: saved states that the user may restore.
  ///
  /// An offer stays open across launches until it is answered or a limit removes it (``StoreLimits/offered``).
  ///
  /// - Throws: ``StoreError``.
  public func offers() throws(StoreError) -> [StoreOffer] {
    var offers: [StoreOffer] = []
    for archive in openArchives { offers += try store.offers(of: archive) }
    return offers
  }

  /// Accepts an offer: restores its state into the running app, once everything that was restored before is stable.
  ///
  /// Suspends until then, so that a crash is charged to the offer alone. The current state is saved first and becomes an
  /// offer itself.
  ///
  /// - Parameters:
  ///   - offer: The offer.
  ///   - paths: The nodes to leave out, such as ``StoreOffer/suspects``; their state is kept.
  ///   - again: Whether to accept although accepted offers of this archive have ended the process twice in a row.
  /// - Returns: The report for each node.
  /// - Throws: ``StoreError``, in which case nothing is restored; ``RestorationError`` if the scene of the offer is not
  ///   open; `CancellationError` if the task is cancelled meanwhile.
  @discardableResult
  public nonisolated(nonsending) func restore(
    _ offer: StoreOffer, without paths: Set<RestorationPath> = [], again: Bool = false
  ) async throws -> RestorationReport {
    try store.expectOpen(offer.generation.number, of: offer.archive)
    try await waitUntilStable()
    return try accept(offer, without: paths, again: again)
  }

  /// Accepts an offer, as the asynchronous form does, without waiting.
  ///
  /// - Throws: The same errors; ``RestorationError/Code/wrongTime`` while anything that was restored before is not stable, in
  ///   which case nothing has changed. If the user has worked with it, the app can say so (``RestorationStore/markStable()``).
  @discardableResult
  public func restore(_ offer: StoreOffer, without paths: Set<RestorationPath> = [], again: Bool = false) throws -> RestorationReport {
    try store.expectOpen(offer.generation.number, of: offer.archive)
    try expectStable()
    return try accept(offer, without: paths, again: again)
  }

  /// Throws if something that was restored is not stable yet: a death could then not be charged to an offer alone.
  func expectStable() throws {
    if store.isOnTrial { throw RestorationError(.wrongTime, "what was restored before is not stable yet") }
  }

  nonisolated(nonsending) func waitUntilStable() async throws {
    while store.isOnTrial { try await clock.sleep(until: clock.now + ApplicationLifecycle.Timing.stabilityTick) }
  }

  /// Restores the state of an offer into the running app.
  func accept(_ offer: StoreOffer, without paths: Set<RestorationPath> = [], again: Bool) throws -> RestorationReport {
    captureChanges(in: openArchives.filter { schedule.lifecycle.hasChanges($0) })
    guard let tree = tree(of: offer.archive), let current = try preserveEverything(offer.archive) else {
      throw RestorationError(.wrongTime, "\(offer.archive) is not open")
    }
    // Otherwise a pending save would overwrite the restored state.
    store.writeWaiting()
    let report = try schedule.whileRestoring(offer.archive) {
      try store.accept(
        offer, without: paths, again: again, into: tree, with: resolver, replacing: current, options: restorationOptions,
        isolation: nil)
    }
    observe(tree)
    if report.decision == .restore { handle(.restored(offer.archive)) }
    return report
  }

  /// Declines an offer permanently.
  ///
  /// - Throws: ``StoreError``.
  public func decline(_ offer: StoreOffer) throws(StoreError) { try store.decline(offer) }
}

extension SaveOutcome {
  /// The rank of an outcome, from best to worst.
  fileprivate var severity: Int {
    switch self {
    case .unchanged: 0
    case .forgotten: 1
    case .saved: 2
    case .deferred: 3
    case .expired: 4
    case .failed: 5
    }
  }
}
