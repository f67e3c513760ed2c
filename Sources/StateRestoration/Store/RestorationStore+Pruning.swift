import RestorationArchive

/// Removing files that need not be kept.
extension RestorationStore {
  /// Removes files that need not be kept, and leftovers of interrupted saves.
  ///
  /// A file that cannot be removed is tried again at the next save.
  func prune(_ archive: ArchiveName, _ state: inout State) {
    guard let names = try? folder.names() else { return }
    let catalog = GenerationCatalog(names: names)
    endSurplus(of: archive, catalog, &state)
    for generation in expendable(of: archive, catalog, state) { try? removeFiles(of: generation) }
    for link in GenerationCatalog(names: (try? folder.names()) ?? []).orphans { try? folder.remove(link.fileName) }
    for name in names where StoreFileName.isUnfinished(name) { try? folder.remove(name) }
  }

  /// Removes pinned and offered files beyond the limits, after recording them for the next launch report.
  ///
  /// The last file of the previous build is frozen instead of removed.
  private func endSurplus(of archive: ArchiveName, _ catalog: GenerationCatalog, _ state: inout State) {
    let candidates = catalog.candidates(for: archive, ledger(state))
    let protected = (state.history?.onTrial(archive) ?? []).union(candidates.first.map { [$0.number] } ?? [])
    let surplus = catalog.surplus(of: archive, limits: limits, without: protected)
    guard !surplus.isEmpty else { return }
    do throws(StoreError) {
      try changeHistory(&state) { (history) throws(StoreError) in
        history.noteEnded(surplus.map { EndedFile(archive: archive, generation: $0) })
      }
    } catch {
      // The file is kept until its removal can be recorded.
      return
    }
    for generation in surplus {
      if let current = state.current[archive], (try? isLastOfAnotherBuild(generation, current)) == true {
        try? folder.rename(generation.fileName, to: generation.marked(.frozen).fileName)
      } else {
        try? removeFiles(of: generation)
      }
    }
  }

  /// Removes the files of a generation: first the archive, because its links are worth nothing without it.
  ///
  /// A link that cannot be removed is left to the next pruning.
  func removeFiles(of generation: Generation) throws(FileSystemError) {
    let links = GenerationCatalog(names: try folder.names()).links(of: generation)
    try folder.remove(generation.fileName)
    for link in links { try? folder.remove(link.fileName) }
  }

  /// Whether a file would have been frozen by a new build if it had not been marked; no newer file may be frozen.
  private func isLastOfAnotherBuild(_ generation: Generation, _ current: Current) throws(FileSystemError) -> Bool {
    let generations = try folder.names().compactMap { Generation(fileName: $0) }
    let hasNewer = generations.contains { $0.archive == generation.archive && $0.mark == .frozen && $0.number > generation.number }
    guard !hasNewer else { return false }
    guard let reader = try stored(generation).reader else { return false }
    return reader.header.bundleVersion != current.bundleVersion
  }

  // MARK: Files that this process cannot read, which are kept for a process that can

  /// The files of an archive that need not be kept.
  ///
  /// Files that cannot be read are not counted, so that two loadable files remain. A later version removes its own
  /// files when it runs again.
  func expendable(of archive: ArchiveName, _ catalog: GenerationCatalog, _ state: State) -> [Generation] {
    // Most saves remove at most one file; reading prefixes pays off only then.
    guard !catalog.expendable(of: archive, limits: limits).isEmpty else { return [] }
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
    return catalog.expendable(of: archive, limits: limits)
  }

  /// Returns whether a file is of a later version of the format; nil if it is damaged or not an archive.
  func isOfLaterVersion(_ generation: Generation) throws(FileSystemError) -> Bool? {
    FormatVersion.isLater(prefix: try folder.readStart(of: generation.fileName, count: FormatVersion.prefixByteCount))
  }
}
