import RestorationArchive
import Synchronization

/// Where the archives of an app live between launches: a folder of its own.
///
///     let store = try RestorationStore(folder: path)
///     switch try store.load().outcome {
///     case .archive(let saved): try application.restore(from: saved.reader, with: resolver)
///     default: try application.startFresh()
///     }
///     …
///     try store.save(bytes)
///
/// A save writes a new file and lets it take its name only when it is whole and on the disk; the file before it stays. So there is the old
/// state or the new one at every moment, also after a loss of power, and a file that turns out to be bad has one before it. One process
/// writes at a time; readers are never blocked. All functions may be called from any thread.
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
  }

  /// What is known of the current file of an archive.
  struct Current {
    var generation: Generation
    var digest: ContentDigest
    var bundleVersion: String?
    /// The nodes of which it lacks state that was saved before.
    var lacks: Set<RestorationPath> = []
  }

  /// What is still to be removed of an archive that is to be forgotten.
  struct Forgetting {
    /// The number of the first file that was saved since, which stays with those after it.
    var firstKept: UInt64?

    func isToGo(_ generation: Generation) -> Bool { firstKept.map { generation.number < $0 } ?? true }
  }

  struct State {
    var lockFile: OpenFile?
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
    /// The numbers of files, by archive, that a load passed over although nothing in them is known to be damaged: they are of a later version,
    /// or the system did not let them be read.
    var passedOver: [ArchiveName: Set<UInt64>] = [:]
    var ledger = LaunchLedger()
    /// Where the launch has come, once ``RestorationStore/beginLaunch(bundleVersion:)`` was called.
    var breadcrumb: Breadcrumb?
    /// What became of a launch that was to begin while the files could not be reached.
    var awaitedLaunch = AwaitedLaunch.none
    /// Whether everything was restored at this launch.
    var launchWentWell = true
    /// What was noted last, by archive that is being restored; the last of them is what the breadcrumb says.
    var restoring: [(archive: ArchiveName, record: BreadcrumbRecord)] = []
    /// Whether the app runs well after what was restored last.
    var hasSettled = false

    /// Whether a file is to be removed as soon as it can be.
    func isToGo(_ generation: Generation) -> Bool { forgotten[generation.archive]?.isToGo(generation) ?? false }
  }

  /// The folder.
  package let folder: StoreFolder
  let limits: StoreLimits
  let access: Access
  private let isReachable: @Sendable () -> Bool
  let state: Mutex<State>

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - path: The folder. It is made when something is saved, for its owner alone; the folder above it must exist.
  ///   - access: What for.
  ///   - limits: How many files are kept.
  ///   - isReachable: Whether the files can be reached now. While it says no, there is nothing to load but also nothing lost: loading
  ///     answers `pending`, and saves are held. It is asked on whatever thread uses the store, while nothing is locked: it may use the store
  ///     itself, and wait for another thread, even one that is in ``SaveQueue/commitWaiting()``. Where that thread is stuck, saves are.
  /// - Throws: ``StoreError/inUse(by:)`` if another process writes to it, ``StoreError/system(_:)``.
  public convenience init(
    folder path: String, access: Access = .writing, limits: StoreLimits = StoreLimits(),
    isReachable: @escaping @Sendable () -> Bool = { true }
  ) throws(StoreError) {
    try self.init(StoreFolder(path: path, system: SystemFileSystem()), access: access, limits: limits, isReachable: isReachable)
  }

  package init(
    _ folder: StoreFolder, access: Access = .writing, limits: StoreLimits = StoreLimits(),
    isReachable: @escaping @Sendable () -> Bool = { true }
  ) throws(StoreError) {
    self.folder = folder
    self.access = access
    self.limits = limits
    self.isReachable = isReachable
    state = Mutex(State())
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

  /// All files of an archive, the newest first, those set aside included.
  ///
  /// - Throws: ``StoreError/system(_:)``.
  public func generations(of archive: ArchiveName = .application) throws(StoreError) -> [Generation] {
    try catalog().generations(of: archive)
  }
}
