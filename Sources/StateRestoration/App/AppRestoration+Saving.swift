import RestorationArchive

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
  /// An object that throws while it encodes is no failure of the save: this returns, the object keeps its previous state, and
  /// the others are saved. ``onPreserve`` gets the report that names it, and ``AppConfiguration/reportProblem`` a line.
  ///
  /// - Throws: ``StoreError``; ``RestorationError`` before the launch, within ``onPreserve`` or while an object encodes, and
  ///   while the files are inaccessible (the state is then kept in memory).
  public func saveNow() throws {
    guard schedule.lifecycle.phase != .notRunning else { throw RestorationError(.notRestoredYet, "saving before launch()") }
    // What is captured now would be written before what was captured before it, and then replaced by that.
    if schedule.isCapturing { throw RestorationError(.wrongTime, "saving from within a capture: save after it has returned") }
    var mail: [(archive: ArchiveName, mail: Mail)] = []
    var isDeferred = false
    var number: UInt64?
    defer {
      if number == nil {
        store.mailboxes.post(mail)
        reportPreserved()
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
    reportPreserved()
    schedule.noteAnswer()
    store.writeWaiting()
    if schedule.lifecycle.phase == .ended { store.endLaunch() }
    for (archive, _) in mail where try store.mailboxes.result(of: posted, archive)?.get() == .deferred { isDeferred = true }
    if isDeferred {
      throw RestorationError(.notRestoredYet, "the storage, or the state saved there, is not accessible yet; the state is kept in memory")
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
    let (outcome, isLate) = await written(by: deadline)
    // The lock that this save has taken again.
    if hasEnded, isLate { store.endLaunchLater() } else if hasEnded { store.endLaunch() }
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
    store.noteSuspension(false)
    for archive in openArchives { tree(of: archive)?.cancelEnding() }
    for archive in closedWhileEnding.subtracting(openArchives) {
      store.noteScene(archive, isOpen: false)
      store.noteLeft(archive)
    }
    closedWhileEnding = []
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
    let (outcome, isLate) = await written(by: deadline)
    finish(waits: !isLate)
    return outcome
  }

  /// Saves and records an orderly end synchronously, without a time limit, for apps that cannot end asynchronously.
  ///
  /// - Throws: The same errors as ``saveNow()``. The app has then not ended: it goes on to save by itself. Whatever ends the process
  ///   counts as an end in order, and windows may go away, until ``cancelEnding()`` takes that back.
  public func endNow() throws {
    guard schedule.lifecycle.phase != .ended else { return try saveNow() }
    beginEnding()
    do {
      try saveNow()
      for archive in store.mailboxes.undelivered { if let error = store.mailboxes.failure(of: archive) { throw error } }
    } catch {
      // The process may end all the same, perhaps by this very error.
      store.launch.update { $0.end(.ended) }
      throw error
    }
    _ = schedule.handle(.terminate(within: .zero))
    finish()
  }

  /// Ends the launch; with a disk that does not answer, without waiting for it.
  private func finish(waits: Bool = true) {
    signals = nil
    for archive in Array(results.keys) { forget(archive) }
    if waits { store.endLaunch() } else { store.endLaunchLater() }
    input.finish()
  }

  /// Lets go of everything as the system does at the end of the process, for tests that simulate one: nothing more is
  /// saved, even by objects that live on, and another instance can open the store.
  package func abandon(as exit: LastExit) {
    signals = nil
    schedule.end()
    for archive in Array(results.keys) { forget(archive) }
    consumer?.cancel()
    input.finish()
    store.abandon(as: exit)
  }

  /// The open archives, starting with the app's.
  var openArchives: [ArchiveName] { [.application] + scenes.map(\.archive) }

  /// Waits under one deadline for the saves of all open archives, and of closed ones whose last save or removal is not done.
  private nonisolated(nonsending) func written(by deadline: Duration) async -> (SaveOutcome, isLate: Bool) {
    var isLate = false
    let archives = openArchives + store.mailboxes.undelivered.filter { !openArchives.contains($0) }
    store.startWriting()
    // What an archive saves that waits for its own state is in memory.
    let isWaiting = !schedule.lifecycle.isStorageAvailable || openArchives.contains { tree(of: $0)?.condition == .pending }
    var worst = captureError != nil ? SaveOutcome.failed : isWaiting ? .deferred : .unchanged
    for archive in archives {
      guard let number = store.mailboxes.newest(of: archive) else { continue }
      let outcome = await store.mailboxes.outcome(of: number, archive) { [clock] in try await clock.sleep(until: deadline) }
      isLate = isLate || outcome == .expired
      worst = SaveOutcome.fromBestToWorst.last { $0 == worst || $0 == outcome } ?? worst
    }
    return (worst, isLate)
  }
}

extension SaveOutcome {
  fileprivate static let fromBestToWorst: [SaveOutcome] = [.unchanged, .forgotten, .saved, .deferred, .expired, .failed]
}

extension AppRestoration {
  /// Performs actions of the lifecycle.
  ///
  /// Captures and removals that follow each other are saved as a whole or not at all.
  func perform(_ actions: [LifecycleAction]) {
    var mail: [(archive: ArchiveName, mail: Mail)] = []
    for action in actions {
      switch action {
      case .capture(let archives): mail += archives.compactMap { archive in capture(archive).map { (archive, $0) } }
      case .remove(let archive): mail.append((archive, .removal))
      case .deferSave(let archives): for archive in archives { keepInMemory(archive) }
      default:
        store.mailboxes.post(mail)
        mail = []
        reportPreserved()
        perform(action)
      }
    }
    store.mailboxes.post(mail)
    reportPreserved()
    if schedule.lifecycle.isStorageAvailable, actions.contains(where: { if case .remove = $0 { true } else { false } }) {
      store.startWriting()
    }
  }

  private func perform(_ action: LifecycleAction) {
    switch action {
    case .restore(let archive): restore(archive)
    // What this process has saved itself is no state of an earlier launch.
    case .startFresh(let archive): restore(archive, policy: store.launch.history?.written.contains(archive) == true ? nil : Self.notNow)
    // The store returns `pending`, and the tree then waits for its state.
    case .awaitStorage(let archive): restore(archive)
    // Nothing blocks here: flush(within:), the drivers and the end wait for the writes.
    case .write, .flush: store.startWriting()
    case .releaseCaches: for archive in openArchives { tree(of: archive)?.releaseCaches() }
    case .markSuspended(let isSuspended): store.noteSuspension(isSuspended)
    case .countTick(let archives): for archive in archives { countTick(archive) }
    case .capture, .remove, .deferSave, .end: break
    }
  }

  func tree(of archive: ArchiveName) -> RestorableTree? {
    archive == .application ? tree : scenes.first { $0.archive == archive }?.tree
  }

  /// Starts fresh; the saved state becomes an offer at the next save.
  private static let notNow = RestorationPolicy { _, _ in "this launch does not restore" }.answering(.notNow)

  private func restore(_ archive: ArchiveName, policy: RestorationPolicy? = nil) {
    guard let tree = tree(of: archive) else { return }
    var options = restorationOptions
    options.policy = policy ?? options.policy
    // The lifecycle counts ticks to decide when the app is stable, so the store need not count them.
    let result = schedule.whileRestoring(archive) {
      Result {
        // The last save of a scene that was put away may still wait, and its files are older.
        try store.deliver(archive)
        var launch = try store.restore(tree, as: archive, with: resolver, options: options, isolation: nil)
        // The app has chosen that, and no policy of its own.
        if policy != nil, launch.freshStart == .refused { launch.freshStart = .chosen }
        return launch
      }
    }
    if tree.condition == .pending, case .failure(let error) = result { return noteUnrestored(archive, error) }
    results[archive] = result
    if let line = (try? result.get())?.report?.keptLine { configuration.reportProblem("\(archive): \(line)") }
    if case .failure(let error) = result { _ = unopened.begin(error, of: archive) } else { unopened.end(archive) }
    observe(tree)
    if tree.condition == .pending {
      // The host may not have reported yet that the storage is away.
      _ = schedule.handle(.notRestored(archive))
      return
    }
    let launch = try? result.get()
    var isNew = false
    if archive == .application {
      recordSession(launch?.plan.load.archive)
    } else if let launch {
      isNew = !store.noteScene(archive, isOpen: true) || launch.freshStart == .nothingSaved
    }
    _ = schedule.handle(.restored(archive))
    // Opening a scene that was not left open is a change.
    if isNew { _ = schedule.handle(.changed(archive)) }
    if tree.condition != .restored, !store.isOnTrial(archive) { _ = schedule.handle(.stable(archive)) }
    // State preserved while the app waited for its files is newer than the files.
    if let deferred = tree.takeDeferredPreservation() {
      store.submit(deferred, as: archive, now: configuration.date())
    }
  }

  /// Records that an archive could not be restored, and is tried again; reported once.
  private func noteUnrestored(_ archive: ArchiveName, _ error: any Error) {
    if unopened.begin(error, of: archive) {
      configuration.reportProblem("\(archive) could not be restored; trying again: \(ErrorText.text(of: error))")
    }
    _ = schedule.handle(.notRestored(archive))
  }

  /// Records the session of the last launch, whose state of the app was loaded, before anything else is saved; removes closed
  /// scenes that are too old.
  private func recordSession(_ last: StoreLoad.Archive?) {
    let header = last?.reader.header
    lastSave = last?.confirmedAt ?? header?.timestamp
    store.recordSession(savedAt: lastSave, by: header?.bundleVersion)
    if let lastSave { store.endClosed(at: configuration.date(), savedAt: lastSave) }
  }

  /// Starts observing the observable objects of a tree.
  func observe(_ tree: RestorableTree) {
    guard let changes = tree.changes else { return }
    var seen = IdentityTable()
    LiveWalk.visit(tree.roots + tree.registeredObjects, seen: &seen) { object in
      (object as? any ObservableRestorable)?.observe(with: changes)
    }
  }

  private func countTick(_ archive: ArchiveName) {
    tree(of: archive)?.endFirstTurn()
    if !store.noteTick(archive, isExtended: activities.isExtended(archive)) { _ = schedule.handle(.stable(archive)) }
  }

  // MARK: Saving

  /// Preserves the state of an app that is still waiting for its files, because that state is newer.
  ///
  /// Does nothing for a restored app, whose objects are alive.
  private func keepInMemory(_ archive: ArchiveName) {
    if tree(of: archive)?.condition == .pending { _ = capture(archive) }
  }

  /// Captures the changes of all open archives, and leaves them to the store.
  func captureChanges(in archives: [ArchiveName]) {
    for archive in archives { schedule.noteCapture(archive) }
    perform([.capture(archives)])
  }

  /// Captures an archive for the store; nil if there is nothing to write.
  func capture(_ archive: ArchiveName) -> Mail? {
    do {
      return try preserve(archive)?.mail(at: configuration.date())
    } catch {
      noteFailure(error, of: archive)
      return nil
    }
  }

  func preserve(_ archive: ArchiveName) throws -> Preservation? {
    let options = PreservationOptions(
      carryLimits: configuration.carryLimits, encodesOnlyChanges: configuration.limits.links > 0 && !encodesEverything,
      verifiesChanges: configuration.verifiesChanges, budget: configuration.budget)
    var preservation: Preservation?
    let changed = try schedule.whileCapturing {
      preservation = try tree(of: archive)?.preserve(
        header: configuration.header(at: configuration.date(), after: lastSave), options: options)
      guard let report = preservation?.report else { return }
      problems.note(report, of: archive)
      unreported.append((archive, report))
    }
    // Their observations have ended with these changes, and perhaps no capture follows that begins new ones.
    if preservation.map({ $0.decision != .save }) == true { tree(of: archive).map(observe) }
    for tree in changed.compactMap(tree(of:)) { observe(tree) }
    return preservation
  }

  /// Calls ``onPreserve`` for what was captured, once it is posted: what the app does there comes after it.
  func reportPreserved() {
    while !unreported.isEmpty {
      let (archive, report) = unreported.removeFirst()
      for tree in schedule.whileCapturing({ onPreserve?(archive, report) }).compactMap(tree(of:)) { observe(tree) }
    }
  }

  func preserveEverything(_ archive: ArchiveName) throws -> Preservation? {
    encodesEverything = true
    defer { encodesEverything = false }
    return try preserve(archive)
  }

  /// The options for restoring an archive.
  var restorationOptions: RestorationOptions {
    var options = configuration.restorationOptions
    options.onCall = onCall
    return options
  }

  private func noteFailure(_ error: any Error, of archive: ArchiveName) {
    captureError = error
    if failures.begin(error, of: archive) { configuration.reportProblem("\(archive) could not be saved: \(ErrorText.text(of: error))") }
    _ = schedule.handle(.failed(archive))
  }
}
