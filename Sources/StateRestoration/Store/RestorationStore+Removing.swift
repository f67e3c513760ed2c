import Locking
import RestorationArchive

extension RestorationStore {
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

  /// Marks an archive for removal and cancels its pending saves.
  func forget(_ archive: ArchiveName, _ state: inout State) {
    state[archive] = KnownArchive(seen: state[archive].seen)
    state.removals.insert(archive)
    state.forgotten.remove(archive)
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
      state.archives = state.archives.mapValues { KnownArchive(seen: $0.seen) }
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
      state.removals = []
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

/// Removing files that need not be kept.
extension RestorationStore {
  /// Keeps the files of offers until ``letGo(_:)`` is called: restoring one saves what has changed before, and a save removes
  /// the oldest files.
  func hold(_ offers: [StoreOffer]) { state.change { $0.restoring += offers.map(\.generation) } }

  /// Leaves the files of offers to the limits again.
  func letGo(_ offers: [StoreOffer]) {
    state.change { state in
      for offer in offers {
        if let index = state.restoring.firstIndex(of: offer.generation) { state.restoring.remove(at: index) }
      }
    }
  }

  /// Removes files that need not be kept, and leftovers of interrupted saves.
  ///
  /// A file that cannot be removed is tried again at the next save.
  func prune(_ archive: ArchiveName, _ state: inout State) {
    guard let names = try? folder.names() else { return }
    let catalog = GenerationCatalog(names: names)
    let ledger = ledger(state)
    let held = ledger.held(of: archive).union(state.restoring.lazy.filter { $0.archive == archive }.map(\.number))
    endSurplus(of: archive, catalog, ledger, without: held, &state)
    for generation in expendable(of: archive, catalog, without: held) { try? removeFiles(of: generation, catalog) }
    for link in GenerationCatalog(names: (try? folder.names()) ?? []).orphans { try? folder.remove(link.fileName) }
    for name in names where StoreFileName.isUnfinished(name) { try? folder.remove(name) }
  }

  /// Removes pinned and offered files beyond the limits, after recording them for the next launch report.
  ///
  /// The last file of the previous build is frozen instead of removed.
  private func endSurplus(
    of archive: ArchiveName, _ catalog: GenerationCatalog, _ ledger: LaunchLedger, without held: Set<UInt64>, _ state: inout State
  ) {
    let current = catalog.candidates(for: archive, ledger).first
    let protected = held.union(current.map { [$0.number] } ?? [])
    let surplus = catalog.surplus(of: archive, limits: limits, without: protected)
    guard !surplus.isEmpty else { return }
    do throws(StoreError) {
      try changeHistory(&state) { (history) throws(StoreError) in
        history.noteEnded(surplus)
      }
    } catch {
      // The file is kept until its removal can be recorded.
      return
    }
    // Only the newest of them may have to be frozen: no file may be newer than a frozen one.
    var lastFrozen = catalog.generations(of: archive).first { $0.mark == .frozen }?.number ?? 0
    for generation in surplus {
      if let current = state[archive].current, generation.number > lastFrozen, (try? isOfAnotherBuild(generation, current)) == true {
        if (try? folder.mark(generation, .frozen)) != nil { lastFrozen = generation.number }
      } else {
        try? removeFiles(of: generation, catalog)
      }
    }
  }

  /// Removes the files of a generation: first the archive, because its links are worth nothing without it.
  ///
  /// A link that cannot be removed is left to the next pruning.
  func removeFiles(of generation: Generation, _ catalog: GenerationCatalog) throws(FileSystemError) {
    try folder.remove(generation.fileName)
    for link in catalog.links(of: generation) { try? folder.remove(link.fileName) }
  }

  private func isOfAnotherBuild(_ generation: Generation, _ current: Current) throws(FileSystemError) -> Bool {
    guard let reader = try fileReader.stored(generation).reader else { return false }
    return reader.header.bundleVersion.map { TextKey($0) } != current.bundleVersion.map { TextKey($0) }
  }

  // MARK: Files that this process cannot read, which are kept for a process that can

  /// The files of an archive that need not be kept.
  ///
  /// Files that cannot be read are not counted, so that two loadable files remain. A later version removes its own
  /// files when it runs again.
  private func expendable(of archive: ArchiveName, _ catalog: GenerationCatalog, without held: Set<UInt64>) -> [Generation] {
    // Most saves remove at most one file; reading prefixes pays off only then.
    guard catalog.expendable(of: archive, limits: limits).contains(where: { !held.contains($0.number) }) else { return [] }
    var catalog = catalog
    var unreadable = 0
    catalog.generations.removeAll { generation in
      guard generation.archive == archive, generation.mark != .damaged, generation.mark != .declined else { return false }
      if generation.mark == .offered || generation.mark == .pinned { return false }
      if let isLater = try? fileReader.isOfLaterVersion(generation) { return isLater }
      // Limited, because on a disk that no longer returns data every save would add another file.
      unreadable += 1
      return unreadable <= limits.damagedFiles
    }
    return catalog.expendable(of: archive, limits: limits).filter { !held.contains($0.number) }
  }
}

extension RestorationStore {
  /// Pins the restored file, because part of it could not be restored.
  ///
  /// Later saves never replace it; it is kept until a limit removes it.
  package func pin(_ generation: Generation) {
    state.change { self.pin(generation, &$0) }
  }

  func pin(_ generation: Generation, _ state: inout State) {
    guard access == .writing, generation.mark == .none else { return }
    state.marksBeforeSave[generation] = state.marksBeforeSave[generation] ?? .pinned
  }

  /// Sets aside a file that the app has permanently declined.
  ///
  /// - Throws: ``StoreError``.
  package func decline(_ generation: Generation) throws(StoreError) {
    if generation.mark == .closed { return try endClosed(generation) }
    try withState { (state) throws(StoreError) in
      try lock(&state)
      let current = try catalog().candidates(for: generation.archive, ledger(state)).first
      try system { () throws(FileSystemError) in
        try folder.mark(generation, .declined)
        try folder.flush()
      }
      state.forgetCurrent(generation.archive)
      state.marksBeforeSave[generation] = nil
      state.skipped[generation] = nil
      try changeHistory(&state) { (history) throws(StoreError) in
        history.closeOffer(generation.number, of: generation.archive)
        // The answer ends the suspicion of a state that a launch would restore, and not that of another.
        if generation == current, generation.mark != .offered { history.pardon(generation.archive) }
      }
    }
    state.withLock { prune(generation.archive, &$0) }
  }

  /// Makes an older file current by saving it again as a new generation.
  ///
  /// - Returns: The new generation; nil if the current one already has this content.
  /// - Throws: ``StoreError``; ``StoreError/unusable(_:_:)`` if the file is not completely valid, in which case nothing
  ///   has changed.
  package func use(_ number: UInt64, of archive: ArchiveName = .application) throws(StoreError) -> Generation? {
    guard let generation = try generations(of: archive).first(where: { $0.number == number }) else { throw .noGeneration(number) }
    let stored = try system { () throws(FileSystemError) in try fileReader.stored(generation) }
    // A full check, because opening an archive reads only its two ends, and the save below removes older files.
    if let finding = stored.firstFinding { throw .unusable(number, finding) }
    guard case .bytes(let bytes, _, _) = stored else { throw .noGeneration(number) }
    return try save(bytes, as: archive) == .saved ? currentGeneration(of: archive) : nil
  }
}
