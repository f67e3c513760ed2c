import RestorationArchive
import Locking

extension RestorationStore {
  /// Keeps the file that was restored apart, because something in it could not be restored.
  ///
  /// The next save goes into a new file as always; this one stays until a limit ends it, whatever is saved meanwhile.
  package func pin(_ generation: Generation) {
    state.withLock { pin(generation, &$0) }
  }

  func pin(_ generation: Generation, _ state: inout State) {
    guard access == .writing, generation.mark == .none else { return }
    state.marksBeforeSave[generation] = state.marksBeforeSave[generation] ?? .pinned
  }

  /// Sets a file aside that the app said never to restore.
  ///
  /// - Throws: ``StoreError``.
  package func decline(_ generation: Generation) throws(StoreError) {
    try withState { (state) throws(StoreError) in
      try lock(&state)
      try system { () throws(FileSystemError) in
        try folder.rename(generation.fileName, to: generation.marked(.declined).fileName)
        try folder.flush()
      }
      state.current[generation.archive] = nil
      state.marksBeforeSave[generation] = nil
      state.passedOver[generation] = nil
      try changeHistory(&state) { (history) throws(StoreError) in
        history.closeOffer(generation.number, of: generation.archive)
        if generation.mark != .offered { history.pardon(generation.archive) }
      }
    }
    state.withLock { prune(generation.archive, &$0) }
  }

  /// Makes an older file current, by saving it again as a new generation.
  ///
  /// - Throws: ``StoreError``; ``StoreError/unusable(_:_:)`` if the file is not valid to the last byte, and then nothing has changed.
  public func use(_ number: UInt64, of archive: ArchiveName = .application) throws(StoreError) -> SaveOutcome {
    guard let generation = try generations(of: archive).first(where: { $0.number == number }) else { throw .noGeneration(number) }
    let stored = try system { () throws(FileSystemError) in try StoredArchive(generation, in: folder) }
    // A save removes older files for the new one, and opening an archive looks only at its ends.
    if let finding = stored.firstFinding { throw .unusable(number, finding) }
    guard case .bytes(let bytes, _) = stored else { throw .noGeneration(number) }
    return try save(bytes, as: archive)
  }

  /// Removes an archive with all its files, and with what was noted of nodes in it that killed the app: a scene that was closed.
  ///
  /// No save brings it back that began before this, whether it waits in a ``SaveQueue``, is being written, or is held; what is submitted
  /// afterwards is saved. Where a ``SaveCycle`` saves the scene, use ``SaveCycle/close()``: it does this too, and ends the cycle.
  ///
  /// What cannot be removed now, because the folder cannot be reached or the system refuses, is removed by the next save of the archive or by
  /// ``writeHeld(at:)``; until then it is not loaded any more. That ends with the process, by ``endLaunch()``, and where another process has
  /// the store when this one wants it: what is there then may be newer.
  ///
  /// - Throws: The first ``StoreError``; all that can be removed is removed all the same.
  public func remove(_ archive: ArchiveName) throws(StoreError) {
    _ = try carryOut(submitted(.forgetting(), as: archive), as: archive)
  }

  /// Removes an archive, or notes that it is to be removed if the folder cannot be reached.
  func discard(_ archive: ArchiveName, canReach: Bool, removalCount: UInt64) throws(StoreError) {
    guard access == .writing else { throw .readingOnly }
    try withState { (state) throws(StoreError) in
      // Another removal came after this one, and what was saved since that is not what was meant.
      guard removalCount == self.removalCount(of: archive) else { return }
      beginRemoval(of: archive, &state)
      if canReach { try removeForgotten(archive, &state) }
    }
  }

  /// Removes what is to go of an archive, now that the files can be reached.
  func removeForgotten(_ archive: ArchiveName) throws(StoreError) {
    try withState { (state) throws(StoreError) in try removeForgotten(archive, &state) }
  }

  /// Notes that what was saved of an archive is to go, and takes back what was to be done for it.
  func forget(_ archive: ArchiveName, _ state: inout State) {
    state.forgotten[archive] = Forgetting()
    state.current[archive] = nil
    state.held[archive] = nil
    state.losing[archive] = nil
    state.pinnedFor[archive] = nil
    state.passedOver = state.passedOver.filter { $0.key.archive != archive }
    state.changing[archive] = nil
    state.marksBeforeSave = state.marksBeforeSave.filter { $0.key.archive != archive }
  }

  /// Removes the files of an archive that is to go, but for those that were saved since.
  func removeForgotten(_ archive: ArchiveName, _ state: inout State) throws(StoreError) {
    guard let forgetting = state.forgotten[archive] else { return }
    try removeFiles(&state) { name in
      if let generation = Generation(fileName: name) { return generation.archive == archive && forgetting.isToGo(generation) }
      return forgetting.firstKept == nil && name == Confirmation.fileName(for: archive)
    }
    try forgetHistory(of: archive, &state)
    state.forgotten[archive] = nil
  }

  /// Forgets the deaths, offers and quarantined nodes of an archive: the state that they are about is gone.
  private func forgetHistory(of archive: ArchiveName, _ state: inout State) throws(StoreError) {
    try changeHistory(&state) { (history) throws(StoreError) in history.forget(archive) }
    writeBreadcrumb(&state)
  }

  /// Removes everything that was saved, and what waits to be saved.
  ///
  /// - Throws: The first ``StoreError``; all that can be removed is removed all the same.
  public func forget() throws(StoreError) {
    if access == .writing { removals.withLock { $0.countAll() } }
    try withState { (state) throws(StoreError) in
      guard access == .writing else { throw .readingOnly }
      // First what is known: a save that is held must not come back because a file could not be removed.
      state.current = [:]
      state.held = [:]
      state.losing = [:]
      state.pinnedFor = [:]
      state.passedOver = [:]
      state.changing = [:]
      state.marksBeforeSave = [:]
      state.history?.forgetEverything()
      state.writtenLedger = nil
      try removeFiles(&state) { name in
        StoreFileName.isFinished(name) || StoreFileName.isUnfinished(name) || name == Breadcrumb.fileName
      }
      // The file that is open has no name any more, so nobody would find what is noted in it.
      state.breadcrumb = nil
      writeBreadcrumb(&state)
      state.forgotten = [:]
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
