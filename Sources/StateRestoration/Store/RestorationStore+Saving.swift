#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import RestorationArchive
import Locking

extension RestorationStore {
  /// Saves an archive, atomically and durably.
  ///
  /// When it returns, the state is on the disk. When it throws, what was saved before is still there, and the next save works once the reason
  /// is gone. Content that is already current is not written again.
  ///
  /// - Parameters:
  ///   - bytes: An archive.
  ///   - archive: Which one it is.
  ///   - time: What time it is, which is noted as the time of confirmation if the content is unchanged.
  /// - Returns: What came of it.
  /// - Throws: ``StoreError``; also if what was to be forgotten before could not be removed, though the archive is saved then;
  ///   ``StoreError/inUse(by:)`` if the lock was taken from under this process, and another one writes now. A later save works when that has
  ///   ended.
  @discardableResult
  public func save(_ bytes: [UInt8], as archive: ArchiveName = .application, at time: Date? = nil) throws(StoreError) -> SaveOutcome {
    try save(Result { () throws(StoreError) in try ArchiveToSave(bytes) }, as: archive, at: time) { _ in }
  }

  /// Saves an archive; `prepare` notes what is to be done with it, also if there is none.
  private func save(
    _ result: Result<ArchiveToSave, StoreError>, as archive: ArchiveName, at time: Date?, prepare: (inout State) -> Void
  ) throws(StoreError) -> SaveOutcome {
    let removalCount = removalCount(of: archive)
    // The app's closure may wait for another thread, or ask the store: nothing may be locked then.
    let canReach = access == .writing && canReach
    let outcome = try save(result, as: archive, at: time, canReach: canReach, removalCount: removalCount, prepare: prepare)
    // Since it was asked the files may have come within reach, and whoever was told so may have found nothing held.
    guard case .held = outcome, self.canReach else { return outcome }
    return try writeHeld(archive, at: time) ?? (removalCount == self.removalCount(of: archive) ? outcome : .removed)
  }

  /// The same, where the app has said whether the files can be reached, and the save was submitted after so many removals of the archive.
  func save(
    _ result: Result<ArchiveToSave, StoreError>, as archive: ArchiveName, at time: Date?, canReach: Bool, removalCount: UInt64,
    prepare: (inout State) -> Void
  ) throws(StoreError) -> SaveOutcome {
    try withState { (state) throws(StoreError) -> SaveOutcome in
      // A removal counts before it waits for the state: it finds what was written, or this finds that it was counted.
      guard removalCount == self.removalCount(of: archive) else { return .removed }
      if access == .writing {
        beginRemoval(of: archive, &state)
        prepare(&state)
      }
      var saved = try result.get()
      guard canReach else {
        guard access == .writing else { throw .readingOnly }
        state.held[archive] = try saved.opened().bytes
        return .held
      }
      // Before anything is given up for an archive that is none.
      if state.current[archive]?.digest != saved.digest { _ = try saved.opened() }
      return try write(saved, as: archive, at: time, isHeld: false, &state)
    }
  }

  /// Writes what is held of an archive, now that the files can be reached; nil if nothing is.
  func writeHeld(_ archive: ArchiveName, at time: Date?) throws(StoreError) -> SaveOutcome? {
    try withState { (state) throws(StoreError) in try writeHeld(archive, at: time, &state) }
  }

  private func writeHeld(_ archive: ArchiveName, at time: Date?, _ state: inout State) throws(StoreError) -> SaveOutcome? {
    guard let bytes = state.held[archive] else { return nil }
    // What was saved before and nobody has seen at this launch is not simply replaced.
    if let unseen = try catalog().current(of: archive), state.current[archive]?.generation != unseen, !state.isToGo(unseen),
      state.marksBeforeSave[unseen] == nil
    {
      passOver(unseen, .newerState, &state)
    }
    return try write(ArchiveToSave(bytes), as: archive, at: time, isHeld: true, &state)
  }

  /// Saves an archive as the writer returns it; its bytes are copied, on the thread of the caller.
  ///
  /// - Parameters:
  ///   - data: An archive.
  ///   - archive: Which one it is.
  ///   - time: What time it is, which is noted as the time of confirmation if the content is unchanged.
  /// - Returns: What came of it.
  /// - Throws: ``StoreError``.
  @discardableResult
  public func save(_ data: Data, as archive: ArchiveName = .application, at time: Date? = nil) throws(StoreError) -> SaveOutcome {
    try save([UInt8](data), as: archive, at: time)
  }

  /// Saves an archive that was encoded, and puts it together for that.
  ///
  /// - Parameters:
  ///   - encoded: What a writer handed over.
  ///   - archive: Which one it is.
  ///   - time: What time it is, which is noted as the time of confirmation if the content is unchanged.
  /// - Returns: What came of it.
  /// - Throws: ``StoreError``.
  @discardableResult
  public func save(
    _ encoded: EncodedArchive, as archive: ArchiveName = .application, at time: Date? = nil
  ) throws(StoreError) -> SaveOutcome {
    try save(Result { () throws(StoreError) in try ArchiveToSave(encoded) }, as: archive, at: time) { _ in }
  }

  /// Writes what was held while the folder could not be reached, the newest of each archive, and removes what was to be removed.
  ///
  /// - Returns: The number of archives that were written.
  /// - Throws: The first ``StoreError``; all that can be written and removed is, and what was not written is still held.
  @discardableResult
  public func writeHeld(at time: Date? = nil) throws(StoreError) -> Int {
    guard canReach else { return 0 }
    return try withState { (state) throws(StoreError) in
      var count = 0
      var failure: StoreError?
      // One that cannot be written, or removed, does not keep the others from it.
      for archive in state.held.keys.sorted(by: { $0.fileName < $1.fileName }) {
        do throws(StoreError) {
          if try writeHeld(archive, at: time, &state) != nil { count += 1 }
        } catch {
          failure = failure ?? error
        }
      }
      for archive in state.forgotten.keys.sorted(by: { $0.fileName < $1.fileName }) where state.held[archive] == nil {
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

  /// Writes an archive, or what is held of it; once more, where folder or lock were taken from under this process meanwhile.
  private func write(
    _ saved: ArchiveToSave, as archive: ArchiveName, at time: Date?, isHeld: Bool, _ state: inout State
  ) throws(StoreError) -> SaveOutcome {
    try lock(&state)
    let losing = state.losing[archive]
    do throws(StoreError) {
      return try writeOnce(saved, as: archive, at: time, isHeld: isHeld, &state)
    } catch {
      guard case .system(let cause) = error, cause.isAbsence || cause == lostLock else { throw error }
      // From the beginning, because another process may have given the same number meanwhile.
      try lock(&state)
      if let losing { state.losing[archive, default: []].formUnion(losing) }
      return try writeOnce(saved, as: archive, at: time, isHeld: isHeld, &state)
    }
  }

  private func writeOnce(
    _ saved: ArchiveToSave, as archive: ArchiveName, at time: Date?, isHeld: Bool, _ state: inout State
  ) throws(StoreError) -> SaveOutcome {
    var saved = saved
    // First, because whom to blame is looked up among the files. If it cannot begin that is no reason not to save, and it begins later.
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
    // Also if the last step fails: the file may be there then.
    if state.forgotten[archive]?.firstKept == nil { state.forgotten[archive]?.firstKept = number }
    do throws(StoreError) {
      try replace(generation.fileName, with: bytes, &state)
    } catch {
      // The file may be there although the last step failed: then what is held is older, and must not be written over it.
      if !isHeld, (try? folder.names())?.contains(generation.fileName) == true { state.held[archive] = nil }
      throw error
    }
    if let time { confirm(archive, Confirmation(digest: saved.digest.rawValue, time: time)) }
    // What can be restored in part is there for as long as nothing else is.
    let isMarked = (try? mark(archive, where: { $0 == .damaged }, &state)) != nil
    noteOffers(of: archive, &state)
    let written = Current(generation: generation, digest: saved.digest, bundleVersion: bundleVersion, lacks: losses, isFlushed: true)
    state.current[archive] = written
    if isMarked { prune(archive, &state) }
    if state.history?.noteSaved(archive, isChanged: true) == true { writeBreadcrumb(&state) }
    try noteSaved(written, &state)
    return .saved(generation)
  }

  /// Whether the next launch takes a file if it can: it is the newest one, is not set apart by the next save, and is not to be forgotten.
  private func isLoadedNext(_ generation: Generation, _ catalog: GenerationCatalog, _ state: State) -> Bool {
    catalog.candidates(for: generation.archive, ledger(state)).first == generation && state.marksBeforeSave[generation] == nil
      && !state.isToGo(generation)
  }

  /// What is to be done when a state is on the disk.
  private func noteSaved(_ current: Current, _ state: inout State) throws(StoreError) {
    state.current[current.generation.archive] = current
    state.held[current.generation.archive] = nil
    // It may not have been possible before.
    try? writeLedger(&state)
    try removeForgotten(current.generation.archive, &state)
  }

  /// What is remembered of launches.
  func ledger(_ state: borrowing State) -> LaunchLedger { state.history?.ledger ?? readLedger() ?? LaunchLedger() }

  /// Has the current file offered for quarantined nodes whose objects the user has changed: it has their state.
  private func offerChanging(_ archive: ArchiveName, _ catalog: GenerationCatalog, _ state: inout State) {
    guard let changing = state.changing[archive], let ledger = state.history?.ledger else { return }
    let paths = ledger.quarantined.filter { $0.archive == archive && changing.contains($0.path) }.map(\.path)
    guard !paths.isEmpty, let current = catalog.candidates(for: archive, ledger).first else {
      state.changing[archive] = nil
      return
    }
    passOver(current, .quarantine, paths: paths, &state)
  }

  /// Notes what has become an offer, now that something was saved over it.
  private func noteOffers(of archive: ArchiveName, _ state: inout State) {
    let notes = state.passedOver.filter { $0.key.archive == archive }.values.sorted { $0.number < $1.number }
    guard !notes.isEmpty else { return }
    // Its file says that it is an offer; without a note only the reason is not known.
    try? changeHistory(&state) { (history) throws(StoreError) in history.noteOffers(notes, of: archive) }
    state.passedOver = state.passedOver.filter { $0.key.archive != archive }
    state.changing[archive] = nil
  }

  /// Has the current file kept if the next one lacks state that is in it, unless another file is kept for that already.
  ///
  /// - Returns: The nodes of which the next one lacks state.
  private func pinLosing(_ archive: ArchiveName, _ catalog: GenerationCatalog, _ state: inout State) -> Set<RestorationPath> {
    guard let losses = state.losing.removeValue(forKey: archive) else { return [] }
    let candidates = catalog.candidates(for: archive, ledger(state))
    // There may be newer ones that cannot be read.
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

  /// Writes a file, and makes its name last, and that of the folder.
  private func replace(_ name: String, with bytes: [UInt8], _ state: inout State) throws(StoreError) {
    try system { () throws(FileSystemError) in
      try folder.replace(name, with: bytes) { () throws(FileSystemError) in try expectLock(state) }
    }
    if !state.isFolderFlushed { try flushNames(&state) }
  }

  /// Makes names last that are there but were perhaps never flushed: those in the folder, and its own.
  ///
  /// Flushing a folder does not reach its own name, which stands in the one above. A process that made the folder may have died before that.
  private func flushNames(_ state: inout State) throws(StoreError) {
    try system { () throws(FileSystemError) in
      try folder.flush()
      if !state.isFolderFlushed { try folder.flushAbove() }
    }
    state.isFolderFlushed = true
  }

  /// The files; those with numbers that no store has given get such as a save gives, in the same order.
  ///
  /// Else one file with the greatest number of all would be the last for ever.
  func numberedCatalog(_ state: inout State) throws(StoreError) -> GenerationCatalog {
    var catalog = try catalog()
    for (old, new) in catalog.renumberings {
      catalog.generations.removeAll { $0 == old }
      do throws(FileSystemError) {
        try folder.rename(old.fileName, to: new.fileName)
        catalog.generations.append(new)
        state.rename(old, to: new)
      } catch {
        // What is no archive is passed over by the next load too. But one that can be loaded would be found before all that is saved.
        if !error.isAbsence, (try? prefix(of: old)) != nil { throw .system(error) }
      }
    }
    catalog.generations.sort(by: >)
    return catalog
  }

  /// What is known of the current file, or what it says itself.
  private func current(of archive: ArchiveName, _ catalog: GenerationCatalog, _ state: State) -> Current? {
    guard let generation = catalog.current(of: archive) else { return nil }
    if let known = state.current[archive], known.generation == generation { return known }
    // A file that cannot be read as a whole is not what the content is compared with.
    let stored = try? StoredArchive(generation, in: folder)
    guard let stored, stored.firstFinding == nil, let reader = stored.reader else { return nil }
    return Current(generation: generation, digest: reader.contentDigest, bundleVersion: reader.header.bundleVersion)
  }

  /// Sets apart what a save must not take the place of.
  ///
  /// - Returns: Whether anything was.
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
        // Somebody removed it meanwhile: then there is nothing to keep.
        guard error.isAbsence else { throw .system(error) }
      }
      state.marksBeforeSave[generation] = nil
    }
    try system { () throws(FileSystemError) in try folder.flush() }
    return true
  }

  /// Notes when content was found unchanged.
  ///
  /// That it cannot be noted costs nothing but that the state looks older.
  private func confirm(_ archive: ArchiveName, _ confirmation: Confirmation) {
    guard let (file, _) = try? folder.openOwn(Confirmation.fileName(for: archive)) else { return }
    defer { folder.system.close(file) }
    try? folder.write(confirmation.encoded, to: file, at: 0)
  }

  /// Removes files that need not be kept, and what an interrupted save left.
  ///
  /// A file that cannot be removed is tried again next time.
  func prune(_ archive: ArchiveName, _ state: inout State) {
    guard let names = try? folder.names() else { return }
    let catalog = GenerationCatalog(names: names)
    endSurplus(of: archive, catalog, &state)
    for generation in expendable(of: archive, catalog, state) { try? folder.remove(generation.fileName) }
    for name in names where StoreFileName.isUnfinished(name) { try? folder.remove(name) }
  }

  /// Ends pinned and offered files beyond the limits, which is noted first: a launch reports it.
  ///
  /// One that is the last of the build before is frozen.
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
      // It stays until it can be noted.
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

  /// Whether a file is what a new build would have frozen if it had not been set apart: none that is newer is frozen.
  private func isLastOfAnotherBuild(_ generation: Generation, _ current: Current) throws(FileSystemError) -> Bool {
    let generations = try folder.names().compactMap { Generation(fileName: $0) }
    let hasNewer = generations.contains { $0.archive == generation.archive && $0.mark == .frozen && $0.number > generation.number }
    guard !hasNewer else { return false }
    guard let reader = try StoredArchive(generation, in: folder).reader else { return false }
    return reader.header.bundleVersion != current.bundleVersion
  }
}
