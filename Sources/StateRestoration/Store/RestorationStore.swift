import Locking
import RestorationArchive

/// The saved archives of an app, in a folder of their own.
///
///     let store = try RestorationStore(AppConfiguration(bundleIdentifier: "org.example.notes", bundleVersion: "42"))
///     let launch = try store.restore(application, with: resolver)
///     …
///     try store.save(application.preserve(header: header))
///
/// ``restore(_:as:with:options:isolation:)`` begins the launch and restores the last saved state. It prevents crash
/// loops and keeps saved state that it does not restore. ``load(_:declining:)`` inspects the files without
/// restoring.
///
/// The first save of a process writes a whole archive, and later ones write what has changed since, as links that follow
/// it (``StoreLimits/links``). A save writes a temporary file, flushes it and then renames it; the previous file is
/// kept. So either the old or the new state exists at every moment, even after a power loss, and a file that turns out
/// to be bad has a predecessor. Only one process writes at a time, even if the folder or its lock file is removed and
/// recreated while a process holds the lock; readers are never blocked. All functions may be called from any thread.
/// Other files in the folder do not affect the archives.
public final class RestorationStore: Sendable {
  /// The mode in which a store is opened.
  package enum Access: Sendable {
    /// Loading and saving, by one process at a time.
    case writing
    /// Loading only.
    case reading
  }

  /// The known properties of an archive's current generation.
  struct Current {
    var generation: Generation
    /// The digest of the content; nil if it was not computed.
    var digest: ContentDigest?
    var bundleVersion: String?
    /// The nodes whose state an earlier file has and this one lacks.
    var lacks: Set<RestorationPath> = []
    /// Whether this process has flushed the files' names: an earlier process may have died before doing so.
    var isFlushed = false
    /// The files, if this process has written them, so that it may add links.
    var chain: WrittenChain?
    /// The digest of the last link, if another process has written it.
    var lastDigest: ContentDigest?
    /// The content, if this process has written it and it is not too large to be compared with the next one.
    var snapshot: Snapshot?
  }

  /// The work for the next write of an archive.
  struct PendingWork {
    /// The nodes whose saved state is missing from the next file to be written.
    var losses: Set<RestorationPath> = []
    /// The quarantined nodes whose objects the user has changed: the next save ends their quarantine.
    var changes: Set<RestorationPath> = []
    /// Whether the files on the disk are to be removed, which no record says yet (``SaveGroup``).
    var isForgotten = false
  }

  struct State {
    var lockFile: OpenFile?
    /// Whether the process counts as dead, in a simulated restart: nothing is written any more.
    var isAbandoned = false
    /// The identity of the locked file, whatever file now has its path.
    var lockIdentity: FileStatus.Identity?
    /// Whether the folder's own name is flushed to disk.
    var isFolderFlushed = false
    var current: [ArchiveName: Current] = [:]
    /// The newest file of each archive that this process has loaded or saved: its number, and the digest of its last link.
    var seen: [ArchiveName: (number: UInt64, digest: ContentDigest?)] = [:]
    /// The marks to give to files at the next save, so that they are kept apart.
    var marksBeforeSave: [Generation: Generation.Mark] = [:]
    /// By archive, the work for its next write.
    var pending: [ArchiveName: PendingWork] = [:]
    /// By archive and node, the number of the file that is pinned for the node's state.
    var pinnedFor: [ArchiveName: [RestorationPath: UInt64]] = [:]
    /// The number of the folding in progress, by archive.
    ///
    /// The entry is removed with the current generation. The folding then ends without effect, even if a later generation
    /// has been given the same number.
    var foldings: [ArchiveName: UInt64] = [:]
    /// The number of foldings begun so far.
    var lastFolding: UInt64 = 0
    /// The record of removals on the disk that are not done; nil if there are none.
    var group: SaveGroup?
    /// The archives whose history this process has forgotten with their removal, even if their files are still there.
    var forgotten: Set<ArchiveName> = []
    /// Whether the record of a save may be on the disk that is not decided.
    var hasOpenGroup = true
    /// The greatest number that a record has named: it is not used again, even if the record and the files are gone.
    var lastNumber: UInt64 = 0
    /// The files that this launch skipped, which become offers at the next save.
    var skipped: [Generation: LaunchLedger.OfferNote] = [:]
    /// The ledger on disk, if known.
    var writtenLedger: LaunchLedger?
    /// The record of this launch.
    let launch: LaunchRecorder
    /// The launch history, once this launch has begun.
    var history: LaunchHistory? { launch.history }

    init(launch: LaunchRecorder) { self.launch = launch }

    /// Records that this process knows an archive as it is on the disk.
    mutating func noteSeen(_ current: Current) {
      seen[current.generation.archive] = (current.generation.number, current.chain?.lastDigest ?? current.lastDigest ?? current.digest)
    }

    /// Forgets the current generation of an archive.
    mutating func forgetCurrent(_ archive: ArchiveName) {
      foldings[archive] = nil
      current[archive] = nil
    }

    /// Whether the files of an archive are to be removed, which no record says yet.
    func isForgotten(_ archive: ArchiveName) -> Bool { pending[archive]?.isForgotten ?? false }

    /// Updates the state after a file has been renumbered.
    mutating func rename(_ old: Generation, to new: Generation) {
      let archive = old.archive
      if current[archive]?.generation == old { current[archive]?.generation = new }
      if let mark = marksBeforeSave.removeValue(forKey: old) { marksBeforeSave[new] = mark }
      pinnedFor[archive] = pinnedFor[archive]?.mapValues { $0 == old.number ? new.number : $0 }
      if var note = skipped.removeValue(forKey: old) {
        note.number = new.number
        skipped[new] = note
      }
    }
  }

  /// The folder of the store.
  package let folder: StoreFolder
  let limits: StoreLimits
  let access: Access
  let launchOptions: LaunchOptions
  /// An identifier of the machine's boot; 0 if unknown.
  let boot: UInt64
  private let isReachable: @Sendable () -> Bool
  let state: StoreState
  let launch = LaunchRecorder()
  let linkPolicy: LinkPolicy
  /// Waits for some time.
  let sleep: @Sendable (Duration) async throws -> Void
  /// What is not on disk yet.
  let mailboxes = Mailboxes()
  /// Called on the thread that writes with the outcome of each save; nil for one that has not failed.
  let didSave: @Sendable (ArchiveName, StoreError?) -> Void
  /// The files as they were listed last.
  private struct Listing {
    let version: FolderVersion?
    let catalog: GenerationCatalog
    let byArchive: [ArchiveName: GenerationCatalog]
  }

  private let listed = Lock<Listing?>(nil)

  /// Opens the store in a folder, whose parent folder must exist.
  package convenience init(
    folder path: String, launch: LaunchOptions = LaunchOptions(), access: Access = .writing, limits: StoreLimits = StoreLimits(),
    isReachable: @escaping @Sendable () -> Bool = { true }
  ) throws(StoreError) {
    try self.init(
      StoreFolder(path: path, system: SystemFileSystem()), launch: launch, access: access, limits: limits, isReachable: isReachable)
  }

  package init(
    _ folder: StoreFolder, launch options: LaunchOptions = LaunchOptions(), boot: UInt64 = SystemBoot.identifier, access: Access = .writing,
    limits: StoreLimits = StoreLimits(), linkPolicy: LinkPolicy = LinkPolicy(),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    didSave: @escaping @Sendable (ArchiveName, StoreError?) -> Void = { _, _ in }, isReachable: @escaping @Sendable () -> Bool = { true }
  ) throws(StoreError) {
    self.folder = folder
    self.didSave = didSave
    (self.linkPolicy, self.sleep) = (linkPolicy, sleep)
    launchOptions = options
    self.boot = boot
    self.access = access
    self.limits = limits
    self.isReachable = isReachable
    state = StoreState(State(launch: self.launch))
    if access == .writing, isReachable() { _ = try withState { (state) throws(StoreError) in try lockIfPossible(&state) } }
  }

  deinit {
    state.withLock { state in
      if let file = state.lockFile { folder.system.close(file) }
    }
  }

  // MARK: Shared helpers

  /// Runs `body` with the state locked.
  func withState<Result: Sendable>(_ body: (inout State) throws(StoreError) -> sending Result) throws(StoreError) -> Result {
    try state.withLock { (state: inout sending State) throws(StoreError) in try body(&state) }
  }

  func wrappingErrors<Result>(_ body: () throws(ArchiveError) -> Result) throws(StoreError) -> Result {
    do throws(ArchiveError) {
      return try body()
    } catch {
      throw .notAnArchive(error)
    }
  }

  func system<Result>(_ body: () throws(FileSystemError) -> Result) throws(StoreError) -> Result {
    do throws(FileSystemError) {
      return try body()
    } catch {
      throw .system(error)
    }
  }

  /// The files in the folder.
  package func catalog() throws(StoreError) -> GenerationCatalog {
    try system { () throws(FileSystemError) in try listing().catalog }
  }

  /// The files of an archive.
  private func files(of archive: ArchiveName) throws(FileSystemError) -> GenerationCatalog {
    try listing().byArchive[archive] ?? GenerationCatalog(names: [])
  }

  /// Lists the folder, unless it is as it was when it was listed last.
  private func listing() throws(FileSystemError) -> Listing {
    let version = folder.system.version(ofFolder: folder.path)
    if let known = listed.withLock({ $0 }), known.version == version { return known }
    let catalog = try decidedFiles()
    let listing = Listing(version: version, catalog: catalog, byArchive: catalog.byArchive)
    listed.withLock { $0 = version == nil ? nil : listing }
    return listing
  }

  /// Lists the files as they are once a save that was begun is decided, and its removals are done (``SaveGroup``).
  func decidedFiles() throws(FileSystemError) -> GenerationCatalog {
    var names = try folder.names()
    // The record goes when the save is complete: the names are then listed again.
    for _ in 0..<8 where names.contains(SaveGroup.fileName) {
      do throws(FileSystemError) {
        let group = SaveGroup(try folder.read(SaveGroup.fileName, atMost: SaveGroup.maximumByteCount)) ?? SaveGroup()
        return GenerationCatalog(names: names).after(group)
      } catch {
        guard error.isAbsence else { break }
        names = try folder.names()
      }
    }
    return GenerationCatalog(names: names)
  }

  /// Reads the files of a generation; applies at most `count` links.
  func stored(_ generation: Generation, links count: Int = .max) throws(FileSystemError) -> StoredArchive {
    let links = try files(of: generation.archive).links(of: generation)
    return try StoredArchive(generation, links, in: folder, applying: count)
  }

  /// The files, without those whose removal is pending.
  func remainingFiles() throws(StoreError) -> GenerationCatalog {
    // Both under one lock: a concurrent save is either in neither or in both.
    try withState { (state) throws(StoreError) in
      var catalog = try catalog()
      catalog.generations.removeAll { state.isForgotten($0.archive) }
      return catalog
    }
  }

  /// The files, without those whose removal is pending, without waiting for a write.
  func loadableFiles() throws(StoreError) -> GenerationCatalog {
    let forgotten = state.forgotten
    var catalog = try catalog()
    catalog.generations.removeAll { forgotten.contains($0.archive) }
    return catalog
  }

  /// The files of an archive, without those whose removal is pending, without waiting for a write.
  func loadableFiles(of archive: ArchiveName) throws(StoreError) -> GenerationCatalog {
    let isForgotten = state.forgotten.contains(archive)
    var catalog = try system { () throws(FileSystemError) in try files(of: archive) }
    if isForgotten { catalog.generations = [] }
    return catalog
  }

  /// Whether the storage is accessible now.
  ///
  /// Calls the app, so it must be read before the state is locked.
  var canReach: Bool { isReachable() }

  // MARK: Contents

  /// The saved archives, the one that was last written as a whole first, without those whose removal is pending.
  ///
  /// - Throws: ``StoreError/system(_:)``.
  public func archives() throws(StoreError) -> [ArchiveName] {
    try remainingFiles().archives
  }

  /// The saved archives, followed by those with only set-aside files.
  ///
  /// - Throws: ``StoreError/system(_:)``.
  package func archivesWithFiles() throws(StoreError) -> [ArchiveName] {
    let catalog = try remainingFiles()
    var seen = Set(catalog.archives)
    return catalog.archives + catalog.generations.map(\.archive).filter { seen.insert($0).inserted }
  }

  /// Whether the folder is not empty and none of its names is one that a store gives.
  ///
  /// - Throws: ``StoreError/system(_:)``.
  package func hasForeignFilesAlone() throws(StoreError) -> Bool {
    let names = try system { () throws(FileSystemError) in try folder.names() }
    return !names.isEmpty && !names.contains { StoreFileName.isOwn($0) }
  }

  /// All files of an archive, newest first, including those set aside.
  ///
  /// - Throws: ``StoreError/system(_:)``.
  package func generations(of archive: ArchiveName = .application) throws(StoreError) -> [Generation] {
    try catalog().generations(of: archive)
  }
}
