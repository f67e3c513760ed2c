import RestorationArchive
import Locking

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
    let stored = try system { () throws(FileSystemError) in try self.stored(generation) }
    // A full check, because opening an archive reads only its two ends, and the save below removes older files.
    if let finding = stored.firstFinding { throw .unusable(number, finding) }
    guard case .bytes(let bytes, _, _) = stored else { throw .noGeneration(number) }
    return try save(bytes, as: archive) == .saved ? currentGeneration(of: archive) : nil
  }
}
