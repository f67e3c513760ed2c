public import FoundationValues
import Locking
package import RestorationArchive

/// Saving: each save goes through the mailbox of its archive, to be written on the caller's thread or on another.
extension RestorationStore {
  /// Saves the bytes of an archive, as ``save(_:as:now:)`` saves a preservation.
  @discardableResult
  package func save(
    _ bytes: some Collection<UInt8>, as archive: ArchiveName = .application, now time: Date? = nil
  ) throws(StoreError) -> SaveOutcome {
    let snapshot = try wrappingErrors { () throws(ArchiveError) in try Snapshot([UInt8](bytes)) }
    return try deliver(Mail(snapshot: snapshot, time: time), to: archive)
  }

  /// Saves a preservation atomically and durably: writes its archive, keeps the previous state, or removes the saved state.
  ///
  /// When it returns, the state is on disk. When it throws, the previous state is still there, and the state is tried
  /// again with ``submit(_:as:now:)`` and ``writeDeferred(now:)``, unless it cannot be assembled. Content that is already
  /// current is not written again.
  ///
  /// If earlier saved state is missing from it without having been removed on purpose, the previous file is pinned:
  /// once for each node whose state is lost, while that file exists. While the previous state is not available yet
  /// (``Preservation/isDeferred``), nothing is written or stored here; the preservation stays with the app, in
  /// ``RestorableTree/takeDeferredPreservation()``.
  ///
  /// - Parameters:
  ///   - preservation: What was captured.
  ///   - archive: The name of the archive.
  ///   - time: The current time, recorded as the confirmation time if the content is unchanged.
  /// - Returns: The outcome.
  /// - Throws: ``StoreError``, also if an earlier pending removal failed, although the archive is then saved;
  ///   ``StoreError/inUse(by:)`` if this process lost the lock and another one is writing. A later save succeeds once
  ///   that process has ended.
  @discardableResult
  public func save(
    _ preservation: Preservation, as archive: ArchiveName = .application, now time: Date? = nil
  ) throws(StoreError) -> SaveOutcome {
    guard let mail = preservation.mail(at: time) else { return preservation.isDeferred ? .deferred : .unchanged }
    return try deliver(mail, to: archive)
  }

  /// Writes the newest deferred save of each archive and completes pending removals, once the storage is accessible.
  ///
  /// - Returns: The number of archives written.
  /// - Throws: The first ``StoreError``, after everything that can be written and removed is done. Saves that failed
  ///   stay deferred.
  @discardableResult
  public func writeDeferred(now time: Date? = nil) throws(StoreError) -> Int {
    guard canReach else { return 0 }
    var count = 0
    var failure: StoreError?
    var tried: Set<ArchiveName> = []
    // A failed write or removal must not stop the others.
    for archive in mailboxes.archives where !tried.contains(archive) {
      for parcel in write(archive, canReach: true, at: time) {
        tried.insert(parcel.archive)
        switch parcel.result {
        case .success(.saved), .success(.unchanged): count += 1
        case .failure(let error): failure = failure ?? error
        default: break
        }
      }
    }
    try withWriter { (writer) throws(StoreError) in try writer.finishRemovals() }
    if let failure { throw failure }
    return count
  }

  // MARK: On another thread

  /// Submits an encoded archive to be assembled and saved on another thread; returns immediately.
  @discardableResult
  package func submit(_ encoded: EncodedArchive, as archive: ArchiveName = .application, now time: Date? = nil) -> UInt64 {
    defer { startWriting() }
    return mailboxes.post(Mail(snapshot: Snapshot(encoded), time: time), to: archive)
  }

  /// Submits a preservation, to be saved on another thread as by ``save(_:as:now:)``; returns immediately.
  ///
  /// If several states of an archive are waiting, only the newest is written; the archive that has waited longest comes
  /// first. While another thread writes, it retains the store: after an awaited last save, the same process can reopen
  /// the store only a moment later.
  ///
  /// - Returns: The number of the save, for ``outcome(of:as:until:clock:)``; nil if there is nothing to do, because the
  ///   previous state is kept or not available yet (``Preservation/isDeferred``).
  @discardableResult
  public func submit(_ preservation: Preservation, as archive: ArchiveName = .application, now time: Date? = nil) -> UInt64? {
    defer { startWriting() }
    return preservation.mail(at: time).map { mailboxes.post($0, to: archive) }
  }

  /// Starts a thread that writes all mail, including mail that has failed or was deferred.
  func startWriting() {
    mailboxes.retry()
    guard mailboxes.startsWriting() else { return }
    Task.detached(priority: .utility) {
      while let archive = self.mailboxes.next(endsWriting: true) { self.write(archive) }
    }
  }

  /// Writes all mail on the caller's thread, including mail that has failed or was deferred; returns when no thread writes.
  ///
  /// For the last moment of a process, when asynchronous waiting is not possible.
  package func writeWaiting() {
    mailboxes.retry()
    while let archive = mailboxes.next() { write(archive) }
    // Another thread may have taken something out, and still be writing it.
    writer.withLock { _ in }
  }

  /// Waits until a save, or a newer one of the same archive, is finished, or until the deadline passes.
  ///
  /// - Parameters:
  ///   - number: The number of the save, from ``submit(_:as:now:)``.
  ///   - archive: The name under which it was submitted.
  ///   - deadline: The end of waiting.
  ///   - clock: The clock of the deadline.
  /// - Returns: The outcome; ``SaveOutcome/expired`` if the deadline passes before.
  public func outcome<C: Clock>(
    of number: UInt64, as archive: ArchiveName = .application, until deadline: C.Instant, clock: C
  ) async -> SaveOutcome where C.Duration == Duration {
    await mailboxes.outcome(of: number, archive) { try await clock.sleep(until: deadline, tolerance: nil) }
  }

  /// The error of the last failed save, on any thread.
  public var lastSaveError: StoreError? { mailboxes.lastError }

  /// The generation that this process has saved last or found current.
  func currentGeneration(of archive: ArchiveName) -> Generation? { writer.withLock { $0[archive].current?.generation } }

  // MARK: Delivering

  /// Posts mail and delivers it on the caller's thread.
  func deliver(_ mail: Mail, to archive: ArchiveName) throws(StoreError) -> SaveOutcome {
    let number = mailboxes.post(mail, to: archive)
    write(archive)
    // Another thread may have delivered it, and then this one has waited for it.
    return try (mailboxes.result(of: number, archive) ?? .success(.deferred)).get()
  }

  /// Writes what waits for an archive before it is read, or before its files are changed.
  ///
  /// - Throws: The error of the save: the archive on the disk is older than what the user saw last.
  func deliver(_ archive: ArchiveName) throws(StoreError) {
    guard mailboxes.isUndelivered(archive) else { return }
    write(archive)
    if let error = mailboxes.failure(of: archive, ofRemovals: false) { throw error }
  }

  /// Delivers the mail of an archive, and the mail in a group with it, and returns it with the outcomes.
  ///
  /// The mail is posted before the storage is checked, so a thread that then finds the storage accessible also finds the
  /// mail.
  @discardableResult
  func write(_ archive: ArchiveName, canReach: Bool? = nil, at time: Date? = nil) -> [Parcel] {
    let canReach = canReach ?? (access == .writing && self.canReach)
    let (parcels, finished, hasFirstWork, hasLostFiles) = writer.withLock { writer in
      var parcels = mailboxes.take(archive)
      if let time { for index in parcels.indices { parcels[index].mail.time = time } }
      writer.carryOut(&parcels, canReach: canReach)
      for index in parcels.indices { parcels[index].mail.isHeld = true }
      defer { (writer.hasFirstWork, writer.hasLostFiles) = (false, false) }
      let finished = mailboxes.finish(parcels)
      writer.endLeaving(parcels.map(\.archive).filter { !mailboxes.isUndelivered($0) })
      return (parcels, finished, writer.hasFirstWork, writer.hasLostFiles)
    }
    if hasFirstWork { watchTime() }
    if hasLostFiles { didLoseFiles() }
    // First, so that a waiter finds the error.
    for parcel in parcels { if let result = parcel.result { didSave(parcel.archive, result) } }
    for (result, waiters) in finished { for waiter in waiters { waiter.finish(SaveOutcome(result)) } }
    for parcel in parcels { foldIfNeeded(parcel.archive) }
    return parcels
  }

  /// Folds an archive if its chain of links is long.
  private func foldIfNeeded(_ archive: ArchiveName) {
    guard let job = writer.withLock({ $0.beginFolding(archive) }) else { return }
    if linkPolicy.foldsConcurrently {
      Task.detached(priority: .utility) { self.fold(job) }
    } else {
      fold(job)
    }
  }

  private func fold(_ job: StoreWriter.FoldingJob) {
    // Without the lock: saves go on while the content is assembled.
    let content = try? job.snapshot.bytes()
    linkPolicy.willFold()
    writer.withLock { $0.endFolding(job, content) }
  }

  // MARK: Removing

  /// Removes an archive with all its files and launch history, for example when a scene is closed.
  ///
  /// Saves that began earlier do not bring the archive back, whether they wait, are being written, or are deferred; later
  /// saves are written.
  ///
  /// If the storage is not accessible or the system refuses, the removal stays pending until a later save or
  /// ``writeDeferred(now:)``; meanwhile the archive is no longer loaded. A removal that was begun is on record, and the next
  /// save or launch finishes it. One that could not begin is dropped when the process ends, by ``endLaunch()``, or if another
  /// process has locked the store when this one tries to remove the files, because they may then be newer.
  ///
  /// - Throws: The first ``StoreError``, after everything that can be removed is removed.
  public func remove(_ archive: ArchiveName) throws(StoreError) {
    _ = try deliver(.removal, to: archive)
  }

  /// Removes everything that was saved, and all pending saves.
  ///
  /// - Throws: ``StoreError/inaccessible`` if the storage is not accessible, in which case nothing has changed; else the first
  ///   ``StoreError``, after everything that can be removed is removed.
  public func forget() throws(StoreError) {
    try changingFiles { (writer) throws(StoreError) in
      if access == .writing { for race in mailboxes.discardAll() { race.finish(.forgotten) } }
      try writer.forgetEverything()
    }
  }

  /// Makes an older file current by saving it again as a new generation; the one that was current becomes an offer.
  ///
  /// - Returns: The new generation; nil if the current one already has this content.
  /// - Throws: ``StoreError``; ``StoreError/unusable(_:_:)`` if the file is not completely valid, in which case nothing
  ///   has changed.
  package func use(_ number: UInt64, of archive: ArchiveName = .application) throws(StoreError) -> Generation? {
    guard let generation = try generations(of: archive).first(where: { $0.number == number }) else { throw .noGeneration(number) }
    let stored = try system { () throws(FileSystemError) in try reader.stored(generation) }
    // A full check, because opening an archive reads only its two ends, and the save below removes older files.
    if let finding = stored.firstFinding { throw .unusable(number, finding) }
    guard case .bytes(let bytes, _, _) = stored else { throw .noGeneration(number) }
    // One that cannot be opened could not be accepted either.
    let replaced = try reader.catalog().current(of: archive).flatMap { reader.digest(of: $0) == nil ? nil : $0 }
    if let replaced, reader.digest(of: replaced) == stored.reader?.contentDigest { return nil }
    var current: Generation?
    if let replaced { skip(StoreOffer(replaced, .replaced)) }
    defer { if current == nil, let replaced { writer.withLock { $0.takeBackOffer(replaced) } } }
    if try save(bytes, as: archive) == .saved { current = currentGeneration(of: archive) }
    return current
  }
}
