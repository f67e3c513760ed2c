import FoundationValues
import Locking
import RestorationArchive

/// Scenes that were closed recoverably: the last state of each is a file of its own, with the mark `closed`.
///
/// The file is written in one step, and hides all files of the scene that were saved before. So at every moment the scene is
/// either open or closed.
extension RestorationStore {
  /// Returns the last states of the closed scenes, the last closed first; with a time, without those too old at that time.
  func closedStates(at time: Date? = nil) throws(StoreError) -> [StoredState] {
    let closed = try loadableFiles().closed.map {
      StoredState($0, opened($0), StoreOffer(of: $0, .closed))
    }
    guard let time else { return closed }
    return closed.filter { !isTooOld($0.timestamp, at: time) }
  }

  /// Whether a scene that was closed at a time can no longer be reopened; a time in the future is no age.
  private func isTooOld(_ date: Date?, at time: Date) -> Bool {
    guard let date else { return false }
    return time.timeIntervalSince(date) > Double(limits.closedAge.limited.components.seconds)
  }

  /// Closes a scene with its last state; everything else about it stays as it is, hidden until it is reopened.
  ///
  /// - Throws: ``StoreError``; the scene is then as it was.
  func close(_ archive: ArchiveName, with bytes: [UInt8]) throws(StoreError) {
    try withState { (state) throws(StoreError) in
      try lock(&state)
      // First, because files that are to be kept apart are known by their marks alone.
      try mark(archive, where: { _ in true }, &state)
      noteOffers(of: archive, &state)
      guard let next = try numberedCatalog(&state).nextNumber else { throw .noGeneration(.max) }
      // No number that a save on record has named.
      let number = max(next, state.lastNumber + 1)
      state.forgetCurrent(archive)
      let closed = Generation(archive, number, .closed)
      do throws(StoreError) {
        try replace(closed.fileName, with: bytes, &state)
      } catch {
        // It may exist all the same, and the scene stays open.
        try? folder.remove(closed.fileName)
        throw error
      }
      (state.seen[archive], state.pinnedFor[archive]) = (nil, nil)
      launch.update { $0.disconnect(archive) }
      // A failure is tried again when something is stable, and at the next launch.
      try? carryOutConclusions(&state)
      pruneClosed(&state)
    }
  }

  /// Makes the last state of a closed scene current again.
  ///
  /// - Throws: ``StoreError/noGeneration(_:)`` if it is not there any more, or if newer state of the scene was saved;
  ///   ``StoreError``.
  func reopen(_ generation: Generation) throws(StoreError) {
    try withState { (state) throws(StoreError) in
      try lock(&state)
      let own = try catalog().generations(of: generation.archive)
      guard own.contains(generation), try catalog().candidates(for: generation.archive, ledger(state)).isEmpty,
        own.first(where: { $0.mark == .closed }) == generation
      else { throw .noGeneration(generation.number) }
      // First, so that a scene that is no longer closed is among the open ones, whenever the process dies.
      try changeHistory(&state) { (history) throws(StoreError) in
        if let open = history.ledger.openScenes, !open.contains(generation.archive) {
          history.ledger.openScenes?.append(generation.archive)
        }
      }
      try system { () throws(FileSystemError) in
        try folder.mark(generation, .none)
        try folder.flush()
      }
    }
  }

  /// Puts a reopened scene that could not be opened back on the list.
  func closeAgain(_ generation: Generation) throws(StoreError) {
    try withState { (state) throws(StoreError) in
      try lock(&state)
      let open = generation.marked(.none)
      guard try catalog().generations(of: generation.archive).first == open else { return }
      state.forgetCurrent(generation.archive)
      try system { () throws(FileSystemError) in
        try folder.mark(open, .closed)
        try folder.flush()
      }
      launch.update { $0.disconnect(generation.archive) }
    }
  }

  /// Removes the closed scenes that are too old both now and at the last save of the app, because the clock may be wrong.
  ///
  /// A file that cannot be removed stays closed, and is tried again at the next launch.
  func endClosed(at time: Date, savedAt lastSave: Date) {
    guard access == .writing, let closed = try? loadableFiles().closed else { return }
    for generation in closed {
      // Only the two ends of the file are read.
      let header = try? StoredArchive.header(of: generation.fileName, in: folder)
      if isTooOld(header?.timestamp, at: min(time, lastSave)) { try? endClosed(generation) }
    }
  }

  /// Removes a closed scene with all its files.
  func endClosed(_ generation: Generation) throws(StoreError) {
    try withState { (state) throws(StoreError) in
      try lock(&state)
      try remove(closed: generation, &state)
    }
  }

  /// Removes the closed scenes beyond the limits; one whose files cannot be removed is tried again with the next that is
  /// closed.
  private func pruneClosed(_ state: inout State) {
    guard let catalog = try? catalog() else { return }
    let files = catalog.byArchive
    var room = limits.closedByteCount
    for (place, generation) in catalog.closed.enumerated() {
      if let own = files[generation.archive] {
        for file in [generation] + own.files(before: generation) { room -= byteCount(of: file, own) }
      }
      if place >= max(1, limits.closed) || place > 0 && room < 0 { try? remove(closed: generation, &state) }
    }
  }

  /// Removes the files of a closed scene, and last the one that keeps the others from being restored.
  private func remove(closed generation: Generation, _ state: inout State) throws(StoreError) {
    let catalog = try catalog()
    guard catalog.closed.contains(generation) else { throw .noGeneration(generation.number) }
    try system { () throws(FileSystemError) in
      for file in catalog.files(before: generation) { try removeFiles(of: file, catalog) }
      try folder.flush()
      try folder.remove(generation.fileName)
      try folder.flush()
    }
    if try self.catalog().generations(of: generation.archive).isEmpty {
      try? folder.remove(Confirmation.fileName(for: generation.archive))
      try changeHistory(&state) { (history) throws(StoreError) in history.forget(generation.archive) }
    }
  }
}
