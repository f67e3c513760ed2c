import FoundationValues
import Locking
import RestorationArchive

/// A save of one archive, before anything of it is on the disk.
struct PlannedSave {
  /// The current state of the archive after the save.
  var written: RestorationStore.Current
  /// The file to write; nil if the content is on the disk already.
  var file: SaveGroup.File?
  var bytes: [UInt8] = []
  /// The current time.
  let time: Date?

  var archive: ArchiveName { written.generation.archive }
  /// Whether the file is a whole archive.
  var isWhole: Bool { file?.place == 0 }
}

/// Writing: the steps of a save, in the order in which they must reach the disk.
extension RestorationStore {
  /// Plans the save of an archive: unchanged, as a link, or as a new generation with a number above `number`.
  func plan(_ parcel: Parcel, _ saved: Snapshot, above number: UInt64, _ state: inout State) throws(StoreError) -> PlannedSave {
    let (archive, time) = (parcel.archive, parcel.mail.time)
    state[archive].losses.formUnion(parcel.mail.losses)
    // Opened before any other file is given up for it, because it may not be a valid archive.
    let digest = try wrappingErrors { () throws(ArchiveError) in try saved.knownDigest }
    if digest == nil || state[archive].current?.digest != digest { _ = try wrappingErrors { () throws(ArchiveError) in try saved.header } }
    // First, because judging the last launch reads the files. A failure does not prevent the save; the launch begins
    // later.
    try? beginAwaitedLaunch(&state)
    let catalog = try numberedCatalog(&state)
    offerChanging(archive, catalog, &state)
    let losses = pinLosing(archive, catalog, &state)
    let current = current(of: archive, catalog, state)
    if var current, isLoadedNext(current.generation, catalog, state) {
      if let digest, current.digest == digest {
        (current.lacks, current.snapshot) = (losses, saved)
        return PlannedSave(written: current, time: time)
      }
      if losses.isSubset(of: current.lacks), let link = try planLink(saved, after: current, at: time, catalog, state) { return link }
    }
    return try planWhole(saved, of: archive, over: current, at: time, lacking: losses, above: number, catalog, &state)
  }

  /// Plans to write an archive as a new generation, after marking the files that it must not replace.
  private func planWhole(
    _ saved: Snapshot, of archive: ArchiveName, over current: Current?, at time: Date?, lacking losses: Set<RestorationPath>,
    above last: UInt64, _ catalog: GenerationCatalog, _ state: inout State
  ) throws(StoreError) -> PlannedSave {
    let (bytes, digest, bundleVersion) = try wrappingErrors { () throws(ArchiveError) in
      let bytes = try saved.bytes()
      return (bytes, try saved.contentDigest, try saved.header.bundleVersion)
    }
    if let current, current.bundleVersion != bundleVersion, state.marksBeforeSave[current.generation] == nil {
      state.marksBeforeSave[current.generation] = .frozen
    }
    var catalog = catalog
    if try mark(archive, where: { $0 != .damaged && $0 != .declined }, &state) { catalog = try numberedCatalog(&state) }
    guard let next = catalog.nextNumber else { throw .noGeneration(.max) }
    let number = max(next, last + 1)
    let mayFollow = limits.links > 0 && (saved.isOfCapture || bytes.count <= Self.maximumCompared)
    let written = Current(
      generation: Generation(archive, number), digest: digest, bundleVersion: bundleVersion, lacks: losses, isFlushed: true,
      chain: mayFollow ? WrittenChain(byteCount: bytes.count, lastDigest: digest) : nil, snapshot: mayFollow ? saved : nil)
    return PlannedSave(
      written: written, file: SaveGroup.File(archive: archive, generation: number, place: 0), bytes: bytes, time: time)
  }

  /// Updates the state and the other files of an archive, once its save is on the disk.
  func finish(_ save: PlannedSave, _ state: inout State) throws(StoreError) -> SaveOutcome {
    let archive = save.archive
    if save.file == nil, !save.written.isFlushed {
      try system { () throws(FileSystemError) in try folder.flush() }
      if !state.isFolderFlushed { try flushFolderName(&state) }
    }
    var written = save.written
    written.isFlushed = true
    if let time = save.time, let digest = written.chain?.lastDigest ?? written.lastDigest ?? written.digest {
      confirm(archive, Confirmation(digest: digest.rawValue, time: time))
    }
    // A partly readable file, and a blank that this save replaces, stay in place until the new one exists.
    let isMarked = save.isWhole && (try? mark(archive, where: { $0 == .damaged || $0 == .declined }, &state)) != nil
    noteOffers(of: archive, &state)
    state[archive].current = written
    state.noteSeen(written)
    if isMarked { prune(archive, &state) }
    noteSave(of: archive, isChanged: save.file != nil, &state)
    // An earlier attempt may have failed.
    try? writeLedger(&state, waitsForMore: true)
    return save.file == nil ? .unchanged : .saved
  }

  /// Whether the next launch would load this file first: it is the newest, unmarked, and not to be removed.
  func isLoadedNext(_ generation: Generation, _ catalog: GenerationCatalog, _ state: State) -> Bool {
    catalog.candidates(for: generation.archive, ledger(state)).first == generation && state.marksBeforeSave[generation] == nil
      && !state.removals.contains(generation.archive)
  }

  /// The launch ledger: in memory if the launch has begun, else from disk.
  func ledger(_ state: borrowing State) -> LaunchLedger { state.history?.ledger ?? readLedger() ?? LaunchLedger() }

  /// Turns the current file into an offer for quarantined nodes whose objects the user has changed, because it has
  /// their state.
  private func offerChanging(_ archive: ArchiveName, _ catalog: GenerationCatalog, _ state: inout State) {
    let changes = state[archive].changes
    guard !changes.isEmpty, let ledger = state.history?.ledger else { return }
    let paths = ledger.quarantined.filter { $0.archive == archive && changes.contains($0.path) }.map(\.path)
    guard !paths.isEmpty, let current = catalog.candidates(for: archive, ledger).first else {
      state[archive].changes = []
      return
    }
    skip(current, .quarantine, paths: paths, &state)
  }

  /// Records the skipped files as offers, now that a newer file exists.
  func noteOffers(of archive: ArchiveName, _ state: inout State) {
    let notes = state.skipped.filter { $0.key.archive == archive }.values.sorted { $0.number < $1.number }
    guard !notes.isEmpty else { return }
    // The file's mark already makes it an offer; without a note only the reason is unknown.
    try? changeHistory(&state) { (history) throws(StoreError) in history.noteOffers(notes, of: archive) }
    state.skipped = state.skipped.filter { $0.key.archive != archive }
    state[archive].changes = []
  }

  /// Pins the current file if the next file will lack some of its state, unless a pinned file already has that state.
  ///
  /// - Returns: The nodes whose state the next file lacks.
  private func pinLosing(_ archive: ArchiveName, _ catalog: GenerationCatalog, _ state: inout State) -> Set<RestorationPath> {
    let losses = state[archive].losses
    if losses.isEmpty { return [] }
    state[archive].losses = []
    let candidates = catalog.candidates(for: archive, ledger(state))
    // Newer files that cannot be read may be ahead of the known one.
    let known = state[archive].current.flatMap { candidates.contains($0.generation) ? $0 : nil }
    guard let generation = known?.generation ?? candidates.first else { return losses }
    let numbers = Set(candidates.map(\.number))
    let pinnedFor = state[archive].pinnedFor
    let unkept = losses.subtracting(known?.lacks ?? []).filter { path in pinnedFor[path].map { !numbers.contains($0) } ?? true }
    guard !unkept.isEmpty else { return losses }
    pin(generation, &state)
    for path in unkept { state[archive].pinnedFor[path] = generation.number }
    return losses
  }

  /// Writes a file under its name, which is not flushed yet.
  func put(_ name: String, _ bytes: [UInt8], _ state: State) throws(StoreError) {
    try system { () throws(FileSystemError) in
      try folder.put(name, bytes) { () throws(FileSystemError) in try expectLock(state) }
    }
  }

  /// Writes a file, and flushes its name and the folder's own name.
  func replace(_ name: String, with bytes: [UInt8], _ state: inout State) throws(StoreError) {
    try put(name, bytes, state)
    try system { () throws(FileSystemError) in try folder.flush() }
    if !state.isFolderFlushed { try flushFolderName(&state) }
  }

  /// Flushes the folder's own name: an entry of the parent folder, which an earlier process may not have flushed.
  ///
  /// Flushing a folder does not cover its own name. A process may have created the folder and died before flushing the
  /// parent.
  private func flushFolderName(_ state: inout State) throws(StoreError) {
    try system { () throws(FileSystemError) in try folder.flushAbove() }
    state.isFolderFlushed = true
  }

  /// Returns the files after giving a usable number to each file whose number is out of range, in the same order.
  ///
  /// Otherwise one file with the greatest possible number would stay the newest forever.
  func numberedCatalog(_ state: inout State) throws(StoreError) -> GenerationCatalog {
    var catalog = try catalog()
    for (old, new) in catalog.renumberings {
      catalog.generations.removeAll { $0 == old }
      for link in catalog.links(of: old) {
        try? folder.rename(link.fileName, to: GenerationLink(link.archive, new.number, link.place).fileName)
      }
      do throws(FileSystemError) {
        try folder.rename(old.fileName, to: new.fileName)
        catalog.generations.append(new)
        state.rename(old, to: new)
      } catch {
        // A file that is not an archive is skipped by the next load anyway; a loadable one would hide every later save.
        if !error.isAbsence, (try? fileReader.isOfLaterVersion(old)) != nil { throw .system(error) }
      }
    }
    catalog.generations.sort(by: >)
    return catalog
  }

  /// The known properties of the current file, or those read from the file.
  private func current(of archive: ArchiveName, _ catalog: GenerationCatalog, _ state: State) -> Current? {
    guard let generation = catalog.current(of: archive) else { return nil }
    if let known = state[archive].current, known.generation == generation { return known }
    // A file that is set aside is not compared, and not even read: that may have ended the process.
    if state.marksBeforeSave[generation] == .offered { return nil }
    // New content is compared only with a file that is valid as a whole.
    let stored = try? fileReader.stored(generation)
    guard let stored, stored.firstFinding == nil, stored.links.lost.isEmpty, let reader = stored.reader else { return nil }
    return Current(
      generation: generation, digest: reader.contentDigest, bundleVersion: reader.header.bundleVersion, lastDigest: stored.links.lastDigest)
  }

  /// Marks the files that a save must not replace.
  ///
  /// - Returns: Whether any file was marked.
  @discardableResult
  func mark(
    _ archive: ArchiveName, where isMeant: (Generation.Mark) -> Bool, _ state: inout State
  ) throws(StoreError) -> Bool {
    let marks = state.marksBeforeSave.filter { $0.key.archive == archive && isMeant($0.value) }
    guard !marks.isEmpty else { return false }
    for (generation, mark) in marks.sorted(by: { $0.key < $1.key }) {
      do throws(FileSystemError) {
        try folder.mark(generation, mark)
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
  func confirm(_ archive: ArchiveName, _ confirmation: Confirmation) {
    guard let (file, _) = try? folder.openOwn(Confirmation.fileName(for: archive)) else { return }
    defer { folder.system.close(file) }
    try? folder.write(confirmation.encoded, to: file, at: 0)
  }
}

/// How a store writes links.
package struct LinkPolicy: Sendable {
  /// Whether long chains are folded in a task of their own, while other saves go on, instead of in the save that makes
  /// them too long.
  var foldsConcurrently = true
  /// Whether links are written even if they save no space, so that tests of small archives have them.
  var isEager = false
  /// Called when the content to fold is known and not yet written, without a lock.
  var willFold: @Sendable () -> Void = {}

  /// Creates a policy.
  package init(foldsConcurrently: Bool = true, isEager: Bool = false, willFold: @escaping @Sendable () -> Void = {}) {
    (self.foldsConcurrently, self.isEager, self.willFold) = (foldsConcurrently, isEager, willFold)
  }
}

/// The files of a generation that this process has written: an archive, and links that follow it.
struct WrittenChain {
  /// The length of the archive.
  let byteCount: Int
  /// The number of links, and their length together.
  var linkCount = 0
  var linkByteCount = 0
  /// The digest of the last file.
  var lastDigest: ContentDigest

  /// The length that all links together may have.
  private var room: Int { max(StoredArchive.shortLength, byteCount) }

  /// Whether another link may follow.
  ///
  /// If folding lags behind, a chain may grow to twice the size at which it is folded.
  /// An archive of one block is written as a whole: a link takes a block too.
  func takes(_ link: [UInt8], limit: Int, _ policy: LinkPolicy) -> Bool {
    guard linkCount < min(2 * limit, ArchiveLink.maximumCount), linkByteCount + link.count <= 2 * room else { return false }
    return policy.isEager || byteCount > 4096 && link.count < byteCount
  }

  /// Whether the chain is long enough to be folded.
  func isLong(limit: Int) -> Bool { linkCount >= limit || linkByteCount > room }

  /// Adds a link.
  mutating func add(_ link: [UInt8]) {
    linkCount += 1
    linkByteCount += link.count
    lastDigest = ContentDigest(ofArchive: Data(link)) ?? lastDigest
  }
}

/// Links: files with the difference between a snapshot and the one on disk.
extension RestorationStore {
  /// The greatest length of an archive that is kept in memory to be compared with the next one, if they share no records.
  static let maximumCompared = 1 << 25

  /// Plans to write a snapshot as a link after the current generation; nil if none may follow, or if it would not be shorter.
  func planLink(
    _ snapshot: Snapshot, after current: Current, at time: Date?, _ catalog: GenerationCatalog, _ state: State
  ) throws(StoreError) -> PlannedSave? {
    let archive = current.generation.archive
    let bundleVersion = try wrappingErrors { () throws(ArchiveError) in try snapshot.header.bundleVersion }
    guard let before = current.snapshot, bundleVersion == current.bundleVersion, var chain = current.chain,
      catalog.links(of: current.generation).map(\.place) == Array(1..<(chain.linkCount + 1))
    else { return nil }
    let link = try wrappingErrors { () throws(ArchiveError) in try snapshot.link(after: before, chain.lastDigest) }
    var save = PlannedSave(written: current, time: time)
    save.written.snapshot = snapshot
    guard let link else { return save }
    guard chain.takes(link, limit: limits.links, linkPolicy) else { return nil }
    chain.add(link)
    (save.written.chain, save.written.digest) = (chain, try? snapshot.knownDigest)
    (save.file, save.bytes) = (SaveGroup.File(archive: archive, generation: current.generation.number, place: chain.linkCount), link)
    return save
  }

  // MARK: Folding

  /// A generation to be folded: a new one without links takes its place.
  private struct FoldingJob {
    /// The number of the folding (``KnownArchive/folding``).
    let number: UInt64
    let generation: Generation
    let snapshot: Snapshot
  }

  /// Folds an archive if its chain is long.
  func foldIfNeeded(_ archive: ArchiveName) {
    guard let job = state.withLock({ beginFolding(archive, &$0) }) else { return }
    if linkPolicy.foldsConcurrently {
      Task.detached(priority: .utility) { self.fold(job) }
    } else {
      fold(job)
    }
  }

  private func beginFolding(_ archive: ArchiveName, _ state: inout State) -> FoldingJob? {
    guard let current = state[archive].current, let chain = current.chain, let snapshot = current.snapshot,
      chain.isLong(limit: limits.links), state[archive].folding == nil
    else { return nil }
    state.lastFolding += 1
    state[archive].folding = state.lastFolding
    return FoldingJob(number: state.lastFolding, generation: current.generation, snapshot: snapshot)
  }

  /// Writes the content of a generation as a new one.
  ///
  /// A failure leaves the generation as it is; it is folded after the next save.
  private func fold(_ job: FoldingJob) {
    let archive = job.generation.archive
    // Without the lock: saves go on while the content is assembled.
    let content = Result { () throws(ArchiveError) in try job.snapshot.bytes() }
    linkPolicy.willFold()
    state.withLock { state in
      guard state[archive].folding == job.number else { return }
      if let bytes = try? content.get() { try? replace(job, by: bytes, &state) }
      state[archive].folding = nil
    }
  }

  /// Makes the folded content the current generation, followed by a link with the saves made meanwhile.
  private func replace(_ job: FoldingJob, by bytes: [UInt8], _ state: inout State) throws(StoreError) {
    let archive = job.generation.archive
    try lock(&state)
    let catalog = try numberedCatalog(&state)
    guard let current = state[archive].current, current.generation == job.generation, let last = current.snapshot,
      isLoadedNext(current.generation, catalog, state), let next = catalog.nextNumber
    else { return }
    let number = max(next, state.lastNumber + 1)
    let digest = try wrappingErrors { () throws(ArchiveError) in try ArchiveReader(bytes).contentDigest }
    var chain = WrittenChain(byteCount: bytes.count, lastDigest: digest)
    let generation = Generation(archive, number)
    // The link first: from the moment its archive exists, the new generation is the one that is loaded.
    if let link = try wrappingErrors({ () throws(ArchiveError) in try last.link(after: job.snapshot, digest) }) {
      try replace(GenerationLink(archive, number, 1).fileName, with: link, &state)
      chain.add(link)
    }
    do throws(StoreError) {
      try replace(generation.fileName, with: bytes, &state)
    } catch {
      // The new generation may exist all the same.
      state.forgetCurrent(archive)
      throw error
    }
    // The content was confirmed under the digest of the last link.
    if let known = fileReader.confirmation(of: archive), known.digest == current.chain?.lastDigest.rawValue {
      confirm(archive, Confirmation(digest: chain.lastDigest.rawValue, time: known.time))
    }
    var written = current
    (written.generation, written.chain, written.isFlushed) = (generation, chain, true)
    state[archive].current = written
    state.noteSeen(written)
    job.snapshot.offerFolded(bytes)
    prune(archive, &state)
  }
}
