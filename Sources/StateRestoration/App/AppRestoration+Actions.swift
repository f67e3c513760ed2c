import RestorationArchive

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
      default:
        store.mailboxes.post(mail)
        mail = []
        perform(action)
      }
    }
    store.mailboxes.post(mail)
    if actions.contains(where: { if case .remove = $0 { true } else { false } }) { store.startWriting() }
  }

  private func perform(_ action: LifecycleAction) {
    switch action {
    case .restore(let archive): restore(archive)
    case .startFresh(let archive): restore(archive, policy: Self.notNow)
    // The store returns `pending`, and the tree then waits for its state.
    case .awaitStorage(let archive): restore(archive)
    case .deferSave(let archives): for archive in archives { keepInMemory(archive) }
    // Nothing blocks here: flush(within:), the drivers and the end wait for the writes.
    case .write, .flush: store.startWriting()
    case .releaseCaches: for archive in openArchives { tree(of: archive)?.releaseCaches() }
    case .markSuspended(let isSuspended): store.noteSuspension(isSuspended)
    case .countTick(let archives): for archive in archives { countTick(archive) }
    case .capture, .remove, .end: break
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
        var launch = try store.restore(tree, as: archive, with: resolver, options: options, isolation: nil)
        // The app has chosen that, and no policy of its own.
        if policy != nil, launch.freshStart == .refused { launch.freshStart = .chosen }
        return launch
      }
    }
    results[archive] = result
    if let line = (try? result.get())?.report?.keptLine { configuration.reportProblem("\(archive): \(line)") }
    openingError = if case .failure(let error) = result { error } else { nil }
    observe(tree)
    if tree.condition == .pending { return }
    if archive == .application {
      recordSession((try? result.get())?.plan.load.archive)
    } else if case .success = result {
      store.noteScene(archive, isOpen: true)
    }
    _ = schedule.handle(.restored(archive))
    if tree.condition != .restored, !store.isOnTrial(archive) { _ = schedule.handle(.stable(archive)) }
    // State preserved while the app waited for its files is newer than the files.
    if let deferred = tree.takeDeferredPreservation() {
      store.submit(deferred, as: archive, now: configuration.date())
    }
  }

  /// Records the session of the last launch, whose state of the app was loaded, before anything else is saved; removes closed
  /// scenes that are too old.
  private func recordSession(_ last: StoreLoad.Archive?) {
    let header = last?.reader.header
    let lastSave = last?.confirmedAt ?? header?.timestamp
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
    guard tree(of: archive)?.condition == .pending else { return }
    do {
      _ = try preserve(archive)
    } catch {
      noteFailure(error, of: archive)
    }
  }

  /// Captures the changes of all open archives, and leaves them to the store.
  func captureChanges(in archives: [ArchiveName]) {
    for archive in archives { schedule.noteCapture(archive) }
    perform([.capture(archives)])
  }

  /// Captures an archive for the store; nil if there is nothing to write.
  private func capture(_ archive: ArchiveName) -> Mail? {
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
    let preservation = try tree(of: archive)?.preserve(header: configuration.header(at: configuration.date()), options: options)
    if let report = preservation?.report {
      problems.note(report, of: archive)
      onPreserve?(archive, report)
    }
    return preservation
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
