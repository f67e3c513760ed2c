public import RestorationArchive

extension AppRestoration {
  /// Says that something changed in the app as a whole that does not report its changes: an object that encodes by itself, a new child.
  ///
  /// Returns at once. May be called as often as there are changes.
  public func setNeedsSave() { changes.add(.application) }

  /// Captures what has changed, for an app that is about to wait in a call that blocks its actor, such as `readLine`.
  ///
  ///     while let line = readLine() {
  ///       edit(line)
  ///       restoration.turn()
  ///     }
  ///
  /// Returns without waiting for the disk: another thread writes, 0.5 s after the last turn with changes and at most 5 s after the first.
  /// Where an edit must be on the disk before it is answered, call ``saveNow()``.
  public func turn() {
    if !isBlocking {
      isBlocking = true
      watch.stop()
      // Waiting for the user is no hang.
      Task.detached { [store, clock, configuration] in
        try? await clock.sleep(until: clock.now + configuration.stableAfter)
        store.markStable()
      }
    }
    handleChanges()
    handle(.turnEnded)
  }

  /// Saves all open archives, and returns when they are on the disk.
  ///
  /// - Throws: ``StoreError``; ``RestorationError`` before the launch, and while the files cannot be reached, which keeps the state in memory;
  ///   the error of an object or delegate that cannot be preserved.
  public func saveNow() throws {
    guard lifecycle.phase != .notRunning else { throw RestorationError(.notRestoredYet, "saving before launch()") }
    var numbers: [(archive: ArchiveName, number: UInt64)] = []
    var isHeld = false
    for archive in openArchives {
      guard let preservation = try preserve(archive) else { continue }
      isHeld = isHeld || preservation.isHeld
      if let number = queue.submitForLater(preservation, as: archive, at: configuration.date()) { numbers.append((archive, number)) }
    }
    queue.commitWaiting()
    let outcomes = numbers.map { queue.finishedOutcome(of: $0.number, $0.archive) }
    if outcomes.contains(.failed), let error = queue.lastError {
      lastError = error
      throw error
    }
    lastError = nil
    if isHeld || outcomes.contains(.held) {
      throw RestorationError(.notRestoredYet, "the files cannot be reached yet; the state is kept in memory")
    }
  }

  /// Captures all open archives and waits until they are on the disk, or until time is up.
  ///
  /// - Parameter time: How long to wait at most, for all archives together.
  /// - Returns: The worst outcome. Whatever it is, the old state or the new one is on the disk.
  @discardableResult
  public nonisolated(nonsending) func flush(within time: Duration = .seconds(5)) async -> FlushOutcome {
    let deadline = clock.now + time
    lastError = nil
    captureAll()
    return await written(by: deadline)
  }

  /// Saves, and says that the process ends in good order: the next launch is no recovery.
  ///
  /// Nothing is saved by itself from now on.
  ///
  /// - Parameter time: How long to wait for the disk at most.
  /// - Returns: What came of the last save.
  @discardableResult
  public nonisolated(nonsending) func end(within time: Duration = .seconds(5)) async -> FlushOutcome {
    guard lifecycle.phase != .ended else { return .unchanged }
    let deadline = clock.now + time
    lastError = nil
    handle(.terminate(.quit, time: time))
    let outcome = await written(by: deadline)
    finish()
    return outcome
  }

  /// The same for an app without an asynchronous end: returns when the last save is on the disk, however long that takes.
  ///
  /// - Throws: As ``saveNow()``; the end is noted in any case.
  public func endNow() throws {
    guard lifecycle.phase != .ended else { return }
    defer {
      _ = lifecycle.handle(.terminate(.quit, time: .zero), at: clock.now)
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

  /// The archives that are open, that of the app first.
  var openArchives: [ArchiveName] { [.application] + scenes.map(\.archive) }

  /// Captures every open archive.
  private func captureAll() {
    for archive in openArchives { _ = lifecycle.handle(.changed(archive), at: clock.now) }
    handle(.turnEnded)
  }

  /// Waits for the saves of all archives, under one deadline.
  private nonisolated(nonsending) func written(by deadline: Duration) async -> FlushOutcome {
    queue.startWriting()
    var worst = lastError == nil ? FlushOutcome.unchanged : .failed
    for archive in openArchives {
      guard let number = queue.newestRequest(of: archive) else { continue }
      let outcome = await queue.outcome(of: number, archive) { [clock] in try await clock.sleep(until: deadline) }
      if outcome.severity > worst.severity { worst = outcome }
    }
    return worst
  }

  // MARK: Offers

  /// The open offers of the app and of its open scenes, the newest first: saved states that the user may have back.
  ///
  /// An offer stays until it is answered; at the next launch it is there again.
  ///
  /// - Throws: ``StoreError``.
  public func offers() throws(StoreError) -> [StoreOffer] {
    var offers: [StoreOffer] = []
    for archive in openArchives { offers += try store.offers(of: archive) }
    return offers
  }

  /// Accepts an offer: restores its state into the running app.
  ///
  /// What the app shows now is saved first, and becomes an offer itself.
  ///
  /// - Parameters:
  ///   - offer: The offer.
  ///   - paths: Nodes that are left out, such as ``StoreOffer/suspects``; their state is kept.
  /// - Returns: What became of each node.
  /// - Throws: ``StoreError``, and then nothing has changed; ``RestorationError`` if the scene of the offer is not open.
  @discardableResult
  public func restore(_ offer: StoreOffer, without paths: Set<RestorationPath> = []) throws -> RestorationReport {
    guard let application = application(of: offer.archive), let current = try preserve(offer.archive) else {
      throw RestorationError(.wrongTime, "\(offer.archive) is not open")
    }
    // Else a save that waits would be written over what is restored now.
    queue.commitWaiting()
    let report = try store.accept(
      offer, without: paths, into: application, with: resolver, replacing: current, options: configuration.restorationOptions,
      isolation: nil)
    observe(application)
    _ = changes.take()
    if report.decision == .restore { handle(.restored(offer.archive)) }
    return report
  }

  /// Declines an offer for ever.
  ///
  /// - Throws: ``StoreError``.
  public func decline(_ offer: StoreOffer) throws(StoreError) { try store.decline(offer) }
}

extension FlushOutcome {
  /// How far an outcome is from what the app wanted.
  fileprivate var severity: Int {
    switch self {
    case .unchanged: 0
    case .forgotten: 1
    case .saved: 2
    case .held: 3
    case .expired: 4
    case .failed: 5
    }
  }
}
