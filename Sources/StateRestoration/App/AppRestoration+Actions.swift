import RestorationArchive

extension AppRestoration {
  /// Performs an action of the lifecycle.
  func perform(_ action: LifecycleAction) {
    switch action {
    case .restore(let archive): restore(archive)
    case .startFresh(let archive): restore(archive, policy: Self.notNow)
    // The store returns `pending`, and the application then waits for its state.
    case .awaitStorage(let archive): restore(archive)
    case .capture(let archives): for archive in archives { capture(archive) }
    case .deferSave(let archives): for archive in archives { keepInMemory(archive) }
    // Nothing blocks here: flush(within:), the drivers and the end wait for the writes.
    case .flush: queue.startWriting()
    case .remove(let archive): queue.remove(archive)
    // The store keeps no file open except its lock and breadcrumb, and has no cache.
    case .releaseFiles, .releaseCaches: break
    case .markSuspended(let isSuspended): store.noteSuspension(isSuspended)
    case .countTick(let archives): for archive in archives { countTick(archive) }
    case .end: break
    }
  }

  func application(of archive: ArchiveName) -> RestorableApplication? {
    archive == .application ? application : scenes.first { $0.archive == archive }?.application
  }

  /// Starts fresh; the saved state becomes an offer at the next save.
  private static let notNow = RestorationPolicy { _, _ in
    RestorationPolicy.Refusal("this launch does not restore", decision: .notNow)
  }

  private func restore(_ archive: ArchiveName, policy: RestorationPolicy? = nil) {
    guard let application = application(of: archive) else { return }
    var options = restorationOptions
    options.policy = policy ?? options.policy
    // The lifecycle counts ticks to decide when the app is stable, so the store need not count them.
    let result = Result { try store.restore(application, as: archive, with: resolver, options: options, isolation: nil) }
    results[archive] = result
    openingError = if case .failure(let error) = result { error } else { nil }
    observe(application)
    // Restoring does not count as a change.
    _ = changes.take()
    if application.condition == .pending { return }
    _ = lifecycle.handle(.restored(archive), at: clock.now)
    if application.condition != .restored { _ = lifecycle.handle(.stable(archive), at: clock.now) }
    // State preserved while the app waited for its files is newer than the files.
    if let deferred = application.takeDeferredPreservation() { submit(deferred, archive) }
  }

  /// Starts observing the observable objects of an application.
  func observe(_ application: RestorableApplication) {
    guard let changes = application.changes else { return }
    var seen = IdentityTable()
    LiveWalk.visit(application.roots + application.registeredObjects, seen: &seen) { object in
      (object as? any ObservableRestorable)?.observe(with: changes)
    }
  }

  private func countTick(_ archive: ArchiveName) {
    guard let application = application(of: archive) else { return }
    // Changes made in the same turn as the restoration are the app's own; from the first tick on they count as the
    // user's.
    if let session = application.session, !application.isBusy { application.noteQuarantinedObjects(session) }
    if !store.tick(archive, isExtended: application.activity.count > 0) {
      _ = lifecycle.handle(.stable(archive), at: clock.now)
    }
  }

  // MARK: Saving

  /// Preserves the state of an app that is still waiting for its files, because that state is newer.
  ///
  /// Does nothing for a restored app, whose objects are alive.
  private func keepInMemory(_ archive: ArchiveName) {
    guard application(of: archive)?.condition == .pending else { return }
    do {
      _ = try preserve(archive)
    } catch {
      noteFailure(error, of: archive)
    }
  }

  /// Captures an archive and submits it to the queue.
  private func capture(_ archive: ArchiveName) {
    do {
      guard let preservation = try preserve(archive) else { return }
      submit(preservation, archive)
    } catch {
      noteFailure(error, of: archive)
    }
  }

  func preserve(_ archive: ArchiveName, _ extent: PreservationOptions.Extent = .changes) throws -> Preservation? {
    let options = PreservationOptions(
      carryLimits: configuration.carryLimits, extent: configuration.limits.links > 0 ? extent : .everything,
      verifiesChanges: configuration.verifiesChanges, budget: configuration.budget)
    let preservation = try application(of: archive)?.preserve(header: configuration.header(at: configuration.date()), options: options)
    if let report = preservation?.report {
      problems.note(report, of: archive)
      onPreserve?(archive, report)
    }
    return preservation
  }

  /// The options for restoring an archive.
  var restorationOptions: RestorationOptions {
    var options = configuration.restorationOptions
    options.observer = observer
    return options
  }

  private func submit(_ preservation: Preservation, _ archive: ArchiveName) {
    let number =
      isBlocking
      ? queue.submitForLater(preservation, as: archive, at: configuration.date())
      : queue.submit(preservation, as: archive, at: configuration.date())
    if isBlocking { writing.schedule() }
    guard let number else { return }
    watchOutcome(of: number, archive)
  }

  /// Waits for the outcome of a save on another thread, and schedules another attempt if it failed.
  private func watchOutcome(of number: UInt64, _ archive: ArchiveName) {
    Task.detached { [queue, clock, changes, configuration, failures] in
      let outcome = await queue.outcome(of: number, archive)
      guard outcome == .failed else { return failures.end(archive) }
      if let error = queue.lastError, failures.begin(error, of: archive) {
        configuration.reportProblem("\(archive) could not be saved; trying again: \(error)")
      }
      try? await clock.sleep(until: clock.now + configuration.timing.longestSaveDelay)
      changes.add(archive)
    }
  }

  private func noteFailure(_ error: any Error, of archive: ArchiveName) {
    captureError = error
    if failures.begin(error, of: archive) { configuration.reportProblem("\(archive) could not be saved: \(ErrorText.text(of: error))") }
    let time = clock.now + configuration.timing.longestSaveDelay
    Task.detached { [clock, changes] in
      try? await clock.sleep(until: time)
      changes.add(archive)
    }
  }
}
