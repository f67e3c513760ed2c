import RestorationArchive
import Locking

/// Where the archives of an app live between launches: a folder of its own.
///
///     let store = try RestorationStore(folder: path, launch: LaunchOptions(bundleVersion: "42"))
///     let restored = try store.restore(application, with: resolver)
///     …
///     try store.save(application.preserve(header: header))
///
/// ``restore(_:as:with:options:isolation:)`` begins the launch, restores what was saved last, and sees to it that no crash repeats itself for
/// ever and nothing that was saved is lost. ``load(_:accepting:)`` is for looking at what is there.
///
/// A save writes a new file and lets it take its name only when it is whole and on the disk; the file before it stays. So there is the old
/// state or the new one at every moment, also after a loss of power, and a file that turns out to be bad has one before it. One process
/// writes at a time, also if the folder or the lock in it is removed and made anew under a process that has it; readers are never blocked.
/// All functions may be called from any thread. Whatever else lies in the folder costs at most itself.
public final class RestorationStore: Sendable {
  /// What a store is opened for.
  public enum Access: Sendable {
    /// Loading and saving. One process at a time.
    case writing
    /// Loading.
    case reading
  }

  /// What came of a save.
  public enum SaveOutcome: Sendable, Hashable {
    /// It was written.
    case saved(Generation)
    /// The content is that of the current file, so nothing was written but the time.
    case unchanged(Generation)
    /// The folder cannot be reached yet; the bytes are kept until ``RestorationStore/writeHeld(at:)``. (Or what was saved before is still to
    /// come; then the app keeps what it preserved.)
    case held
    /// The archive was removed, by another thread, after this save had begun; nothing was written.
    case removed
  }

  /// What is known of the current file of an archive.
  struct Current {
    var generation: Generation
    var digest: ContentDigest
    var bundleVersion: String?
    /// The nodes of which it lacks state that was saved before.
    var lacks: Set<RestorationPath> = []
    /// Whether this process has seen to it that its name is on the disk: one before may have died on the way.
    var isFlushed = false
  }

  /// What is still to be removed of an archive that is to be forgotten.
  struct Forgetting {
    /// The number of the first file that was saved since, which stays with those after it.
    var firstKept: UInt64?

    func isToGo(_ generation: Generation) -> Bool { firstKept.map { generation.number < $0 } ?? true }
  }

  struct State {
    var lockFile: OpenFile?
    /// Which file that is, whatever may stand in its place now.
    var lockIdentity: FileStatus.Identity?
    /// Whether the name of the folder is on the disk.
    var isFolderFlushed = false
    var current: [ArchiveName: Current] = [:]
    /// Generations that must be kept apart when something is saved over them.
    var marksBeforeSave: [Generation: Generation.Mark] = [:]
    var held: [ArchiveName: [UInt8]] = [:]
    /// By archive, the nodes of which the next file to be written lacks state that was saved before.
    var losing: [ArchiveName: Set<RestorationPath>] = [:]
    /// By archive and node: the number of the file that was pinned for its state.
    var pinnedFor: [ArchiveName: [RestorationPath: UInt64]] = [:]
    /// Archives whose files are to go, as soon as they can be removed.
    var forgotten: [ArchiveName: Forgetting] = [:]
    /// Files that become offers when something is saved over them, because this launch passed them over.
    var passedOver: [Generation: LaunchLedger.OfferNote] = [:]
    /// By archive, the quarantined nodes whose objects the user has changed: the next save ends their quarantine.
    var changing: [ArchiveName: Set<RestorationPath>] = [:]
    /// What is known of launches, once this one has begun.
    var history: LaunchHistory?
    /// The ledger as it is on the disk, if that is known.
    var writtenLedger: LaunchLedger?
    var breadcrumb: Breadcrumb?
    /// What became of a launch that was to begin while the files could not be reached.
    var awaitedLaunch = AwaitedLaunch.none
    /// What kept this launch from being noted, if anything did.
    var launchError: StoreError?

    /// Whether a file is to be removed as soon as it can be.
    func isToGo(_ generation: Generation) -> Bool { forgotten[generation.archive]?.isToGo(generation) ?? false }

    /// Notes that a file has another number.
    mutating func rename(_ old: Generation, to new: Generation) {
      let archive = old.archive
      if current[archive]?.generation == old { current[archive]?.generation = new }
      if let mark = marksBeforeSave.removeValue(forKey: old) { marksBeforeSave[new] = mark }
      pinnedFor[archive] = pinnedFor[archive]?.mapValues { $0 == old.number ? new.number : $0 }
      if var note = passedOver.removeValue(forKey: old) {
        note.number = new.number
        passedOver[new] = note
      }
    }
  }

  /// The folder.
  package let folder: StoreFolder
  let limits: StoreLimits
  let access: Access
  let launchOptions: LaunchOptions
  /// What identifies the boot of the machine; 0 if that is not known.
  let boot: UInt64
  private let isReachable: @Sendable () -> Bool
  let state: Lock<State>
  let removals = Lock(RemovalCount())

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - path: The folder. It is made when something is saved, for its owner alone; the folder above it must exist.
  ///   - launch: What the app says about its launches: the build that runs, safe mode, how long until it is stable.
  ///   - access: What for.
  ///   - limits: How many files are kept.
  ///   - isReachable: Whether the files can be reached now. While it says no, there is nothing to load but also nothing lost: loading
  ///     answers `pending`, and saves are held. It is asked on whatever thread uses the store, while nothing is locked: it may use the store
  ///     itself, and wait for another thread, even one that is in ``SaveQueue/commitWaiting()``. Where that thread is stuck, saves are.
  /// - Throws: ``StoreError/inUse(by:)`` if another process writes to it, ``StoreError/system(_:)``.
  public convenience init(
    folder path: String, launch: LaunchOptions = LaunchOptions(), access: Access = .writing, limits: StoreLimits = StoreLimits(),
    isReachable: @escaping @Sendable () -> Bool = { true }
  ) throws(StoreError) {
    try self.init(
      StoreFolder(path: path, system: SystemFileSystem()), launch: launch, access: access, limits: limits, isReachable: isReachable)
  }

  package init(
    _ folder: StoreFolder, launch: LaunchOptions = LaunchOptions(), boot: UInt64 = SystemBoot.identifier, access: Access = .writing,
    limits: StoreLimits = StoreLimits(), isReachable: @escaping @Sendable () -> Bool = { true }
  ) throws(StoreError) {
    self.folder = folder
    launchOptions = launch
    self.boot = boot
    self.access = access
    self.limits = limits
    self.isReachable = isReachable
    state = Lock(State())
    if access == .writing, isReachable() { try withState { (state) throws(StoreError) in try lock(&state) } }
  }

  deinit {
    state.withLock { state in
      if let file = state.lockFile { folder.system.close(file) }
    }
  }

  // MARK: What every function needs

  /// Runs `body` alone, and tells what the system refused as an error of the store.
  func withState<Result: Sendable>(_ body: (inout State) throws(StoreError) -> sending Result) throws(StoreError) -> Result {
    try state.withLock { (state: inout sending State) throws(StoreError) in try body(&state) }
  }

  func system<Result>(_ body: () throws(FileSystemError) -> Result) throws(StoreError) -> Result {
    do throws(FileSystemError) {
      return try body()
    } catch {
      throw .system(error)
    }
  }

  func catalog() throws(StoreError) -> GenerationCatalog {
    GenerationCatalog(names: try system { () throws(FileSystemError) in try folder.names() })
  }

  /// The files without those that are to go but could not be removed yet.
  func remembered() throws(StoreError) -> GenerationCatalog {
    // Both at one moment: what is saved meanwhile is either in neither or in both.
    try withState { (state) throws(StoreError) in
      var catalog = try catalog()
      catalog.generations.removeAll { state.isToGo($0) }
      return catalog
    }
  }

  /// Whether the files can be reached now.
  ///
  /// The app is called for it, so it is asked before the state is locked.
  var canReach: Bool { isReachable() }

  // MARK: What there is

  /// The archives that there are, the one saved last first; those that are to be forgotten are not among them.
  ///
  /// - Throws: ``StoreError/system(_:)``.
  public func archives() throws(StoreError) -> [ArchiveName] {
    try remembered().archives
  }

  /// The same, and behind them those of which only files that were set aside are left.
  ///
  /// - Throws: ``StoreError/system(_:)``.
  package func archivesWithFiles() throws(StoreError) -> [ArchiveName] {
    let catalog = try remembered()
    var seen = Set(catalog.archives)
    return catalog.archives + catalog.generations.map(\.archive).filter { seen.insert($0).inserted }
  }

  /// Whether there are things in the folder, and none of them has a name that a store gives.
  ///
  /// - Throws: ``StoreError/system(_:)``.
  package func hasForeignFilesAlone() throws(StoreError) -> Bool {
    let names = try system { () throws(FileSystemError) in try folder.names() }
    return !names.isEmpty && !names.contains { StoreFileName.isOwn($0) }
  }

  /// All files of an archive, the newest first, those set aside included.
  ///
  /// - Throws: ``StoreError/system(_:)``.
  public func generations(of archive: ArchiveName = .application) throws(StoreError) -> [Generation] {
    try catalog().generations(of: archive)
  }
}
