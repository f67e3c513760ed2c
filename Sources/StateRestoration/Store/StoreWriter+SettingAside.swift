import FoundationValues
import RestorationArchive

/// Files that are kept apart: pinned, offered, declined, damaged.
extension StoreWriter {
  /// Pins a file, because part of it could not be restored.
  ///
  /// Later saves never replace it; it is kept until a limit removes it.
  mutating func pin(_ generation: Generation) {
    guard access == .writing, generation.mark == .none else { return }
    self[markOf: generation] = self[markOf: generation] ?? .pinned
  }

  /// Sets aside a file that the app has permanently declined.
  ///
  /// - Throws: ``StoreError``.
  mutating func decline(_ generation: Generation) throws(StoreError) {
    try lock()
    if generation.mark == .closed { return try remove(closed: generation) }
    let current = try reader.catalog().candidates(for: generation.archive, ledger).first
    try mark(generation, .declined)
    forgetCurrent(generation.archive)
    self[markOf: generation] = nil
    self[generation.archive].skipped[generation.number] = nil
    try changeHistory { history in
      history.closeOffer(generation.number, of: generation.archive)
      if history.ledger.wanted[generation.archive] == generation.number { history.ledger.wanted[generation.archive] = nil }
      // The answer ends the suspicion of a state that a launch would restore, and not that of another.
      if generation == current, generation.mark != .offered { history.pardon(generation.archive) }
    }
    prune(generation.archive)
  }

  /// Records that this launch skipped a file, which becomes an offer at the next save.
  mutating func skip(_ offer: StoreOffer, savedAt: Date? = nil) {
    guard access == .writing else { return }
    let generation = offer.generation
    self[generation.archive].skipped[generation.number] = LaunchLedger.OfferNote(
      archive: generation.archive, number: generation.number, reason: offer.reason, suspects: offer.suspects, paths: offer.paths,
      isUnread: offer.isUnread, savedAt: savedAt)
    if generation.mark != .offered { self[markOf: generation] = .offered }
  }

  /// Records the result of a load, and sets damaged files aside.
  mutating func keepApart(_ load: StoreLoad, _ archive: ArchiveName) {
    guard access == .writing else { return }
    let newest = load.archive
    self[archive].seen = (newest?.generation.number ?? 0, newest.map { $0.lastDigest ?? $0.reader.contentDigest })
    for candidate in load.candidates {
      switch candidate.outcome {
      case .damaged: setAside(candidate.generation, as: .damaged)
      case .unreadable(let error) where error.foreignKind != nil: setAside(candidate.generation, as: .damaged)
      // Still the best available state, so it is marked only when a save replaces it.
      case .partlyRestored: self[markOf: candidate.generation] = .damaged
      case .unsupported: skip(StoreOffer(candidate.generation, .laterVersion))
      case .unreadable: skip(StoreOffer(candidate.generation, .unreadable))
      // An earlier load could not read it.
      case .taken:
        let reason = self[archive].skipped[candidate.generation.number]?.reason
        if let reason, [.laterVersion, .unreadable, .otherProcess].contains(reason) { undoSkipping(candidate.generation) }
      default: break
      }
    }
    if let newest, newest.lostLinks != nil { pin(newest.generation) }
    if let newest, newest.generation.mark == .none, newest.findings.isEmpty, newest.lostLinks == nil {
      // What this process has written since stays known.
      guard self[archive].current?.generation != newest.generation else { return }
      forgetCurrent(archive)
      self[archive].current = Current(
        generation: newest.generation, digest: newest.reader.contentDigest, bundleVersion: newest.reader.header.bundleVersion,
        lastDigest: newest.lastDigest)
    }
  }

  /// Undoes ``skip(_:savedAt:)``.
  mutating func undoSkipping(_ generation: Generation) {
    self[generation.archive].skipped[generation.number] = nil
    if self[markOf: generation] == .offered { self[markOf: generation] = nil }
  }

  /// Undoes that a file was made an offer, on the disk too.
  mutating func takeBackOffer(_ generation: Generation) {
    undoSkipping(generation)
    let offered = generation.marked(.offered)
    guard (try? reader.catalog().generations.contains(offered)) == true, (try? mark(offered, generation.mark)) != nil else { return }
    try? changeHistory { $0.closeOffer(generation.number, of: generation.archive) }
  }

  /// All that is known of an archive at one moment, and its files.
  struct Moment {
    let archive: ArchiveName
    let files: [Generation]
    let known: KnownArchive
    let ledger: LaunchLedger
  }

  func moment(of archive: ArchiveName) throws(StoreError) -> Moment {
    Moment(
      archive: archive, files: try reader.catalog().generations(of: archive), known: archives[archive] ?? KnownArchive(), ledger: ledger)
  }

  /// Takes back what was written of an archive since a moment, and all that was noted of it.
  mutating func goBack(to before: Moment) throws(StoreError) {
    try lock()
    let archive = before.archive
    (self[archive].skipped, self[archive].marks) = (before.known.skipped, before.known.marks)
    forgetCurrent(archive)
    let catalog = try reader.catalog()
    let last = before.files.map(\.number).max() ?? 0
    try system { () throws(FileSystemError) in
      for file in before.files {
        if let now = catalog.generations.first(where: { $0.archive == archive && $0.number == file.number }), now != file {
          try folder.mark(now, file.mark)
        }
      }
      for file in catalog.generations(of: archive) where file.number > last { try removeFiles(of: file, catalog) }
      try folder.flush()
    }
    try changeHistory { $0.ledger.putBack(archive, from: before.ledger) }
  }

  /// Marks a file immediately, or before the next save if the rename fails or another process is writing.
  private mutating func setAside(_ generation: Generation, as mark: Generation.Mark) {
    do throws(StoreError) {
      try lock()
      try system { () throws(FileSystemError) in try folder.mark(generation, mark) }
    } catch {
      self[markOf: generation] = mark
    }
  }

  /// Marks a file, and flushes its name.
  private func mark(_ generation: Generation, _ mark: Generation.Mark) throws(StoreError) {
    try system { () throws(FileSystemError) in
      try folder.mark(generation, mark)
      try folder.flush()
    }
  }
}

/// Scenes that were closed recoverably: the last state of each is a file of its own, with the mark `closed`.
///
/// The file is written in one step, and hides all files of the scene that were saved before. So at every moment the scene is
/// either open or closed.
extension StoreWriter {
  mutating func close(_ archive: ArchiveName, with bytes: [UInt8]) throws(StoreError) {
    try lock()
    // First, because files that are to be kept apart are known by their marks alone.
    try mark(archive, where: { _ in true })
    noteOffers(of: archive)
    guard let next = try numberedCatalog().nextNumber else { throw .noGeneration(.max) }
    // No number that a save on record has named.
    let number = max(next, lastNumber + 1)
    forgetCurrent(archive)
    let closed = Generation(archive, number, .closed)
    try system { () throws(FileSystemError) in try folder.vacate(closed.fileName) }
    do throws(StoreError) {
      try replace(closed.fileName, with: bytes)
    } catch {
      // It may exist all the same, and the scene stays open.
      try? folder.remove(closed.fileName)
      throw error
    }
    (self[archive].seen, self[archive].pinnedFor) = (nil, [:])
    launch.update { $0.disconnect(archive) }
    // A failure is tried again when something is stable, and at the next launch.
    try? carryOutConclusions()
    pruneClosed()
  }

  mutating func reopen(_ generation: Generation) throws(StoreError) {
    try lock()
    let catalog = try reader.catalog()
    let own = catalog.generations(of: generation.archive)
    guard own.contains(generation), catalog.candidates(for: generation.archive, ledger).isEmpty,
      own.first(where: { $0.mark == .closed }) == generation
    else { throw .noGeneration(generation.number) }
    // First, so that a scene that is no longer closed is among the open ones, whenever the process dies.
    try changeHistory { history in
      // The last one opened, also if a launch that died had not taken it from the list.
      history.ledger.openScenes?.removeAll { $0 == generation.archive }
      history.ledger.openScenes?.append(generation.archive)
      history.ledger.wanted[generation.archive] = generation.number
      // The user has asked for it, even in safe mode.
      history.written.insert(generation.archive)
    }
    try mark(generation, .none)
  }

  mutating func closeAgain(_ generation: Generation) throws(StoreError) {
    try lock()
    let open = generation.marked(.none)
    guard try reader.catalog().generations(of: generation.archive).first == open else { return }
    forgetCurrent(generation.archive)
    try mark(open, .closed)
    launch.update { $0.disconnect(generation.archive) }
  }

  /// Removes the closed scenes beyond the limits; one whose files cannot be removed is tried again with the next that is
  /// closed.
  private mutating func pruneClosed() {
    guard let catalog = try? reader.catalog() else { return }
    let files = catalog.byArchive
    var room = limits.closedScenesByteCount
    for (place, generation) in catalog.closed.enumerated() {
      if let own = files[generation.archive] {
        for file in [generation] + own.files(before: generation) { room -= reader.byteCount(of: file, own) }
      }
      if place >= max(1, limits.closedScenes) || place > 0 && room < 0 { try? remove(closed: generation) }
    }
  }

  /// Removes the files of a closed scene, and last the one that keeps the others from being restored.
  private mutating func remove(closed generation: Generation) throws(StoreError) {
    let catalog = try reader.catalog()
    guard catalog.closed.contains(generation) else { throw .noGeneration(generation.number) }
    try system { () throws(FileSystemError) in
      for file in catalog.files(before: generation) { try removeFiles(of: file, catalog) }
      try folder.flush()
      try takeBack(generation.fileName)
      try folder.flush()
    }
    if try reader.catalog().generations(of: generation.archive).isEmpty {
      try? folder.remove(Confirmation.fileName(for: generation.archive))
      try changeHistory { $0.forget(generation.archive) }
    }
  }
}
