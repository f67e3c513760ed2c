import FoundationValues
import Locking
import RestorationArchive

/// A save of one archive, before anything of it is on the disk.
struct PlannedSave {
  /// The current state of the archive after the save.
  var written: StoreWriter.Current
  /// The file to write; nil if the content is on the disk already.
  var file: GenerationFile?
  var bytes: [UInt8] = []
  /// The current time.
  let time: Date?

  var archive: ArchiveName { written.generation.archive }
  /// Whether the file is a whole archive.
  var isWhole: Bool { file?.isLink == false }
}

/// Saving: the steps of a save, in the order in which they must reach the disk.
extension StoreWriter {
  /// Carries out mail, and sets the outcomes.
  mutating func carryOut(_ parcels: inout [Parcel], canReach: Bool) {
    do throws(StoreError) {
      guard access == .writing else { throw .readingOnly }
      // Taking a lost lock again discards the pending removals, so that it comes before the new ones.
      if canReach, parcels.contains(where: \.mail.removesEarlier) { try? lock() }
      for index in parcels.indices where parcels[index].mail.removesEarlier {
        let archive = parcels[index].archive
        // What another process has saved since is not what was closed.
        let isNewer = self[archive].skipped.values.contains { $0.reason == .otherProcess }
        if !isNewer { forget(archive) }
        // Without the lock it begins anew: another lock drops what was to be removed. The files that this process has not seen may
        // be newer then.
        parcels[index].mail.removesEarlier = !isNewer && !(canReach && heldLock != nil) && self[archive].seen != nil
      }
      guard canReach else {
        for index in parcels.indices { (parcels[index].mail.wasDeferred, parcels[index].result) = (true, .success(.deferred)) }
        return
      }
      for parcel in parcels where parcel.mail.snapshot != nil { try prepare(parcel) }
    } catch {
      for index in parcels.indices { parcels[index].result = .failure(error) }
      return
    }
    save(&parcels)
  }

  /// Adds what else the next file of an archive must follow from to the pending work.
  private mutating func prepare(_ parcel: Parcel) throws(StoreError) {
    let archive = parcel.archive
    self[archive].changes.formUnion(parcel.mail.quarantineChanges)
    // A state saved earlier that this launch has never loaded is not silently replaced.
    if parcel.mail.wasDeferred || self[archive].wasAwaited, let unseen = try reader.catalog().current(of: archive),
      self[archive].current?.generation != unseen, !removals.contains(archive), self[markOf: unseen] == nil
    {
      skip(StoreOffer(unseen, .newerState))
    }
  }

  /// Plans the save of an archive: unchanged, as a link, or as a new generation with a number above `number`.
  mutating func plan(_ parcel: Parcel, _ saved: Snapshot, above number: UInt64) throws(StoreError) -> PlannedSave {
    let (archive, time) = (parcel.archive, parcel.mail.time)
    self[archive].losses.formUnion(parcel.mail.losses)
    // Opened before any other file is given up for it, because it may not be a valid archive.
    let digest = try wrappingErrors { () throws(ArchiveError) in try saved.knownDigest }
    if digest == nil || self[archive].current?.digest != digest { _ = try wrappingErrors { () throws(ArchiveError) in try saved.header } }
    // First, because judging the last launch reads the files. A failure does not prevent the save; the launch begins
    // later.
    try? beginAwaitedLaunch()
    let catalog = try numberedCatalog()
    offerChanging(archive, catalog)
    let losses = pinLosing(archive, catalog)
    let current = current(of: archive, catalog)
    if var current, isLoadedNext(current.generation, catalog) {
      if let digest, current.digest == digest {
        current.lacks = losses
        current.chain?.last.content = saved
        return PlannedSave(written: current, time: time)
      }
      if losses.isSubset(of: current.lacks), let link = try planLink(saved, after: current, at: time, catalog) { return link }
    }
    return try planWhole(saved, of: archive, over: current, at: time, lacking: losses, above: number, catalog)
  }

  /// Plans to write an archive as a new generation, after marking the files that it must not replace.
  private mutating func planWhole(
    _ saved: Snapshot, of archive: ArchiveName, over current: Current?, at time: Date?, lacking losses: Set<RestorationPath>,
    above last: UInt64, _ catalog: GenerationCatalog
  ) throws(StoreError) -> PlannedSave {
    let (bytes, digest, bundleVersion) = try wrappingErrors { () throws(ArchiveError) in
      let bytes = try saved.bytes()
      return (bytes, try saved.contentDigest, try saved.header.bundleVersion)
    }
    if let current, current.bundleVersion != bundleVersion, self[markOf: current.generation] == nil {
      self[markOf: current.generation] = .frozen
    }
    var catalog = catalog
    if try mark(archive, where: { $0 != .damaged && $0 != .declined }) { catalog = try numberedCatalog() }
    guard let next = catalog.nextNumber else { throw .noGeneration(.max) }
    let number = max(next, last + 1)
    let mayFollow = limits.links > 0 && (saved.isOfCapture || bytes.count <= Self.maximumCompared)
    let written = Current(
      generation: Generation(archive, number), digest: digest, bundleVersion: bundleVersion, lacks: losses, isFlushed: true,
      chain: mayFollow ? WrittenChain(byteCount: bytes.count, digest: digest, saved) : nil)
    return PlannedSave(written: written, file: written.generation.file, bytes: bytes, time: time)
  }

  /// Updates the state and the other files of an archive, once its save is on the disk.
  mutating func finish(_ save: PlannedSave) throws(StoreError) -> SaveOutcome {
    let archive = save.archive
    if save.file == nil, !save.written.isFlushed { try flushNames() }
    var written = save.written
    written.isFlushed = true
    if let time = save.time, let digest = written.chain?.last.digest ?? written.lastDigest ?? written.digest {
      confirm(archive, Confirmation(digest: digest.rawValue, time: time))
    }
    // A partly readable file, and a blank that this save replaces, stay in place until the new one exists.
    let isMarked = save.isWhole && (try? mark(archive, where: { $0 == .damaged || $0 == .declined })) != nil
    noteOffers(of: archive)
    self[archive].current = written
    noteSeen(written)
    if isMarked { prune(archive) }
    noteSave(of: archive, isChanged: save.file != nil)
    // An earlier attempt may have failed.
    try? writeLedger(waitsForMore: true)
    return save.file == nil ? .unchanged : .saved
  }

  /// Whether the next launch would load this file first: it is the newest, unmarked, and not to be removed.
  func isLoadedNext(_ generation: Generation, _ catalog: GenerationCatalog) -> Bool {
    catalog.candidates(for: generation.archive, ledger).first == generation && self[markOf: generation] == nil
      && !removals.contains(generation.archive)
  }

  /// Turns the current file into an offer for quarantined nodes whose objects the user has changed, because it has
  /// their state.
  private mutating func offerChanging(_ archive: ArchiveName, _ catalog: GenerationCatalog) {
    let changes = self[archive].changes
    guard !changes.isEmpty, let ledger = launch.history?.ledger else { return }
    let paths = ledger.quarantined.filter { $0.archive == archive && changes.contains($0.path) }.map(\.path)
    guard !paths.isEmpty, let current = catalog.candidates(for: archive, ledger).first else {
      self[archive].changes = []
      return
    }
    skip(StoreOffer(current, .quarantine, paths: paths))
  }

  /// Records the skipped files as offers, now that a newer file exists.
  mutating func noteOffers(of archive: ArchiveName) {
    let notes = self[archive].skipped.values.sorted { $0.number < $1.number }
    guard !notes.isEmpty else { return }
    // The file's mark already makes it an offer; without a note only the reason is unknown.
    try? changeHistory { $0.noteOffers(notes, of: archive) }
    (self[archive].skipped, self[archive].changes) = ([:], [])
  }

  /// Pins the current file if the next file will lack some of its state, unless a pinned file already has that state.
  ///
  /// - Returns: The nodes whose state the next file lacks.
  private mutating func pinLosing(_ archive: ArchiveName, _ catalog: GenerationCatalog) -> Set<RestorationPath> {
    let losses = self[archive].losses
    if losses.isEmpty { return [] }
    self[archive].losses = []
    let candidates = catalog.candidates(for: archive, ledger)
    // Newer files that cannot be read may be ahead of the known one.
    let known = self[archive].current.flatMap { candidates.contains($0.generation) ? $0 : nil }
    guard let generation = known?.generation ?? candidates.first else { return losses }
    let numbers = Set(candidates.map(\.number))
    let pinnedFor = self[archive].pinnedFor
    let unkept = losses.subtracting(known?.lacks ?? []).filter { path in pinnedFor[path].map { !numbers.contains($0) } ?? true }
    guard !unkept.isEmpty else { return losses }
    pin(generation)
    for path in unkept { self[archive].pinnedFor[path] = generation.number }
    return losses
  }

  /// Writes a file under its name, which is not flushed yet.
  func put(_ name: String, _ bytes: [UInt8]) throws(StoreError) {
    try system { () throws(FileSystemError) in
      try folder.put(name, bytes) { () throws(FileSystemError) in try expectLock() }
    }
  }

  /// Writes a file, and flushes its name and the folder's own name.
  mutating func replace(_ name: String, with bytes: [UInt8]) throws(StoreError) {
    try put(name, bytes)
    try flushNames()
  }

  /// Flushes the names in the folder and, once, the folder's own name: an entry of the parent folder.
  ///
  /// Flushing a folder does not cover its own name. A process may have created the folder and died before flushing the
  /// parent.
  mutating func flushNames() throws(StoreError) {
    try system { () throws(FileSystemError) in
      try folder.flush()
      if !isFolderFlushed { try folder.flushAbove() }
    }
    isFolderFlushed = true
  }

  /// Returns the files after giving a usable number to each file whose number is out of range, in the same order.
  ///
  /// Otherwise one file with the greatest possible number would stay the newest forever.
  mutating func numberedCatalog() throws(StoreError) -> GenerationCatalog {
    var catalog = try reader.catalog()
    for (old, new) in catalog.renumberings {
      catalog.generations.removeAll { $0 == old }
      for link in catalog.links(of: old) {
        try? folder.rename(link.fileName, to: GenerationFile(link.archive, new.number, link.place).fileName)
      }
      do throws(FileSystemError) {
        try folder.rename(old.fileName, to: new.fileName)
        catalog.generations.append(new)
        noteRenamed(old, to: new)
      } catch {
        // A file that is not an archive is skipped by the next load anyway; a loadable one would hide every later save.
        if !error.isAbsence, (try? reader.isOfLaterVersion(old)) != nil { throw .system(error) }
      }
    }
    catalog.generations.sort(by: >)
    return catalog
  }

  /// Updates what is known of a file that was renumbered.
  private mutating func noteRenamed(_ old: Generation, to new: Generation) {
    let archive = old.archive
    if self[archive].current?.generation == old { self[archive].current?.generation = new }
    if let mark = self[archive].marks.removeValue(forKey: old.number)?.mark { self[markOf: new] = mark }
    self[archive].pinnedFor = self[archive].pinnedFor.mapValues { $0 == old.number ? new.number : $0 }
    if var note = self[archive].skipped.removeValue(forKey: old.number) {
      note.number = new.number
      self[archive].skipped[new.number] = note
    }
  }

  /// The known properties of the current file, or those read from the file.
  private func current(of archive: ArchiveName, _ catalog: GenerationCatalog) -> Current? {
    guard let generation = catalog.current(of: archive) else { return nil }
    if let known = self[archive].current, known.generation == generation { return known }
    // A file that is set aside is not compared, and not even read: that may have ended the process.
    if self[markOf: generation] == .offered { return nil }
    // New content is compared only with a file that is valid as a whole; one with a damaged copy is written anew.
    let stored = try? reader.stored(generation)
    guard let stored, stored.isWhole, stored.links.lost == nil, let reader = stored.reader else { return nil }
    return Current(
      generation: generation, digest: stored.firstFinding == nil ? reader.contentDigest : nil,
      bundleVersion: reader.header.bundleVersion, lastDigest: stored.links.lastDigest)
  }

  /// Marks the files that a save must not replace.
  ///
  /// - Returns: Whether any file was marked.
  @discardableResult
  mutating func mark(
    _ archive: ArchiveName, where isMeant: (Generation.Mark) -> Bool
  ) throws(StoreError) -> Bool {
    let marks = self[archive].marks.values.filter { isMeant($0.mark) }.sorted { $0.file < $1.file }
    guard !marks.isEmpty else { return false }
    for (generation, mark) in marks {
      // A file that was removed meanwhile need not be kept.
      try system { () throws(FileSystemError) in
        try folder.unlessAbsent { () throws(FileSystemError) in try folder.mark(generation, mark) }
      }
      self[markOf: generation] = nil
    }
    try system { () throws(FileSystemError) in try folder.flush() }
    return true
  }

  /// Writes the time at which content was last found unchanged.
  ///
  /// Failures are ignored: the state only looks older than it is.
  func confirm(_ archive: ArchiveName, _ confirmation: Confirmation) {
    guard let (file, _) = try? folder.openOwn(Confirmation.fileName(for: archive)) else { return }
    defer { folder.system.close(file) }
    try? folder.write(confirmation.encoded, to: file, at: 0)
  }
}
