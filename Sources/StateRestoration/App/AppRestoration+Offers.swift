import RestorationArchive

/// Offers of saved states.
extension AppRestoration {
  /// The open offers of the app and of each open scene, newest first in each: saved states that the user may restore.
  ///
  /// An offer stays open across launches until it is answered or a limit removes it (``StoreLimits/offers``).
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
  ///   - evenIfDiedTwice: Whether to accept although accepted offers of this archive have ended the process twice in a row.
  /// - Returns: The report for each node.
  /// - Throws: ``StoreError``, in which case nothing is restored; ``RestorationError`` if the scene of the offer is not
  ///   open; `CancellationError` if the task is cancelled meanwhile.
  @discardableResult
  public nonisolated(nonsending) func restore(
    _ offer: StoreOffer, without paths: Set<RestorationPath> = [], evenIfDiedTwice: Bool = false
  ) async throws -> RestorationReport {
    try store.expectOpen(offer.generation.number, of: offer.archive)
    store.hold([offer])
    defer { store.letGo([offer]) }
    try await waitUntilStable()
    return try accept(offer, without: paths, evenIfDiedTwice: evenIfDiedTwice)
  }

  /// Accepts an offer, as the asynchronous form does, without waiting.
  ///
  /// Swift chooses the asynchronous form in an `async` function: call this one in a synchronous function, or in a closure that is
  /// not `async`.
  ///
  /// - Throws: The same errors; ``RestorationError/Code/wrongTime`` while anything that was restored before is not stable, in
  ///   which case nothing has changed. If the user has worked with it, the app can say so (``markStable()``).
  @discardableResult
  public func restore(
    _ offer: StoreOffer, without paths: Set<RestorationPath> = [], evenIfDiedTwice: Bool = false
  ) throws -> RestorationReport {
    try store.expectOpen(offer.generation.number, of: offer.archive)
    try expectStable()
    store.hold([offer])
    defer { store.letGo([offer]) }
    return try accept(offer, without: paths, evenIfDiedTwice: evenIfDiedTwice)
  }

  /// Whether everything that was restored has run without a death for ``AppConfiguration/stableAfter``, or was said to be fine.
  ///
  /// Before that, the synchronous calls for offers and sessions throw, and the asynchronous ones wait.
  public var isStable: Bool { !store.isOnTrial }

  /// Says that what was restored is fine, before the time of ``AppConfiguration/stableAfter`` has passed: for example because
  /// the user has worked with it.
  public func markStable() { store.markStable() }

  /// Returns the archive of an offer, for example to show what it has.
  ///
  /// - Throws: The errors of ``RestorationStore/contents(of:)-(StoreOffer)``.
  public func contents(of offer: StoreOffer) throws(StoreError) -> ArchiveReader { try store.contents(of: offer) }

  /// Returns the archive of a saved state.
  ///
  /// - Throws: The errors of ``RestorationStore/contents(of:)-(StoredState)``.
  public func contents(of state: StoredState) throws(StoreError) -> ArchiveReader { try store.contents(of: state) }

  /// Throws if something that was restored is not stable yet: a death could then not be charged to an offer alone.
  func expectStable() throws {
    guard !isStable else { return }
    throw RestorationError(.wrongTime, "what was restored before is not stable yet: try again in a few seconds, or call markStable()")
  }

  /// Throws if the app has ended, perhaps while the caller waited.
  private func expectRunning() throws {
    guard schedule.lifecycle.phase != .ended else { throw RestorationError(.wrongTime, "the app has ended") }
  }

  nonisolated(nonsending) func waitUntilStable() async throws {
    while !isStable { try await clock.sleep(until: clock.now + ApplicationLifecycle.Timing.stabilityTick) }
  }

  /// Restores the state of an offer into the running app.
  private func accept(_ offer: StoreOffer, without paths: Set<RestorationPath>, evenIfDiedTwice: Bool) throws -> RestorationReport {
    try accepting { try accept(offer, without: paths, evenIfDiedTwice, &$0) }
  }

  /// Runs `body`, which collects the archives whose offers it accepts, and saves these.
  ///
  /// What stays of the live state beside the accepted one is in no current file yet. A death undoes all of it, or nothing.
  private func accepting<Result>(_ body: (inout [ArchiveName]) throws -> Result) throws -> Result {
    try expectRunning()
    var accepted: [ArchiveName] = []
    return try store.whileAccepting {
      defer { saveAccepted(accepted) }
      return try body(&accepted)
    }
  }

  /// Saves accepted states with the live state beside them, all in one group.
  private func saveAccepted(_ archives: [ArchiveName]) {
    for archive in archives { schedule.noteCapture(archive) }
    let mail = archives.compactMap { archive in capture(archive).map { (archive: archive, mail: $0) } }
    store.mailboxes.post(mail.filter { $0.mail.snapshot != nil })
    reportPreserved()
    store.writeWaiting()
    // A delegate that declines this save is asked again at the next one.
    for archive in archives where !mail.contains(where: { $0.archive == archive && $0.mail.snapshot != nil }) {
      _ = schedule.handle(.changed(archive))
    }
  }

  private func accept(
    _ offer: StoreOffer, without paths: Set<RestorationPath> = [], _ evenIfDiedTwice: Bool, _ accepted: inout [ArchiveName]
  ) throws -> RestorationReport {
    guard let tree = tree(of: offer.archive) else { throw RestorationError(.wrongTime, "\(offer.archive) is not open") }
    // Whatever fails, what was captured is written.
    defer { store.startWriting() }
    captureChanges(in: openArchives.filter { schedule.lifecycle.hasChanges($0) })
    guard let current = try preserveEverything(offer.archive) else {
      throw RestorationError(.wrongTime, "\(offer.archive) is not open")
    }
    reportPreserved()
    // Otherwise a pending save would overwrite the restored state.
    store.writeWaiting()
    let report = try schedule.whileRestoring(offer.archive) {
      try store.accept(
        offer, without: paths, evenIfDiedTwice: evenIfDiedTwice, into: tree, with: resolver, replacing: current,
        options: restorationOptions,
        isolation: nil)
    }
    observe(tree)
    if report.decision == .restore {
      handle(.restored(offer.archive))
      accepted.append(offer.archive)
    }
    return report
  }

  /// Declines an offer permanently.
  ///
  /// - Throws: ``StoreError``.
  public func decline(_ offer: StoreOffer) throws(StoreError) { try store.decline(offer) }

  // MARK: Saved states and sessions

  /// The saved states of the app and of each open scene, newest first in each: the one that a launch restores, earlier
  /// ones, and those kept for a reason.
  ///
  ///     for state in try restoration.storedStates() {
  ///       if let offer = state.offer, app.wants(state) { try await restoration.restore(offer) }
  ///     }
  ///
  /// - Throws: ``StoreError``.
  public func storedStates() throws(StoreError) -> [StoredState] {
    var states: [StoredState] = []
    for archive in openArchives { states += try store.storedStates(of: archive) }
    return states
  }

  /// The sessions at the end of the last launches and of the last days, the last one first, except one that is as the
  /// current state is: what a "Restore Previous Session" menu offers at any time.
  ///
  /// ``contents(of:)-(StoredState)`` looks into a state of a session, for example to pass over emptied windows.
  ///
  /// - Throws: ``StoreError``.
  public func earlierSessions() throws(StoreError) -> [StoredSession] { try store.earlierSessions() }

  /// What the launch has not restored, of the app and of all its scenes, because earlier launches died or because of safe
  /// mode; nil if there is nothing.
  ///
  /// It is open until ``restore(_:only:evenIfDiedTwice:)-18dv3`` or ``decline(_:only:)`` answers it. A scene that is set aside
  /// later joins it. Of an archive that was set aside more than once it has the newest state; the one before is an offer by
  /// itself, and the next such session once the newest is answered.
  ///
  /// - Throws: ``StoreError``.
  public func offeredSession() throws(StoreError) -> StoredSession? { try store.offeredSession() }

  /// Restores a session once everything that was restored before is stable: the app and its open scenes at once, and each
  /// other scene when the app opens it.
  ///
  /// Each current state is saved first and becomes an offer, as for a single offer. ``RestorableTree/report`` of each tree tells
  /// what was restored, and which quarantined nodes were left out.
  ///
  ///     for identifier in try await restoration.restore(session) { try app.openWindow(identifier) }
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - archives: The archives to restore; nil for all.
  ///   - evenIfDiedTwice: Whether to restore although accepted offers of an archive have ended the process twice in a row.
  /// - Returns: The identifiers of the scenes of the session that are not open: ``openScene(_:delegate:roots:)`` restores
  ///   their states.
  /// - Throws: The first error of an archive, after the others are restored; `CancellationError` if the task is cancelled
  ///   before.
  @discardableResult
  public nonisolated(nonsending) func restore(
    _ session: StoredSession, only archives: Set<ArchiveName>? = nil, evenIfDiedTwice: Bool = false
  ) async throws -> [String] {
    store.hold(session.states.compactMap(\.offer))
    defer { store.letGo(session.states.compactMap(\.offer)) }
    try await waitUntilStable()
    return try restoreNow(session, archives, evenIfDiedTwice)
  }

  /// Restores a session, as the asynchronous form does, without waiting; in a synchronous function, as for an offer.
  ///
  /// - Throws: The same errors; ``RestorationError/Code/wrongTime`` while anything that was restored before is not stable, in
  ///   which case nothing has changed.
  @discardableResult
  public func restore(_ session: StoredSession, only archives: Set<ArchiveName>? = nil, evenIfDiedTwice: Bool = false) throws -> [String] {
    try expectStable()
    store.hold(session.states.compactMap(\.offer))
    defer { store.letGo(session.states.compactMap(\.offer)) }
    return try restoreNow(session, archives, evenIfDiedTwice)
  }

  private func restoreNow(_ session: StoredSession, _ archives: Set<ArchiveName>?, _ evenIfDiedTwice: Bool) throws -> [String] {
    var unopened: [String] = []
    try accepting { accepted in
      try answer(session, archives) { state in
        let isOpen = tree(of: state.archive) != nil
        if let offer = state.offer {
          if isOpen {
            _ = try accept(offer, evenIfDiedTwice, &accepted)
          } else {
            // A scene that was just disconnected may still have a pending save.
            store.writeWaiting()
            try store.accept(offer)
          }
        }
        if !isOpen, let scene = state.archive.scene { unopened.append(scene) }
      }
    }
    return unopened
  }

  /// Declines the states of a session permanently.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - archives: The archives whose states are declined; nil for all.
  /// - Throws: The first ``StoreError``, after the other states are declined.
  public func decline(_ session: StoredSession, only archives: Set<ArchiveName>? = nil) throws(StoreError) {
    try answer(session, archives) { (state) throws(StoreError) in
      if let offer = state.offer { try decline(offer) }
    }
  }

  /// Answers for each state of a session; an error in one archive does not affect the others.
  private func answer<Failure: Error>(
    _ session: StoredSession, _ archives: Set<ArchiveName>?, _ body: (StoredState) throws(Failure) -> Void
  ) throws(Failure) {
    var failure: Failure?
    for state in session.states where archives?.contains(state.archive) ?? true {
      do throws(Failure) {
        try body(state)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }
}
