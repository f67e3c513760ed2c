import RestorationArchive
import Locking

extension RestorationStore {
  /// Records the progress of the launch before each callback.
  ///
  /// Costs one write, without waiting for the disk. A failed write does not stop the launch.
  func note(_ phase: RestorationPhase, path: RestorationPath, in generation: Generation) {
    ExitRecorder.noteThread()
    state.withLock { state in
      guard state.history != nil else { return }
      state.history?.note(phase, path, in: generation)
      writeBreadcrumb(&state)
    }
  }

  func writeBreadcrumb(_ state: inout State) {
    guard let history = state.history else { return }
    if let breadcrumb = state.breadcrumb {
      try? breadcrumb.write(history.record)
    } else {
      // The breadcrumb could not be opened before; try again.
      try? startBreadcrumb(&state)
    }
  }

  /// Records that restoring an archive failed with an error or was refused.
  func noteFailure(of archive: ArchiveName) {
    state.withLock { state in
      state.history?.abandon(archive)
      writeBreadcrumb(&state)
    }
  }

  /// Counts a tick of the restoring actor; returns whether to continue.
  ///
  /// `isExtended` reports whether restoring is still in progress.
  package func tick(_ archive: ArchiveName = .application, isExtended: Bool = false) -> Bool {
    state.withLock { state in
      guard state.history?.isUnstable(archive) == true else { return false }
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
      if state.history?.markStable() == true { noteStable(&state) }
    }
  }

  /// Whether this launch could not read what the store had recorded of earlier launches.
  var hasLostLedger: Bool { state.withLock { $0.history?.hasLostLedger ?? false } }

  /// Records that the app waits for input: its launch has succeeded, and a later kill does not count.
  func noteTurn() {
    state.withLock { state in
      if state.history?.noteTurn() == true { writeBreadcrumb(&state) }
    }
  }

  /// Writes to disk that archives are stable.
  private func noteStable(_ state: inout State) {
    // If another process has taken over the folder, its ledger must not be overwritten.
    guard (try? holdsLock(state)) == true, var history = state.history else { return }
    try? carryOutConclusions(&history, &state)
    state.history = history
    do throws(StoreError) {
      // The ledger must be written before the breadcrumb: it clears the earlier deaths, and the breadcrumb then drops
      // the restored archives. In the opposite order, a process that dies in between leaves no record that it was
      // stable, and the next launch would count its earlier deaths.
      try writeLedger(&state)
    } catch {
      return
    }
    writeBreadcrumb(&state)
    try? state.breadcrumb?.flush()
  }

  /// Records whether the process is suspended: a kill during suspension is not a crash.
  ///
  /// Call it last before the app is suspended, after everything is saved.
  public func noteSuspension(_ isSuspended: Bool) {
    state.withLock { state in
      guard state.history != nil else { return }
      state.history?.end(isSuspended ? .suspended : .running)
      writeBreadcrumb(&state)
    }
  }

  /// Records an orderly end of the process, so that the next launch is not a recovery, and releases the lock.
  ///
  /// `exit` records the same if the launch was not ended before. A later save acquires the lock again. Pending removals
  /// are dropped.
  public func endLaunch() { endLaunch(.ended) }

  func endLaunch(_ ending: BreadcrumbRecord.Ending) {
    state.withLock { state in
      if state.history != nil, (try? holdsLock(state)) == true {
        try? writeLedger(&state)
        state.history?.end(ending)
        writeBreadcrumb(&state)
        try? state.breadcrumb?.flush()
      }
      state.history = nil
      state.breadcrumb = nil
      state.skipped = [:]
      for archive in state.pending.keys { state.pending[archive]?.changes = [] }
      state.awaitedLaunch = .none
      releaseLock(&state)
      noteOtherWriters(&state)
    }
  }
}
