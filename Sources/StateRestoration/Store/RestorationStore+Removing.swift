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
  /// save or launch finishes it. One that could not begin is dropped when the process ends, by ``endLaunch()``, or if another
  /// process has locked the store when this one tries to remove the files, because they may then be newer.
  ///
  /// - Throws: The first ``StoreError``, after everything that can be removed is removed.
  public func remove(_ archive: ArchiveName) throws(StoreError) {
    _ = try deliver(.removal, to: archive)
  }

  /// Marks an archive for removal and cancels its pending saves.
  func forget(_ archive: ArchiveName, _ state: inout State) {
    state.pending[archive] = PendingWork(isForgotten: true)
    state.forgotten.remove(archive)
    state.forgetCurrent(archive)
    state.pinnedFor[archive] = nil
    state.skipped = state.skipped.filter { $0.key.archive != archive }
    state.marksBeforeSave = state.marksBeforeSave.filter { $0.key.archive != archive }
  }

  /// The greatest number of the files of an archive that a store gives; nil without files.
  func lastNumber(of archive: ArchiveName, _ catalog: GenerationCatalog) -> UInt64? {
    let links = catalog.links.lazy.filter { $0.archive == archive }.map(\.generation)
    return (catalog.generations(of: archive).map(\.number) + links).filter { $0 < GenerationCatalog.firstAbsurdNumber }.max()
  }

  /// Carries out the removals on record, and deletes the record.
  func finishRemovals(_ state: inout State) throws(StoreError) {
    guard let due = state.group?.due, !due.isEmpty else { return }
    // A scene that was opened again has newer files, and a history of its own.
    let kept = Set(try catalog().generations.filter { $0.number > due[$0.archive] ?? 0 }.map(\.archive))
    try removeFiles(&state) { name in
      if let generation = Generation(fileName: name) { return due[generation.archive].map { generation.number <= $0 } ?? false }
      if let link = GenerationLink(fileName: name) { return due[link.archive].map { link.generation <= $0 } ?? false }
      return due.keys.contains { !kept.contains($0) && name == Confirmation.fileName(for: $0) }
    }
    for archive in due.keys where !kept.contains(archive) { try forgetHistory(of: archive, &state) }
    try endGroup(&state)
  }

  /// Removes the deaths, offers and quarantined nodes of an archive: the state that they refer to is gone.
  ///
  /// Once for each removal, because the scene may be opened again before its files are gone.
  func forgetHistory(of archive: ArchiveName, _ state: inout State) throws(StoreError) {
    guard launch.history != nil else {
      if state.forgotten.contains(archive) { return }
      try changeHistory(&state) { (history) throws(StoreError) in history.forget(archive) }
      state.forgotten.insert(archive)
      return
    }
    // The memory stays changed if the ledger cannot be written: a later change writes it.
    if state.forgotten.insert(archive).inserted { launch.update { $0.forget(archive) } }
    try writeLedger(&state)
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
      state.pending = state.pending.mapValues { PendingWork(isForgotten: $0.isForgotten) }
      state.pinnedFor = [:]
      state.skipped = [:]
      state.marksBeforeSave = [:]
      launch.update { $0.forgetEverything() }
      state.writtenLedger = nil
      try lock(&state)
      // On record first: if the process dies, or a file cannot be removed, no archive is left without the others.
      let catalog = try catalog()
      let all = Dictionary(catalog.byArchive.keys.map { ($0, lastNumber(of: $0, catalog) ?? 0) }) { first, _ in first }
      state.group = SaveGroup(due: all.merging(state.group?.due ?? [:]) { max($0, $1) })
      if let group = state.group { try? replaceGroup(group, &state) }
      try removeFiles(&state) { name in
        StoreFileName.isFinished(name) || StoreFileName.isUnfinished(name) || name == ProgressFile.fileName
      }
      try endGroup(&state)
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
