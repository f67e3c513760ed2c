import Locking
public import RestorationArchive

extension RestorationStore {
  /// Records that restoring an archive failed with an error or was refused.
  func noteFailure(of archive: ArchiveName) { launch.update { $0.abandon(archive) } }

  /// Whether the app has not worked since an archive was restored, or offered, that is not stable yet.
  var isAnyOnTrial: Bool { launch.history?.restoring.contains { !$0.hasWorked } ?? false }

  /// Counts a tick of the restoring actor; returns whether to continue.
  ///
  /// `isExtended` reports whether restoring is still in progress. That the archive is now stable is written on another thread.
  func noteTick(_ archive: ArchiveName, isExtended: Bool) -> Bool {
    let isStable = countTick(archive, isExtended: isExtended)
    if isStable == true { recordStabilityLater() }
    return isStable == false
  }

  /// Counts a tick; returns whether the archive is stable now, or nil if it was not on trial.
  func countTick(_ archive: ArchiveName, isExtended: Bool) -> Bool? {
    launch.update { history in history.isUnstable(archive) ? history.tick(archive, isExtended: isExtended) : nil } ?? nil
  }

  /// Declares the app stable, which clears the deaths of earlier launches.
  ///
  /// An archive becomes stable automatically when the restoring actor has run for ``AppConfiguration/stableAfter`` without
  /// hanging. Its first save with changes, or the first ``AppRestoration/turn()``, makes it stable against a force quit at
  /// once, and after the same time against a crash with a recorded fatal signal too. An archive with a node callback in
  /// progress does not become stable, so that a death in that callback still counts.
  public func markStable() {
    if launch.update({ $0.markStable() }) == true { recordStability() }
  }

  /// Whether anything that this launch has restored is on trial.
  var isOnTrial: Bool { launch.history?.isOnTrial ?? false }

  /// Records that the app waits for input: its launch has succeeded, and a later kill does not count.
  func noteTurn() {
    if launch.update({ $0.noteTurn() }) == true { watchTime() }
  }

  /// Records that an archive is put away in order, and leaves the disk to another thread.
  func noteLeft(_ archive: ArchiveName) {
    let isSaved = !mailboxes.isUndelivered(archive)
    let isChanged = launch.update { history in
      let isGone = isSaved && !history.endLeaving([archive]).isEmpty
      return history.leave(archive) || isGone
    }
    if isSaved { writer.change { $0.releaseContent(of: archive) } }
    if isChanged == true { recordStabilityLater() }
  }

  /// Makes the archives that have worked stable when enough time has passed, even if the app's actor never ticks.
  func watchTime() {
    let worked = launch.history?.restoring.filter(\.hasWorked).map(\.generation) ?? []
    Task.detached(priority: .utility) { [weak self, sleep, time = launch.options.stableAfter.limited] in
      var mustWait = true
      while mustWait, (try? await sleep(time)) != nil, let self {
        let (isChanged, isExtended) = self.launch.update { $0.noteWorked(worked) } ?? (false, false)
        if isChanged { self.recordStabilityLater() }
        mustWait = isExtended
      }
    }
  }

  /// Writes to disk that archives are stable.
  private func recordStability() {
    writer.withLock { writer in
      isRecordingStability.withLock { $0 = false }
      writer.recordStability()
    }
  }

  /// Leaves that to another thread; one waits for a disk that takes its time, not one for each archive.
  private func recordStabilityLater() {
    let isWaiting = isRecordingStability.withLock { isRecording in
      defer { isRecording = true }
      return isRecording
    }
    if !isWaiting { Task.detached(priority: .utility) { self.recordStability() } }
  }

  /// Records whether the process is suspended: a kill during suspension is not a crash.
  ///
  /// Call it last before the app is suspended, after everything is saved.
  public func noteSuspension(_ isSuspended: Bool) { launch.update { $0.end(isSuspended ? .suspended : .running) } }

  /// Records an orderly end of the process, so that the next launch is not a recovery, and releases the lock.
  ///
  /// `exit` records the same if the launch was not ended before. A later save acquires the lock again. Pending removals
  /// are dropped.
  public func endLaunch() { endLaunch(.ended) }

  func endLaunch(_ ending: ProgressRecord.Ending) { writer.withLock { $0.endLaunch(ending) } }

  /// Records an orderly end at once, and releases the lock when a save that takes its time is over.
  func endLaunchLater() {
    launch.update { $0.end(.ended) }
    Task.detached(priority: .utility) { self.endLaunch() }
  }

  /// Lets go of the folder as the system does at the end of the process, and leaves the record of that end.
  func abandon(as exit: LastExit) {
    if exit == .signal { endLaunch(.signal) }
    if exit == .suspended { noteSuspension(true) }
    writer.withLock { writer in
      for race in mailboxes.discardAll() { race.finish(.forgotten) }
      let number = launch.history?.launch.number
      launch.end()
      if exit == .trapped, let number { try? noteTrap(of: number) }
      writer.releaseLock()
      writer.isAbandoned = true
    }
  }

  /// Writes the record that the handler of a fatal signal writes.
  private func noteTrap(of launch: UInt64) throws(FileSystemError) {
    let (file, _) = try folder.openOwn(ProgressFile.fileName)
    defer { folder.system.close(file) }
    let record = ExitRecord(.fatalSignal, launch: launch, isOnRestoringThread: true)
    try folder.write(record.encoded, to: file, at: ExitRecord.offset)
  }

  // MARK: Quarantine and the record of launches

  /// Returns the quarantined nodes of an archive, which a launch leaves out because they killed the app; none if the record
  /// of launches cannot be read.
  public func quarantinedPaths(of archive: ArchiveName = .application) -> [RestorationPath] {
    quarantinedNodes(of: archive).map(\.path)
  }

  /// Returns the quarantined nodes of an archive, and when each is tried again.
  package func quarantinedNodes(of archive: ArchiveName = .application) -> [QuarantinedNode] {
    guard let history = try? launch.knownHistory() else { return [] }
    return history.ledger.quarantined.filter { $0.archive == archive }.map { QuarantinedNode($0, in: history) }
  }

  /// Returns the way the last process that used the store ended, and its build; nil if there was none, or if its record
  /// cannot be read.
  package func lastLaunch() -> (exit: LastExit, build: String?)? {
    guard let last = (try? launch.leftRecords())?.last, let exit = (try? launch.knownHistory())?.lastExit else { return nil }
    return (exit, last.record.bundleVersion)
  }

  /// Returns when each quarantined node of an archive is tried again, in words; nothing if the record of launches cannot be
  /// read.
  ///
  /// ``release(_:of:)`` ends a quarantine at once.
  public func retries(of archive: ArchiveName = .application) -> [RestorationPath: String] {
    guard let history = try? launch.knownHistory() else { return [:] }
    let own = history.ledger.quarantined.filter { $0.archive == archive }
    return Dictionary(own.map { ($0.path, history.retry(of: $0)) }) { first, _ in first }
  }

  /// Returns a line for each of the last launches that are on record, at most 32, the most recent last; none if the record
  /// cannot be read.
  ///
  /// It has the build, the way the process ended, and what had caused it as far as that is known, and no saved value. A launch
  /// that has ended in order is missing if the next one died before it was stable.
  public func launches() -> [String] { (try? launch.knownHistory())?.ledger.launches.map(\.description) ?? [] }

  /// Ends the quarantine of a node, so that it is restored again.
  ///
  /// - Returns: Whether the node was quarantined.
  /// - Throws: ``StoreError``.
  public func release(_ path: RestorationPath, of archive: ArchiveName = .application) throws(StoreError) -> Bool {
    try changeHistory { $0.release(path, of: archive) }
  }

  /// Changes the launch history, whether this launch has begun or not.
  func changeHistory<Result: Sendable>(_ body: (inout LaunchHistory) -> Result) throws(StoreError) -> Result {
    try changingFiles { (writer) throws(StoreError) in try writer.changeHistory(body) }
  }

  /// Returns why the record of earlier launches cannot be read; nil if it can be read, or there is none.
  package func ledgerFault() -> String? {
    do {
      let bytes = try folder.read(LaunchLedger.fileName, atMost: LaunchLedger.maximumByteCount)
      if LaunchLedger(bytes) != nil { return nil }
      _ = try ArchiveTree(decoding: ArchiveReader(bytes))
      return "it is no record of launches"
    } catch let error as FileSystemError {
      return error.isAbsence ? nil : "\(error)"
    } catch {
      return "\(error)"
    }
  }
}
