import Synchronization

extension RestorationStore {
  /// Keeps the file that was restored apart, because something in it could not be restored.
  ///
  /// The next save goes into a new file as always; this one stays until a launch went well (``launchDidSettle()``), whatever is saved
  /// meanwhile.
  public func pin(_ generation: Generation) {
    state.withLock { pin(generation, &$0) }
  }

  func pin(_ generation: Generation, _ state: inout State) {
    guard access == .writing, generation.mark == .none else { return }
    state.marksBeforeSave[generation] = state.marksBeforeSave[generation] ?? .pinned
  }

  /// Sets a file aside that the app said never to restore.
  ///
  /// - Throws: ``StoreError``.
  public func decline(_ generation: Generation) throws(StoreError) {
    try withState { (state) throws(StoreError) in
      try lock(&state)
      try system { () throws(FileSystemError) in
        try folder.rename(generation.fileName, to: generation.marked(.declined).fileName)
        try folder.flush()
      }
      state.current[generation.archive] = nil
      state.marksBeforeSave[generation] = nil
    }
    prune(generation.archive)
  }

  /// Makes an older file current, by saving it again as a new generation.
  ///
  /// - Throws: ``StoreError``.
  public func use(_ number: UInt64, of archive: ArchiveName = .application) throws(StoreError) -> SaveOutcome {
    guard let generation = try generations(of: archive).first(where: { $0.number == number }) else { throw .noGeneration(number) }
    return try save(system { () throws(FileSystemError) in try folder.read(generation.fileName) }, as: archive)
  }

  /// Removes an archive with all its files: a scene that was closed.
  ///
  /// - Throws: The first ``StoreError``; all that can be removed is removed all the same.
  public func remove(_ archive: ArchiveName) throws(StoreError) {
    try removeFiles { name in
      Generation(fileName: name)?.archive == archive || name == Confirmation.fileName(for: archive)
    } forgetting: { state in
      state.current[archive] = nil
      state.held[archive] = nil
      state.losing.remove(archive)
      state.marksBeforeSave = state.marksBeforeSave.filter { $0.key.archive != archive }
    }
  }

  /// Removes everything that was saved.
  ///
  /// - Throws: The first ``StoreError``; all that can be removed is removed all the same.
  public func forget() throws(StoreError) {
    try removeFiles { name in
      Generation(fileName: name) != nil || name.hasSuffix(".confirmed") || name.hasPrefix(StoreFolder.temporaryPrefix)
        || name == LaunchLedger.fileName || name == Breadcrumb.fileName
    } forgetting: { state in
      state.current = [:]
      state.held = [:]
      state.losing = []
      state.marksBeforeSave = [:]
      state.ledger = LaunchLedger()
    }
  }

  /// Removes files, and first what is known of them: a save that is held must not come back because a file could not be removed.
  private func removeFiles(_ isMeant: (String) -> Bool, forgetting: (inout State) -> Void) throws(StoreError) {
    try withState { (state) throws(StoreError) in
      try lock(&state)
      let names = try system { () throws(FileSystemError) in try folder.names() }
      forgetting(&state)
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
}
