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
    case .write, .flush: store.startWriting()
    case .remove(let archive): store.submitRemoval(of: archive)
    case .releaseCaches: for archive in openArchives { application(of: archive)?.releaseCaches() }
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
    let result = schedule.whileRestoring(archive) {
      Result { try store.restore(application, as: archive, with: resolver, options: options, isolation: nil) }
    }
    results[archive] = result
    if let line = (try? result.get())?.report?.keptLine { configuration.reportProblem("\(archive): \(line)") }
    openingError = if case .failure(let error) = result { error } else { nil }
    observe(application)
    if application.condition == .pending { return }
    _ = schedule.handle(.restored(archive))
    if application.condition != .restored, !store.isOnTrial(archive) { _ = schedule.handle(.stable(archive)) }
    // State preserved while the app waited for its files is newer than the files.
    if let deferred = application.takeDeferredPreservation() {
      submit(deferred, archive)
      store.startWriting()
    }
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
    application(of: archive)?.endFirstTurn()
    if !store.noteTick(archive, isExtended: activities.isExtended(archive)) { _ = schedule.handle(.stable(archive)) }
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

  /// Captures an archive and submits it to the store.
  private func capture(_ archive: ArchiveName) {
    do {
      guard let preservation = try preserve(archive) else { return }
      submit(preservation, archive)
    } catch {
      noteFailure(error, of: archive)
    }
  }

  func preserve(_ archive: ArchiveName) throws -> Preservation? {
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

  func preserveEverything(_ archive: ArchiveName) throws -> Preservation? {
    extent = .everything
    defer { extent = .changes }
    return try preserve(archive)
  }

  /// The options for restoring an archive.
  var restorationOptions: RestorationOptions {
    var options = configuration.restorationOptions
    options.observer = observer
    return options
  }

  private func submit(_ preservation: Preservation, _ archive: ArchiveName) {
    _ = store.submitForLater(preservation, as: archive, at: configuration.date())
  }

  private func noteFailure(_ error: any Error, of archive: ArchiveName) {
    captureError = error
    if failures.begin(error, of: archive) { configuration.reportProblem("\(archive) could not be saved: \(ErrorText.text(of: error))") }
    _ = schedule.handle(.failed(archive))
  }
}
