#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import RestorationArchive
import Synchronization

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
  /// - Throws: ``StoreError``; also if what was to be forgotten before could not be removed, though the archive is saved then.
  @discardableResult
  public func save(_ bytes: [UInt8], as archive: ArchiveName = .application, at time: Date? = nil) throws(StoreError) -> SaveOutcome {
    try save(Result { () throws(StoreError) in try ArchiveToSave(bytes) }, as: archive, at: time) { _ in }
  }

  /// Saves an archive; `prepare` notes what is to be done with it, also if there is none.
  private func save(
    _ result: Result<ArchiveToSave, StoreError>, as archive: ArchiveName, at time: Date?, prepare: (inout State) -> Void
  ) throws(StoreError) -> SaveOutcome {
    // The app's closure may wait for another thread, or ask the store: nothing may be locked then.
    let canReach = access == .writing && canReach
    let outcome = try save(result, as: archive, at: time, canReach: canReach, prepare: prepare)
    // Since it was asked the files may have come within reach, and whoever was told so may have found nothing held.
    guard case .held = outcome, self.canReach else { return outcome }
    return try writeHeld(archive, at: time) ?? outcome
  }

  /// The same, where the app has said whether the files can be reached.
  func save(
    _ result: Result<ArchiveToSave, StoreError>, as archive: ArchiveName, at time: Date?, canReach: Bool, prepare: (inout State) -> Void
  ) throws(StoreError) -> SaveOutcome {
    try withState { (state) throws(StoreError) -> SaveOutcome in
      if access == .writing { prepare(&state) }
      var saved = try result.get()
      guard canReach else {
        guard access == .writing else { throw .readingOnly }
        state.held[archive] = try saved.opened().bytes
        return .held
      }
      // Before anything is given up for an archive that is none.
      if state.current[archive]?.digest != saved.digest { _ = try saved.opened() }
      let number = state.held[archive] == nil ? nil : try? catalog().nextNumber
      do throws(StoreError) {
        return try write(saved, as: archive, at: time, &state)
      } catch {
        // The file may be there although the last step failed: then what is held is older, and must not be written over it.
        if let number, let next = try? catalog().nextNumber, next != number { state.held[archive] = nil }
        throw error
      }
    }
  }

  /// Writes what is held of an archive, now that the files can be reached; nil if nothing is.
  func writeHeld(_ archive: ArchiveName, at time: Date?) throws(StoreError) -> SaveOutcome? {
    try withState { (state) throws(StoreError) in try writeHeld(archive, at: time, &state) }
  }

  private func writeHeld(_ archive: ArchiveName, at time: Date?, _ state: inout State) throws(StoreError) -> SaveOutcome? {
    guard let bytes = state.held[archive] else { return nil }
    return try write(ArchiveToSave(bytes), as: archive, at: time, &state)
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

  private func write(
    _ saved: ArchiveToSave, as archive: ArchiveName, at time: Date?, _ state: inout State
  ) throws(StoreError) -> SaveOutcome {
    var saved = saved
    try lock(&state)
    // First, because whom to blame is looked up among the files. If it cannot begin that is no reason not to save, and it begins later.
    try? beginAwaitedLaunch(&state)
    var catalog = try catalog()
    let losses = pinLosing(archive, catalog, &state)
    let current = current(of: archive, catalog, state)
    if var current, current.digest == saved.digest, isLoadedNext(current.generation, catalog, state) {
      if let time { confirm(archive, Confirmation(digest: current.digest.rawValue, time: time)) }
      current.lacks = losses
      try noteSaved(current, &state)
      return .unchanged(current.generation)
    }
    let (bytes, reader) = try saved.opened()
    let bundleVersion = reader.header.bundleVersion
    if let current, current.bundleVersion != bundleVersion, state.marksBeforeSave[current.generation] == nil {
      state.marksBeforeSave[current.generation] = .frozen
    }
    if try mark(archive, where: { $0 != .damaged }, &state) { catalog = try self.catalog() }
    guard let number = catalog.nextNumber else { throw .noGeneration(.max) }
    let generation = Generation(archive, number)
    state.current[archive] = nil
    // Also if the last step fails: the file may be there then.
    if state.forgotten[archive]?.firstKept == nil { state.forgotten[archive]?.firstKept = number }
    try replace(generation.fileName, with: bytes, &state)
    if let time { confirm(archive, Confirmation(digest: saved.digest.rawValue, time: time)) }
    // What can be restored in part is there for as long as nothing else is.
    if (try? mark(archive, where: { $0 == .damaged }, &state)) != nil { prune(archive, state) }
    try noteSaved(Current(generation: generation, digest: saved.digest, bundleVersion: bundleVersion, lacks: losses), &state)
    return .saved(generation)
  }

  /// Whether the next launch takes a file if it can: it is the newest one, is not set apart by the next save, and is not to be forgotten.
  private func isLoadedNext(_ generation: Generation, _ catalog: GenerationCatalog, _ state: State) -> Bool {
    catalog.candidates(for: generation.archive).first == generation && state.marksBeforeSave[generation] == nil
      && !state.isToGo(generation)
  }

  /// What is to be done when a state is on the disk.
  private func noteSaved(_ current: Current, _ state: inout State) throws(StoreError) {
    state.current[current.generation.archive] = current
    state.held[current.generation.archive] = nil
    noteSettled(&state, by: current.generation.archive)
    try removeForgotten(current.generation.archive, &state)
  }

  /// Has the current file kept if the next one lacks state that is in it, unless another file is kept for that already.
  ///
  /// - Returns: The nodes of which the next one lacks state.
  private func pinLosing(_ archive: ArchiveName, _ catalog: GenerationCatalog, _ state: inout State) -> Set<RestorationPath> {
    guard let losses = state.losing.removeValue(forKey: archive) else { return [] }
    // Else the pinned ones could go when this save has succeeded.
    state.launchWentWell = false
    let candidates = catalog.candidates(for: archive)
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

  /// Writes a file; if somebody removed the folder under the running app, it is made again.
  private func replace(_ name: String, with bytes: [UInt8], _ state: inout State) throws(StoreError) {
    do throws(FileSystemError) {
      try folder.replace(name, with: bytes)
    } catch {
      guard error.isAbsence else { throw .system(error) }
      // The lock went with the folder, so it guards nothing any more.
      if let file = state.lockFile { folder.system.close(file) }
      state.lockFile = nil
      noteOtherWriters(&state)
      try lock(&state)
      try system { () throws(FileSystemError) in try folder.replace(name, with: bytes) }
    }
  }

  /// What is known of the current file, or what it says itself.
  private func current(of archive: ArchiveName, _ catalog: GenerationCatalog, _ state: State) -> Current? {
    guard let generation = catalog.current(of: archive) else { return nil }
    if let known = state.current[archive], known.generation == generation { return known }
    // A file that cannot be read as a whole is not what the content is compared with.
    guard let bytes = try? folder.read(generation.fileName), ArchiveCheck(bytes).isValid, let reader = try? ArchiveReader(bytes) else {
      return nil
    }
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
    guard let file = try? folder.open(Confirmation.fileName(for: archive), .update) else { return }
    defer { folder.system.close(file) }
    try? folder.write(confirmation.encoded, to: file, at: 0)
  }

  /// Removes files that need not be kept, and what an interrupted save left.
  ///
  /// A file that cannot be removed is tried again next time.
  func prune(_ archive: ArchiveName, _ state: State) {
    guard let names = try? folder.names() else { return }
    for generation in expendable(of: archive, GenerationCatalog(names: names), state) { try? folder.remove(generation.fileName) }
    for name in names where StoreFileName.isUnfinished(name) { try? folder.remove(name) }
  }
}
