#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import RestorationArchive
import Locking

extension RestorationStore {
  /// Saves an archive atomically and durably.
  ///
  /// When it returns, the state is on disk. When it throws, the previous state is still there, and the next save
  /// succeeds once the cause is gone. Content that is already current is not written again.
  ///
  /// - Parameters:
  ///   - bytes: The archive.
  ///   - archive: The name of the archive.
  ///   - time: The current time, recorded as the confirmation time if the content is unchanged.
  /// - Returns: The outcome.
  /// - Throws: ``StoreError``, also if an earlier pending removal failed, although the archive is then saved;
  ///   ``StoreError/inUse(by:)`` if this process lost the lock and another one is writing. A later save succeeds once
  ///   that process has ended.
  @discardableResult
  public func save(_ bytes: [UInt8], as archive: ArchiveName = .application, at time: Date? = nil) throws(StoreError) -> SaveOutcome {
    try save(Result { () throws(StoreError) in try ArchiveToSave(bytes) }, as: archive, at: time) { _ in }
  }

  /// Saves an archive; `prepare` updates the state first, even if `result` is an error.
  private func save(
    _ result: Result<ArchiveToSave, StoreError>, as archive: ArchiveName, at time: Date?, prepare: (inout State) -> Void
  ) throws(StoreError) -> SaveOutcome {
    let removalCount = removalCount(of: archive)
    // The app's closure may wait for another thread or use the store, so no lock may be held.
    let canReach = access == .writing && canReach
    let outcome = try save(result, as: archive, at: time, canReach: canReach, removalCount: removalCount, prepare: prepare)
    // The storage may have become available since the check above, after `writeDeferred(at:)` had found nothing; try once
    // more.
    guard case .deferred = outcome, self.canReach else { return outcome }
    return try writeDeferred(archive, at: time) ?? (removalCount == self.removalCount(of: archive) ? outcome : .removed)
  }

  /// Saves an archive with a known accessibility of the storage.
  ///
  /// `removalCount` is the archive's number of removals when the save was submitted.
  func save(
    _ result: Result<ArchiveToSave, StoreError>, as archive: ArchiveName, at time: Date?, canReach: Bool, removalCount: UInt64,
    prepare: (inout State) -> Void
  ) throws(StoreError) -> SaveOutcome {
    try withState { (state) throws(StoreError) -> SaveOutcome in
      // A removal is counted before it waits for the state: either it finds what this save wrote, or this save finds it
      // counted.
      guard removalCount == self.removalCount(of: archive) else { return .removed }
      if access == .writing {
        beginRemoval(of: archive, &state)
        prepare(&state)
      }
      var saved = try result.get()
      guard canReach else {
        guard access == .writing else { throw .readingOnly }
        state.deferred[archive] = try saved.opened().bytes
        return .deferred
      }
      // Opened before any other file is given up for it, because it may not be a valid archive.
      if state.current[archive]?.digest != saved.digest { _ = try saved.opened() }
      return try write(saved, as: archive, at: time, isDeferred: false, &state)
    }
  }

  /// Writes the deferred save of an archive, now that the storage is accessible; nil if there is none.
  func writeDeferred(_ archive: ArchiveName, at time: Date?) throws(StoreError) -> SaveOutcome? {
    try withState { (state) throws(StoreError) in try writeDeferred(archive, at: time, &state) }
  }

  private func writeDeferred(_ archive: ArchiveName, at time: Date?, _ state: inout State) throws(StoreError) -> SaveOutcome? {
    guard let bytes = state.deferred[archive] else { return nil }
    // A state saved earlier that this launch has never loaded is not silently replaced.
    if let unseen = try catalog().current(of: archive), state.current[archive]?.generation != unseen, !state.isPendingRemoval(unseen),
      state.marksBeforeSave[unseen] == nil
    {
      skip(unseen, .newerState, &state)
    }
    return try write(ArchiveToSave(bytes), as: archive, at: time, isDeferred: true, &state)
  }

  /// Saves an archive as returned by the writer; copies its bytes on the caller's thread.
  ///
  /// - Parameters:
  ///   - data: The archive.
  ///   - archive: The name of the archive.
  ///   - time: The current time, recorded as the confirmation time if the content is unchanged.
  /// - Returns: The outcome.
  /// - Throws: ``StoreError``.
  @discardableResult
  public func save(_ data: Data, as archive: ArchiveName = .application, at time: Date? = nil) throws(StoreError) -> SaveOutcome {
    try save([UInt8](data), as: archive, at: time)
  }

  /// Assembles and saves an encoded archive.
  ///
  /// - Parameters:
  ///   - encoded: The output of a writer.
  ///   - archive: The name of the archive.
  ///   - time: The current time, recorded as the confirmation time if the content is unchanged.
  /// - Returns: The outcome.
  /// - Throws: ``StoreError``.
  @discardableResult
  public func save(
    _ encoded: EncodedArchive, as archive: ArchiveName = .application, at time: Date? = nil
  ) throws(StoreError) -> SaveOutcome {
    try save(Result { () throws(StoreError) in try ArchiveToSave(encoded) }, as: archive, at: time) { _ in }
  }

  /// Writes the newest deferred save of each archive and completes pending removals, once the storage is accessible.
  ///
  /// - Returns: The number of archives written.
  /// - Throws: The first ``StoreError``, after everything that can be written and removed is done. Saves that failed
  ///   stay deferred.
  @discardableResult
  public func writeDeferred(at time: Date? = nil) throws(StoreError) -> Int {
    guard canReach else { return 0 }
    return try withState { (state) throws(StoreError) in
      var count = 0
      var failure: StoreError?
      // A failed write or removal must not stop the others.
      for archive in state.deferred.keys.sorted(by: { $0.fileName < $1.fileName }) {
        do throws(StoreError) {
          if try writeDeferred(archive, at: time, &state) != nil { count += 1 }
        } catch {
          failure = failure ?? error
        }
      }
      for archive in state.forgotten.keys.sorted(by: { $0.fileName < $1.fileName }) where state.deferred[archive] == nil {
        do throws(StoreError) {
          try removeForgotten(archive, &state)
        } catch {
          failure = failure ?? error
        }
      }
      if let failure { throw failure }
      return count
    }
  }

  // MARK: Steps

  /// Writes an archive or its deferred save; retries once if the folder or lock was lost meanwhile.
  private func write(
    _ saved: ArchiveToSave, as archive: ArchiveName, at time: Date?, isDeferred: Bool, _ state: inout State
  ) throws(StoreError) -> SaveOutcome {
    try lock(&state)
    let losing = state.losing[archive]
    do throws(StoreError) {
      return try writeOnce(saved, as: archive, at: time, isDeferred: isDeferred, &state)
    } catch {
      guard case .system(let cause) = error, cause.isAbsence || cause == lostLock else { throw error }
      // Starts over, because another process may have used the same number meanwhile.
      try lock(&state)
      if let losing { state.losing[archive, default: []].formUnion(losing) }
      return try writeOnce(saved, as: archive, at: time, isDeferred: isDeferred, &state)
    }
  }

  private func writeOnce(
    _ saved: ArchiveToSave, as archive: ArchiveName, at time: Date?, isDeferred: Bool, _ state: inout State
  ) throws(StoreError) -> SaveOutcome {
    var saved = saved
    // First, because judging the last launch reads the files. A failure does not prevent the save; the launch begins
    // later.
    try? beginAwaitedLaunch(&state)
    var catalog = try numberedCatalog(&state)
    offerChanging(archive, catalog, &state)
    let losses = pinLosing(archive, catalog, &state)
    let current = current(of: archive, catalog, state)
    if var current, current.digest == saved.digest, isLoadedNext(current.generation, catalog, state) {
      if !current.isFlushed { try flushNames(&state) }
      current.isFlushed = true
      if let time { confirm(archive, Confirmation(digest: current.digest.rawValue, time: time)) }
      current.lacks = losses
      try noteSaved(current, &state)
      noteOffers(of: archive, &state)
      _ = state.history?.noteSaved(archive, isChanged: false)
      return .unchanged(current.generation)
    }
    let (bytes, reader) = try saved.opened()
    let bundleVersion = reader.header.bundleVersion
    if let current, current.bundleVersion != bundleVersion, state.marksBeforeSave[current.generation] == nil {
      state.marksBeforeSave[current.generation] = .frozen
    }
    if try mark(archive, where: { $0 != .damaged }, &state) { catalog = try numberedCatalog(&state) }
    guard let number = catalog.nextNumber else { throw .noGeneration(.max) }
    let generation = Generation(archive, number)
    state.current[archive] = nil
    // Set even if the last step fails, because the file may exist by then.
    if state.forgotten[archive]?.firstKept == nil { state.forgotten[archive]?.firstKept = number }
    do throws(StoreError) {
      try replace(generation.fileName, with: bytes, &state)
    } catch {
      // If only the last step failed, the file exists: the deferred save is older and must not overwrite it.
      if !isDeferred, (try? folder.names())?.contains(generation.fileName) == true { state.deferred[archive] = nil }
      throw error
    }
    if let time { confirm(archive, Confirmation(digest: saved.digest.rawValue, time: time)) }
    // A partly readable file stays in place until the new one exists.
    let isMarked = (try? mark(archive, where: { $0 == .damaged }, &state)) != nil
    noteOffers(of: archive, &state)
    let written = Current(generation: generation, digest: saved.digest, bundleVersion: bundleVersion, lacks: losses, isFlushed: true)
    state.current[archive] = written
    if isMarked { prune(archive, &state) }
    if state.history?.noteSaved(archive, isChanged: true) == true { writeBreadcrumb(&state) }
    try noteSaved(written, &state)
    return .saved(generation)
  }

  /// Whether the next launch would load this file first: it is the newest, unmarked, and not pending removal.
  private func isLoadedNext(_ generation: Generation, _ catalog: GenerationCatalog, _ state: State) -> Bool {
    catalog.candidates(for: generation.archive, ledger(state)).first == generation && state.marksBeforeSave[generation] == nil
      && !state.isPendingRemoval(generation)
  }

  /// Updates the state after content is on disk.
  private func noteSaved(_ current: Current, _ state: inout State) throws(StoreError) {
    state.current[current.generation.archive] = current
    state.deferred[current.generation.archive] = nil
    // An earlier attempt may have failed.
    try? writeLedger(&state)
    try removeForgotten(current.generation.archive, &state)
  }

  /// The launch ledger: in memory if the launch has begun, else from disk.
  func ledger(_ state: borrowing State) -> LaunchLedger { state.history?.ledger ?? readLedger() ?? LaunchLedger() }

  /// Turns the current file into an offer for quarantined nodes whose objects the user has changed, because it has
  /// their state.
  private func offerChanging(_ archive: ArchiveName, _ catalog: GenerationCatalog, _ state: inout State) {
    guard let changing = state.changing[archive], let ledger = state.history?.ledger else { return }
    let paths = ledger.quarantined.filter { $0.archive == archive && changing.contains($0.path) }.map(\.path)
    guard !paths.isEmpty, let current = catalog.candidates(for: archive, ledger).first else {
      state.changing[archive] = nil
      return
    }
    skip(current, .quarantine, paths: paths, &state)
  }

  /// Records the skipped files as offers, now that a newer file exists.
  private func noteOffers(of archive: ArchiveName, _ state: inout State) {
    let notes = state.skipped.filter { $0.key.archive == archive }.values.sorted { $0.number < $1.number }
    guard !notes.isEmpty else { return }
    // The file's mark already makes it an offer; without a note only the reason is unknown.
    try? changeHistory(&state) { (history) throws(StoreError) in history.noteOffers(notes, of: archive) }
    state.skipped = state.skipped.filter { $0.key.archive != archive }
    state.changing[archive] = nil
  }

  /// Pins the current file if the next one lacks state that is in it, unless another file is already pinned for that
  /// state.
  ///
  /// - Returns: The nodes whose state the next file lacks.
  private func pinLosing(_ archive: ArchiveName, _ catalog: GenerationCatalog, _ state: inout State) -> Set<RestorationPath> {
    guard let losses = state.losing.removeValue(forKey: archive) else { return [] }
    let candidates = catalog.candidates(for: archive, ledger(state))
    // Newer files that cannot be read may be ahead of the known one.
    let known = state.current[archive].flatMap { candidates.contains($0.generation) ? $0 : nil }
    guard let generation = known?.generation ?? candidates.first else { return losses }
    let numbers = Set(candidates.map(\.number))
    let pinnedFor = state.pinnedFor[archive] ?? [:]
    let unkept = losses.subtracting(known?.lacks ?? []).filter { path in pinnedFor[path].map { !numbers.contains($0) } ?? true }
    guard !unkept.isEmpty else { return losses }
    pin(generation, &state)
    for path in unkept { state.pinnedFor[archive, default: [:]][path] = generation.number }
    return losses
  }

  /// Writes a file, and flushes its name and the folder's own name.
  private func replace(_ name: String, with bytes: [UInt8], _ state: inout State) throws(StoreError) {
    try system { () throws(FileSystemError) in
      try folder.replace(name, with: bytes) { () throws(FileSystemError) in try expectLock(state) }
    }
    if !state.isFolderFlushed { try flushNames(&state) }
  }

  /// Flushes the names in the folder and the folder's own name, which an earlier process may not have flushed.
  ///
  /// Flushing a folder does not cover its own name, which is an entry of the parent folder. A process may have created
  /// the folder and died before flushing the parent.
  private func flushNames(_ state: inout State) throws(StoreError) {
    try system { () throws(FileSystemError) in
      try folder.flush()
      if !state.isFolderFlushed { try folder.flushAbove() }
    }
    state.isFolderFlushed = true
  }

  /// Returns the files after giving a usable number to each file whose number is out of range, in the same order.
  ///
  /// Otherwise one file with the greatest possible number would stay the newest forever.
  func numberedCatalog(_ state: inout State) throws(StoreError) -> GenerationCatalog {
    var catalog = try catalog()
    for (old, new) in catalog.renumberings {
      catalog.generations.removeAll { $0 == old }
      do throws(FileSystemError) {
        try folder.rename(old.fileName, to: new.fileName)
        catalog.generations.append(new)
        state.rename(old, to: new)
      } catch {
        // A file that is not an archive is skipped by the next load anyway; a loadable one would hide every later save.
        if !error.isAbsence, (try? prefix(of: old)) != nil { throw .system(error) }
      }
    }
    catalog.generations.sort(by: >)
    return catalog
  }

  /// The known properties of the current file, or those read from the file.
  private func current(of archive: ArchiveName, _ catalog: GenerationCatalog, _ state: State) -> Current? {
    guard let generation = catalog.current(of: archive) else { return nil }
    if let known = state.current[archive], known.generation == generation { return known }
    // New content is compared only with a file that is valid as a whole.
    let stored = try? StoredArchive(generation, in: folder)
    guard let stored, stored.firstFinding == nil, let reader = stored.reader else { return nil }
    return Current(generation: generation, digest: reader.contentDigest, bundleVersion: reader.header.bundleVersion)
  }

  /// Marks the files that a save must not replace.
  ///
  /// - Returns: Whether any file was marked.
  @discardableResult
  private func mark(
    _ archive: ArchiveName, where isMeant: (Generation.Mark) -> Bool, _ state: inout State
  ) throws(StoreError) -> Bool {
    let marks = state.marksBeforeSave.filter { $0.key.archive == archive && isMeant($0.value) }
    guard !marks.isEmpty else { return false }
    for (generation, mark) in marks.sorted(by: { $0.key < $1.key }) {
      do throws(FileSystemError) {
        try folder.rename(generation.fileName, to: generation.marked(mark).fileName)
      } catch {
        // The file was removed meanwhile, so there is nothing to keep.
        guard error.isAbsence else { throw .system(error) }
      }
      state.marksBeforeSave[generation] = nil
    }
    try system { () throws(FileSystemError) in try folder.flush() }
    return true
  }

  /// Writes the time at which content was last found unchanged.
  ///
  /// Failures are ignored: the state only looks older than it is.
  private func confirm(_ archive: ArchiveName, _ confirmation: Confirmation) {
    guard let (file, _) = try? folder.openOwn(Confirmation.fileName(for: archive)) else { return }
    defer { folder.system.close(file) }
    try? folder.write(confirmation.encoded, to: file, at: 0)
  }

  /// Removes files that need not be kept, and leftovers of interrupted saves.
  ///
  /// A file that cannot be removed is tried again at the next save.
  func prune(_ archive: ArchiveName, _ state: inout State) {
    guard let names = try? folder.names() else { return }
    let catalog = GenerationCatalog(names: names)
    endSurplus(of: archive, catalog, &state)
    for generation in expendable(of: archive, catalog, state) { try? folder.remove(generation.fileName) }
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
        try? folder.remove(generation.fileName)
      }
    }
  }

  /// Whether a file would have been frozen by a new build if it had not been marked; no newer file may be frozen.
  private func isLastOfAnotherBuild(_ generation: Generation, _ current: Current) throws(FileSystemError) -> Bool {
    let generations = try folder.names().compactMap { Generation(fileName: $0) }
    let hasNewer = generations.contains { $0.archive == generation.archive && $0.mark == .frozen && $0.number > generation.number }
    guard !hasNewer else { return false }
    guard let reader = try StoredArchive(generation, in: folder).reader else { return false }
    return reader.header.bundleVersion != current.bundleVersion
  }
}
