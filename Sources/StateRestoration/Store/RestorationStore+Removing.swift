import RestorationArchive
import Locking

extension RestorationStore {
  /// Removes an archive with all its files and launch history, for example when a scene is closed.
  ///
  /// Saves that began earlier do not bring the archive back, whether they wait, are being written, or are deferred; later
  /// saves are written.
  ///
  /// If the storage is not accessible or the system refuses, the removal stays pending until a later save or
  /// ``writeDeferred(at:)``; meanwhile the archive is no longer loaded. A removal that was begun is on record, and the next
  /// launch finishes it. One that could not begin is dropped when the process ends, by ``endLaunch()``, or if another
  /// process has locked the store when this one tries to remove the files, because they may then be newer.
  ///
  /// - Throws: The first ``StoreError``, after everything that can be removed is removed.
  public func remove(_ archive: ArchiveName) throws(StoreError) {
    _ = try deliver(.removal, to: archive)
  }

  /// Marks an archive for removal and cancels its pending saves.
  func forget(_ archive: ArchiveName, _ state: inout State) {
    state.pending[archive] = PendingWork(removal: PendingRemoval())
    state.forgetCurrent(archive)
    state.pinnedFor[archive] = nil
    state.skipped = state.skipped.filter { $0.key.archive != archive }
    state.marksBeforeSave = state.marksBeforeSave.filter { $0.key.archive != archive }
  }

  /// Removes the files of an archive marked for removal, except those saved since.
  func removeForgotten(_ archive: ArchiveName, _ state: inout State) throws(StoreError) {
    guard let removal = state.pending[archive]?.removal else { return }
    // Durable first: if the process dies, or a file cannot be removed, the next launch finishes it.
    let before = removal.firstKept.map { $0 - 1 }
    if let last = before == nil ? try lastNumber(of: archive) : before {
      try? changeHistory(&state) { (history) throws(StoreError) in history.noteClosed(archive, upTo: last) }
    }
    try removeFiles(&state) { name in
      if let generation = Generation(fileName: name) { return generation.archive == archive && removal.isPendingRemoval(generation) }
      if let link = GenerationLink(fileName: name) {
        return link.archive == archive && removal.isPendingRemoval(Generation(archive, link.generation))
      }
      return removal.firstKept == nil && name == Confirmation.fileName(for: archive)
    }
    try forgetHistory(of: archive, &state)
    state.pending[archive]?.removal = nil
  }

  /// The greatest number of the files of an archive; nil without files.
  private func lastNumber(of archive: ArchiveName) throws(StoreError) -> UInt64? {
    let catalog = try catalog()
    let links = catalog.links.lazy.filter { $0.archive == archive }.map(\.generation)
    return (catalog.generations(of: archive).map(\.number) + links).max()
  }

  /// Finishes the removals that an earlier process has begun, or that have failed before.
  func finishRemovals(_ state: inout State) {
    for (archive, last) in state.history?.ledger.closed ?? [:] where last < .max {
      if state.pending[archive]?.removal == nil {
        state.pending[archive, default: PendingWork()].removal = PendingRemoval(firstKept: last + 1)
      }
      try? removeForgotten(archive, &state)
    }
  }

  /// Removes the deaths, offers and quarantined nodes of an archive: the state that they refer to is gone.
  private func forgetHistory(of archive: ArchiveName, _ state: inout State) throws(StoreError) {
    try changeHistory(&state) { (history) throws(StoreError) in history.forget(archive) }
  }

  /// Removes everything that was saved, and all pending saves.
  ///
  /// - Throws: The first ``StoreError``, after everything that can be removed is removed.
  public func forget() throws(StoreError) {
    if access == .writing { for race in mailboxes.discardAll() { race.finish(.forgotten) } }
    try withState { (state) throws(StoreError) in
      guard access == .writing else { throw .readingOnly }
      // In memory first: a deferred save must not come back because a file could not be removed.
      state.current = [:]
      state.foldings = [:]
      state.pending = state.pending.mapValues { PendingWork(removal: $0.removal) }
      state.pinnedFor = [:]
      state.skipped = [:]
      state.marksBeforeSave = [:]
      launch.update { $0.forgetEverything() }
      state.writtenLedger = nil
      try removeFiles(&state) { name in
        StoreFileName.isFinished(name) || StoreFileName.isUnfinished(name) || name == ProgressFile.fileName
      }
      // The open record was unlinked, so the next launch could not read it.
      launch.dropProgress()
      beginProgressIfNeeded(&state)
      state.pending = [:]
    }
  }

  private func removeFiles(_ state: inout State, _ isMeant: (String) -> Bool) throws(StoreError) {
    try lock(&state)
    let names = try system { () throws(FileSystemError) in try folder.names() }
    var failure: FileSystemError?
    for name in names where isMeant(name) {
      do throws(FileSystemError) {
        try folder.remove(name)
      } catch {
        if !error.isAbsence { failure = failure ?? error }
      }
    }
    if let failure { throw .system(failure) }
    try system { () throws(FileSystemError) in try folder.flush() }
  }
}
