import RestorationArchive

/// Removing archives: what is begun is on record, and finished by the next save or launch.
extension StoreWriter {
  /// Marks an archive for removal and cancels its pending saves.
  mutating func forget(_ archive: ArchiveName) {
    self[archive] = KnownArchive(seen: self[archive].seen)
    removals.insert(archive)
    forgotten.remove(archive)
  }

  /// Carries out the removals on record, and deletes the record.
  mutating func finishRemovals() throws(StoreError) {
    guard let group, !group.due.isEmpty else { return }
    let due = group.due
    // A scene that was opened again has newer files, and a history of its own.
    let kept = Set(try reader.catalog().generations.filter { $0.number > due[$0.archive] ?? 0 }.map(\.archive))
    let gone = due.keys.filter { !kept.contains($0) }
    // Before their files, because a scene may be opened again before these are gone. On a full disk the ledger is written after
    // them.
    for archive in gone { try? forgetHistory(of: archive) }
    try removeFiles { name in
      if let file = Generation(fileName: name)?.file ?? GenerationFile(fileName: name) { return group.isDue(file.archive, file.generation) }
      return gone.contains { name == Confirmation.fileName(for: $0) }
    }
    for archive in gone { try forgetHistory(of: archive) }
    try endGroup()
  }

  /// Removes the deaths, offers and quarantined nodes of an archive: the state that they refer to is gone.
  ///
  /// Once for each removal, because the scene may be opened again before its files are gone.
  mutating func forgetHistory(of archive: ArchiveName) throws(StoreError) {
    guard launch.history != nil else {
      if forgotten.contains(archive) { return }
      try changeHistory { $0.forget(archive) }
      forgotten.insert(archive)
      return
    }
    // The memory stays changed if the ledger cannot be written: a later change writes it.
    if forgotten.insert(archive).inserted { launch.update { $0.forget(archive) } }
    try writeLedger()
  }

  /// Removes everything that was saved.
  ///
  /// - Throws: The first error, after everything that can be removed is removed.
  mutating func forgetEverything() throws(StoreError) {
    guard access == .writing else { throw .readingOnly }
    // In memory first: a deferred save must not come back because a file could not be removed.
    archives = archives.mapValues { KnownArchive(seen: $0.seen) }
    launch.update { $0.forgetEverything() }
    writtenLedger = nil
    try lock()
    defer {
      // The open record may be unlinked, so that the next launch could not read it.
      launch.dropProgress()
      beginProgressIfNeeded()
      removals = []
    }
    // On record first: if the process dies, or a file cannot be removed, no archive is left without the others.
    let catalog = try reader.catalog()
    let all = Dictionary(catalog.byArchive.map { ($0, $1.lastNumber(of: $0) ?? 0) }) { first, _ in first }
    let group = SaveGroup(due: all.merging(group?.due ?? [:]) { max($0, $1) })
    self.group = group
    try? replaceGroup(group)
    try removeFiles { name in
      StoreFileName.isFinished(name) || StoreFileName.isUnfinished(name) || name == ProgressFile.fileName
    }
    try endGroup()
  }

  private mutating func removeFiles(_ isMeant: (String) -> Bool) throws(StoreError) {
    try lock()
    let names = try system { () throws(FileSystemError) in try folder.names() }
    var failure: FileSystemError?
    for name in names where isMeant(name) {
      do throws(FileSystemError) {
        try takeBack(name)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw .system(failure) }
    try system { () throws(FileSystemError) in try folder.flush() }
  }
}

/// Removing files that need not be kept.
extension StoreWriter {
  /// Removes files that need not be kept, and leftovers of interrupted saves.
  ///
  /// A file that cannot be removed is tried again at the next save.
  mutating func prune(_ archive: ArchiveName) {
    guard let names = try? folder.names() else { return }
    let catalog = folder.catalog(of: names)
    let ledger = ledger
    let held = ledger.held(of: archive).union(restoring.lazy.filter { $0.archive == archive }.map(\.number))
    endSurplus(of: archive, catalog, ledger, without: held)
    for generation in expendable(of: archive, catalog, without: held) { try? removeFiles(of: generation, catalog) }
    for link in catalog.orphans where !catalog.isRecent(link) { try? folder.remove(link.fileName) }
    for name in names where StoreFileName.isUnfinished(name) { try? folder.remove(name) }
  }

  /// Removes pinned and offered files beyond the limits, after recording them for the next launch report.
  ///
  /// The last file of the previous build is frozen instead of removed.
  private mutating func endSurplus(
    of archive: ArchiveName, _ catalog: GenerationCatalog, _ ledger: LaunchLedger, without held: Set<UInt64>
  ) {
    let current = catalog.candidates(for: archive, ledger).first
    let protected = held.union(current.map { [$0.number] } ?? [])
    let surplus = catalog.surplus(of: archive, limits: limits, without: protected)
    guard !surplus.isEmpty else { return }
    do throws(StoreError) {
      try changeHistory { $0.noteEnded(surplus) }
    } catch {
      // The file is kept until its removal can be recorded.
      return
    }
    // Only the newest of them may have to be frozen: no file may be newer than a frozen one.
    var lastFrozen = catalog.generations(of: archive).first { $0.mark == .frozen }?.number ?? 0
    for generation in surplus {
      if let current = self[archive].current, generation.number > lastFrozen, (try? isOfAnotherBuild(generation, current)) == true {
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
    try takeBack(generation.fileName)
    for link in catalog.links(of: generation) { try? folder.remove(link.fileName) }
  }

  private func isOfAnotherBuild(_ generation: Generation, _ current: Current) throws -> Bool {
    // Not the whole file: reading that may have ended the process.
    let header = try StoredArchive.header(of: generation.fileName, in: folder)
    return header.bundleVersion.map { TextKey($0) } != current.bundleVersion.map { TextKey($0) }
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
      if let isLater = try? reader.isOfLaterVersion(generation) { return isLater }
      // Limited, because on a disk that no longer returns data every save would add another file.
      unreadable += 1
      return unreadable <= limits.damagedFiles
    }
    return catalog.expendable(of: archive, limits: limits).filter { !held.contains($0.number) }
  }
}
