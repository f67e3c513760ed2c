public import FoundationValues
import Locking
public import RestorationArchive
import SystemLibrary

extension RestorationStore {
  /// Finds the best file of an archive: the newest that is intact and accepted, else the newest that is partly
  /// readable.
  ///
  /// This is for inspection. An app restores with ``restore(_:as:with:options:isolation:)``, which also finds out
  /// whether restoring crashed the app before, and records its progress.
  ///
  /// A file is completely checked before it is returned. A store that is open for writing sets damaged files aside, so
  /// that no save removes them. Files whose removal is pending are not found. If a launch was waiting for the storage,
  /// it begins here.
  ///
  /// If another thread or process saves meanwhile, files can be replaced between listing and opening; they are then
  /// listed again.
  ///
  /// - Parameters:
  ///   - archive: The name of the archive.
  ///   - declining: Returns why the app declines an archive, from its header and the time at which its content was last
  ///     confirmed unchanged; nil if it accepts it. The file of a declined archive is kept, and an older one is tried. It may
  ///     be called for the same file again if files were replaced meanwhile.
  /// - Returns: The best file, and an outcome for each file.
  /// - Throws: ``StoreError/system(_:)`` if the folder cannot be listed, or if its files keep being replaced;
  ///   ``StoreError`` if a waiting launch cannot begin, which is tried again at the next load.
  /// - Complexity: O(n) in the total bytes of the files tried.
  public func load(
    _ archive: ArchiveName = .application, declining: (ArchiveHeader, Date?) -> String? = { _, _ in nil }
  ) throws(StoreError) -> StoreLoad {
    guard canReach else { return StoreLoad(outcome: .pending, candidates: []) }
    try beginAwaitedLaunch()
    try renumber()
    let load = try consistentLoad(archive, declining)
    keepApart(load, archive)
    return load
  }

  /// A generation as far as it can be opened.
  package struct Opened {
    /// The archive with its links applied, possibly damaged.
    package let reader: ArchiveReader
    /// Its bytes.
    package let bytes: [UInt8]
    /// The numbers of applied and of lost links.
    package let links: (applied: Int, lost: Int)
  }

  /// Opens a generation with its first `count` links, possibly damaged; nil if that is not possible.
  package func opened(_ generation: Generation, links count: Int = .max) -> Opened? {
    guard let stored = try? self.stored(generation, links: count), let reader = stored.reader, case .bytes(let bytes, _, let links) = stored
    else { return nil }
    return Opened(reader: reader, bytes: bytes, links: (links.applied, links.lost.count))
  }

  /// The files of an archive that may be restored, in the order in which they are tried.
  private func candidates(for archive: ArchiveName) throws(StoreError) -> [Generation] {
    try predictedFiles(of: archive).candidates(for: archive)
  }

  /// Tries the files of an archive until none was replaced before it could be opened.
  private func consistentLoad(
    _ archive: ArchiveName, _ declining: (ArchiveHeader, Date?) -> String?
  ) throws(StoreError) -> StoreLoad {
    var absent: Set<Generation> = []
    // A file is replaced after two saves within one round, so a hundred rounds mean a process that saves without pause.
    for _ in 0..<100 {
      var trial = LoadTrial(store: self, confirmation: confirmation(of: archive))
      for generation in try candidates(for: archive) { trial.try(generation, declining: declining) }
      let load = trial.result
      // A file that is listed again but still cannot be opened was not replaced.
      let replaced = load.candidates.filter { $0.isAbsent && !absent.contains($0.generation) }
      guard !replaced.isEmpty else { return load }
      absent.formUnion(replaced.map(\.generation))
    }
    throw .system(FileSystemError(.open, code: ENOENT, path: absent.max()?.fileName ?? ""))
  }

  /// Renumbers files with out-of-range numbers, if this process may write.
  private func renumber() throws(StoreError) {
    guard access == .writing, try !catalog().renumberings.isEmpty else { return }
    try withState { (state) throws(StoreError) in
      guard (try? lock(&state)) != nil else { return }
      _ = try numberedCatalog(&state)
    }
  }

  func confirmation(of archive: ArchiveName) -> Confirmation? {
    let bytes = try? folder.readStart(of: Confirmation.fileName(for: archive), count: Confirmation.byteCount)
    return bytes.flatMap { Confirmation($0) }
  }

  /// Records the result of a load, and sets damaged files aside.
  private func keepApart(_ load: StoreLoad, _ archive: ArchiveName) {
    guard access == .writing else { return }
    state.change { [self] state in
      let newest = load.archive
      state.seen[archive] = (newest?.generation.number ?? 0, newest.map { $0.lastDigest ?? $0.reader.contentDigest })
      var hasDeclined = false
      for candidate in load.candidates {
        switch candidate.outcome {
        case .damaged, .notAFile: setAside(candidate.generation, as: .damaged, &state)
        // Still the best available state, so it is marked only when a save replaces it.
        case .partlyRestored: state.marksBeforeSave[candidate.generation] = .damaged
        case .unsupported: skip(candidate.generation, .laterVersion, &state)
        case .unreadable: skip(candidate.generation, .unreadable, &state)
        case .declined:
          // An older declined file was already superseded by this one.
          if !hasDeclined { skip(candidate.generation, .declined, &state) }
          hasDeclined = true
        case .taken: undoSkipping(candidate.generation, &state)
        default: break
        }
      }
      if let archive = load.archive, archive.lostLinks != nil { pin(archive.generation, &state) }
      if let archive = load.archive, archive.generation.mark == .none, !archive.isPartial, archive.lostLinks == nil {
        // What this process has written since stays known.
        guard state.current[archive.generation.archive]?.generation != archive.generation else { return }
        state.forgetCurrent(archive.generation.archive)
        state.current[archive.generation.archive] = Current(
          generation: archive.generation, digest: archive.reader.contentDigest, bundleVersion: archive.reader.header.bundleVersion,
          lastDigest: archive.lastDigest)
      }
    }
  }

  /// Undoes the skipping of a file that an earlier load could not read or declined.
  private func undoSkipping(_ generation: Generation, _ state: inout State) {
    guard let note = state.skipped[generation], [.laterVersion, .unreadable, .declined, .otherProcess].contains(note.reason) else { return }
    state.skipped[generation] = nil
    if state.marksBeforeSave[generation] == .offered { state.marksBeforeSave[generation] = nil }
  }

  /// Marks a file immediately, or before the next save if the rename fails or another process is writing.
  private func setAside(_ generation: Generation, as mark: Generation.Mark, _ state: inout State) {
    do throws(StoreError) {
      try lock(&state)
      try system { () throws(FileSystemError) in try folder.mark(generation, mark) }
    } catch {
      state.marksBeforeSave[generation] = mark
    }
  }
}
