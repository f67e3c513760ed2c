import RestorationArchive

/// Removing files that need not be kept.
extension RestorationStore {
  /// Removes files that need not be kept, and leftovers of interrupted saves.
  ///
  /// A file that cannot be removed is tried again at the next save.
  func prune(_ archive: ArchiveName, _ state: inout State) {
    guard let names = try? folder.names() else { return }
    let catalog = GenerationCatalog(names: names)
    let ledger = ledger(state)
    endSurplus(of: archive, catalog, ledger, &state)
    for generation in expendable(of: archive, catalog, without: ledger.held(of: archive)) { try? removeFiles(of: generation, catalog) }
    for link in GenerationCatalog(names: (try? folder.names()) ?? []).orphans { try? folder.remove(link.fileName) }
    for name in names where StoreFileName.isUnfinished(name) { try? folder.remove(name) }
  }

  /// Removes pinned and offered files beyond the limits, after recording them for the next launch report.
  ///
  /// The last file of the previous build is frozen instead of removed.
  private func endSurplus(of archive: ArchiveName, _ catalog: GenerationCatalog, _ ledger: LaunchLedger, _ state: inout State) {
    let current = catalog.candidates(for: archive, ledger).first
    let protected = ledger.held(of: archive).union(current.map { [$0.number] } ?? [])
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
      if let current = state.current[archive], generation.number > lastFrozen, (try? isOfAnotherBuild(generation, current)) == true {
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
    guard let reader = try stored(generation).reader else { return false }
    return reader.header.bundleVersion != current.bundleVersion
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
      if let isLater = try? isOfLaterVersion(generation) { return isLater }
      // Limited, because on a disk that no longer returns data every save would add another file.
      unreadable += 1
      return unreadable <= limits.damaged
    }
    return catalog.expendable(of: archive, limits: limits).filter { !held.contains($0.number) }
  }

  /// Returns whether a file is of a later version of the format; nil if it is damaged or not an archive.
  func isOfLaterVersion(_ generation: Generation) throws(FileSystemError) -> Bool? {
    FormatVersion.isLater(prefix: try folder.readStart(of: generation.fileName, count: FormatVersion.prefixByteCount))
  }
}
