import RestorationArchive
import Locking

extension RestorationStore {
  /// Records a save of an archive.
  func noteSave(of archive: ArchiveName, isChanged: Bool, _ state: inout State) {
    beginProgressIfNeeded(&state)
    let number = state.current[archive]?.generation.number
    if launch.update({ $0.noteSaved(archive, as: number, isChanged: isChanged) }) == true { watchTime() }
  }

  /// Begins the record of the launch if that has failed before.
  func beginProgressIfNeeded(_ state: inout State) {
    if launch.needsProgress { try? startProgress(&state) }
  }

  /// Records that restoring an archive failed with an error or was refused.
  func noteFailure(of archive: ArchiveName) { launch.update { $0.abandon(archive) } }

  /// Whether the app has not worked since an archive was restored, or offered, that is not stable yet.
  var isAnyOnTrial: Bool { launch.history?.restoring.contains { !$0.hasWorked } ?? false }

  /// Counts a tick of the restoring actor; returns whether to continue.
  ///
  /// `isExtended` reports whether restoring is still in progress. If the archive is now stable, that is on disk when this
  /// returns.
  package func tick(_ archive: ArchiveName = .application, isExtended: Bool = false) -> Bool {
    countTick(archive, isExtended) { recordStability() }
  }

  /// Counts a tick as ``tick(_:isExtended:)`` does, and leaves the disk to another thread.
  func noteTick(_ archive: ArchiveName, isExtended: Bool) -> Bool {
    countTick(archive, isExtended) { Task.detached(priority: .utility) { self.recordStability() } }
  }

  private func countTick(_ archive: ArchiveName, _ isExtended: Bool, whenStable: () -> Void) -> Bool {
    let isStable = launch.update { history in history.isUnstable(archive) ? history.tick(archive, isExtended: isExtended) : nil } ?? nil
    if isStable == true { whenStable() }
    return isStable == false
  }

  /// Declares the app stable, which clears the deaths of earlier launches.
  ///
  /// An archive becomes stable automatically when the restoring actor has run for ``LaunchOptions/stableAfter`` without
  /// hanging. Its first save with changes, or the first ``AppRestoration/turn()``, makes it stable against a force quit at
  /// once, and after the same time against a crash with a recorded fatal signal too. An archive with a node callback in
  /// progress does not become stable, so that a death in that callback still counts.
  public func markStable() {
    if launch.update({ $0.markStable() }) == true { recordStability() }
  }

  /// Whether anything that this launch has restored is on trial.
  var isOnTrial: Bool { launch.history?.isOnTrial ?? false }

  /// Whether this launch could not read what the store had recorded of earlier launches.
  var hasLostLedger: Bool { launch.history?.hasLostLedger ?? false }

  /// Records that the app waits for input: its launch has succeeded, and a later kill does not count.
  func noteTurn() {
    if launch.update({ $0.noteTurn() }) == true { watchTime() }
  }

  /// Records that an archive is put away in order, and leaves the disk to another thread.
  func noteLeft(_ archive: ArchiveName) {
    if launch.update({ $0.leave(archive) }) == true { Task.detached(priority: .utility) { self.recordStability() } }
  }

  /// Makes the archives that have worked stable when enough time has passed, even if the app's actor never ticks.
  private func watchTime() {
    let worked = launch.history?.restoring.filter(\.hasWorked).map(\.generation) ?? []
    Task.detached(priority: .utility) { [weak self, sleep, time = launchOptions.stableAfter.limited] in
      var mustWait = true
      while mustWait, (try? await sleep(time)) != nil, let self {
        let (isChanged, isExtended) = self.launch.update { $0.noteWorked(worked) } ?? (false, false)
        if isChanged { self.recordStability() }
        mustWait = isExtended
      }
    }
  }

  /// Writes to disk that archives are stable.
  ///
  /// The ledger is written before the progress record: it clears the earlier deaths, and the record then drops the
  /// restored archives. In the opposite order, a process that dies in between leaves no record that it was stable, and the
  /// next launch would count its earlier deaths.
  private func recordStability() {
    state.withLock { state in
      // If another process has taken over the folder, its ledger must not be overwritten.
      guard (try? holdsLock(state)) == true else { return }
      try? carryOutConclusions(&state)
      guard (try? writeLedger(&state)) != nil else { return }
      launch.flush()
    }
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

  func endLaunch(_ ending: ProgressRecord.Ending) {
    state.withLock { state in
      // The folder may not have been writable when the launch began.
      if state.history != nil, (try? holdsLock(state)) == true || state.lockFile == nil && (try? lock(&state)) != nil {
        beginProgressIfNeeded(&state)
        try? writeLedger(&state)
        launch.update { $0.end(ending) }
        launch.flush()
      }
      launch.end()
      state.skipped = [:]
      for archive in state.pending.keys { state.pending[archive]?.changes = [] }
      releaseLock(&state)
      noteOtherWriters(&state)
    }
  }

  /// Lets go of the folder as the system does at the end of the process, and leaves the record of that end.
  func abandon(as exit: LastExit) {
    if exit == .signal { endLaunch(.signal) }
    if exit == .suspended { noteSuspension(true) }
    state.withLock { state in
      for race in mailboxes.discardAll() { race.finish(.forgotten) }
      let number = launch.history?.launch.number
      launch.end()
      if exit == .trapped, let number { try? noteTrap(of: number) }
      releaseLock(&state)
      state.isAbandoned = true
    }
  }

  /// Writes the record that the handler of a fatal signal writes.
  private func noteTrap(of launch: UInt64) throws(FileSystemError) {
    let (file, _) = try folder.openOwn(ProgressFile.fileName)
    defer { folder.system.close(file) }
    let record = ExitRecord(.fatalSignal, launch: launch, signal: 4, isOnRestoringThread: true)
    try folder.write(record.encoded, to: file, at: ExitRecord.offset)
  }
}
