import RestorationArchive
import Locking

extension RestorationStore {
  /// Writes what has changed of the progress of the launch.
  ///
  /// Takes no longer than a few writes, without waiting for the disk. A failed write does not stop the launch.
  func writeProgress(_ state: inout State) {
    guard let history = state.history else { return }
    if state.progress != nil {
      try? state.progress?.write(history.record)
    } else {
      // The record could not be begun before; try again.
      try? startProgress(&state)
    }
  }

  /// Updates the launch history with the callbacks that are running, which only the words of the record tell.
  private func noteCalls(_ state: inout State) {
    for case let progress? in state.restoring.map(\.progress) { state.history?.noteCall(progress.phase, of: progress.archive) }
  }

  /// Records a save of an archive.
  func noteSave(of archive: ArchiveName, isChanged: Bool, _ state: inout State) {
    noteCalls(&state)
    if state.history?.noteSaved(archive, isChanged: isChanged) == true { writeProgress(&state) }
  }

  /// Records that restoring an archive failed with an error or was refused.
  func noteFailure(of archive: ArchiveName) {
    state.withLock { state in
      state.history?.abandon(archive)
      writeProgress(&state)
    }
  }

  /// Counts a tick of the restoring actor; returns whether to continue.
  ///
  /// `isExtended` reports whether restoring is still in progress.
  package func tick(_ archive: ArchiveName = .application, isExtended: Bool = false) -> Bool {
    state.withLock { state in
      guard state.history?.isUnstable(archive) == true else { return false }
      noteCalls(&state)
      guard state.history?.tick(archive, isExtended: isExtended) == true else { return true }
      noteStable(&state)
      return false
    }
  }

  /// Declares the app stable, which clears the deaths of earlier launches.
  ///
  /// An archive becomes stable automatically when the restoring actor has run for ``LaunchOptions/stableAfter`` without
  /// hanging. Until then, its first save with changes, or the first ``AppRestoration/turn()``, makes it stable against a
  /// force quit, but not against a crash with a recorded fatal signal. An archive with a node callback in progress does
  /// not become stable, so that a death in that callback still counts.
  public func markStable() {
    state.withLock { state in
      noteCalls(&state)
      if state.history?.markStable() == true { noteStable(&state) }
    }
  }

  /// Whether this launch could not read what the store had recorded of earlier launches.
  var hasLostLedger: Bool { state.withLock { $0.history?.hasLostLedger ?? false } }

  /// Records that the app waits for input: its launch has succeeded, and a later kill does not count.
  func noteTurn() {
    state.withLock { state in
      noteCalls(&state)
      if state.history?.noteTurn() == true { writeProgress(&state) }
    }
  }

  /// Writes to disk that archives are stable.
  private func noteStable(_ state: inout State) {
    // If another process has taken over the folder, its ledger must not be overwritten.
    guard (try? holdsLock(state)) == true, var history = state.history else { return }
    try? carryOutConclusions(&history, &state)
    state.history = history
    do throws(StoreError) {
      // The ledger must be written before the record: it clears the earlier deaths, and the record then drops
      // the restored archives. In the opposite order, a process that dies in between leaves no record that it was
      // stable, and the next launch would count its earlier deaths.
      try writeLedger(&state)
    } catch {
      return
    }
    writeProgress(&state)
    try? state.progress?.file.flush()
  }

  /// Records whether the process is suspended: a kill during suspension is not a crash.
  ///
  /// Call it last before the app is suspended, after everything is saved.
  public func noteSuspension(_ isSuspended: Bool) {
    state.withLock { state in
      guard state.history != nil else { return }
      state.history?.end(isSuspended ? .suspended : .running)
      writeProgress(&state)
    }
  }

  /// Records an orderly end of the process, so that the next launch is not a recovery, and releases the lock.
  ///
  /// `exit` records the same if the launch was not ended before. A later save acquires the lock again. Pending removals
  /// are dropped.
  public func endLaunch() { endLaunch(.ended) }

  func endLaunch(_ ending: ProgressRecord.Ending) {
    state.withLock { state in
      if state.history != nil, (try? holdsLock(state)) == true {
        try? writeLedger(&state)
        state.history?.end(ending)
        writeProgress(&state)
        try? state.progress?.file.flush()
      }
      state.history = nil
      state.progress = nil
      state.skipped = [:]
      for archive in state.pending.keys { state.pending[archive]?.changes = [] }
      state.awaitedLaunch = .none
      releaseLock(&state)
      noteOtherWriters(&state)
    }
  }
}
