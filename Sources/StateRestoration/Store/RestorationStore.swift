import FoundationValues
import Locking
package import RestorationArchive
import SystemLibrary

/// The saved archives of an app, in a folder of their own.
///
///     let store = try RestorationStore(AppConfiguration(bundleIdentifier: "org.example.notes", bundleVersion: "42"))
///     let launch = try store.restore(tree, with: resolver)
///     …
///     try store.save(tree.preserve(header: header))
///
/// ``restore(_:as:with:options:isolation:)`` begins the launch and restores the last saved state. It prevents crash
/// loops and keeps saved state that it does not restore. ``load(_:)`` inspects the files without
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

  /// Lists the folder and opens files.
  let fileReader: StoreReader
  /// The folder of the store.
  package var folder: StoreFolder { fileReader.folder }
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
    fileReader = StoreReader(folder)
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
      if let file = state.heldLock?.file { folder.system.close(file) }
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
    try system { () throws(FileSystemError) in try fileReader.catalog() }
  }

  /// The files, without those whose removal is pending.
  func remainingFiles() throws(StoreError) -> GenerationCatalog {
    // Both under one lock: a concurrent save is either in neither or in both.
    try withState { (state) throws(StoreError) in
      var catalog = try catalog()
      catalog.generations.removeAll { state.removals.contains($0.archive) }
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
    var catalog = try system { () throws(FileSystemError) in try fileReader.files(of: archive) }
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

extension RestorationStore {
  /// Finds the best file of an archive: the newest that is intact and accepted, else the newest that is partly
  /// readable.
  ///
  /// This is for inspection. An app restores with ``restore(_:as:with:options:isolation:)``, which also finds out
  /// whether restoring crashed the app before, and records its progress.
  ///
  /// A file is completely checked before it is returned. A store that is open for writing sets damaged files aside, so
  /// that no save removes them. Files whose removal is pending are not found. If a launch was waiting for the storage,
  /// it begins here.
  ///
  /// If another thread or process saves meanwhile, files can be replaced between listing and opening; they are then
  /// listed again.
  ///
  /// - Parameter archive: The name of the archive.
  /// - Returns: The best file, and an outcome for each file.
  /// - Throws: ``StoreError/system(_:)`` if the folder cannot be listed, or if its files keep being replaced;
  ///   ``StoreError`` if a waiting launch cannot begin, which is tried again at the next load.
  /// - Complexity: O(n) in the total bytes of the files tried.
  public func load(_ archive: ArchiveName = .application) throws(StoreError) -> StoreLoad {
    guard canReach else { return StoreLoad(outcome: .pending, candidates: []) }
    try beginAwaitedLaunch()
    try renumber()
    let load = try consistentLoad(archive)
    keepApart(load, archive)
    return load
  }

  /// A generation as far as it can be opened.
  package struct Opened {
    /// The archive with its links applied, possibly damaged.
    package let reader: ArchiveReader
    /// Its bytes.
    package let bytes: [UInt8]
    /// The numbers of applied and of lost links.
    package let links: (applied: Int, lost: Int)
  }

  /// Opens a generation with its first `count` links, possibly damaged; nil if that is not possible.
  package func opened(_ generation: Generation, links count: Int = .max) -> Opened? {
    guard let stored = try? fileReader.stored(generation, links: count), let reader = stored.reader,
      case .bytes(let bytes, _, let links) = stored
    else { return nil }
    return Opened(reader: reader, bytes: bytes, links: (links.applied, links.lost.count))
  }

  /// The files of an archive that may be restored, in the order in which they are tried.
  private func candidates(for archive: ArchiveName) throws(StoreError) -> [Generation] {
    try predictedFiles(of: archive).candidates(for: archive)
  }

  /// Tries the files of an archive until none was replaced before it could be opened.
  private func consistentLoad(_ archive: ArchiveName) throws(StoreError) -> StoreLoad {
    var absent: Set<Generation> = []
    // A file is replaced after two saves within one round, so a hundred rounds mean a process that saves without pause.
    for _ in 0..<100 {
      var trial = LoadTrial(store: self, confirmation: fileReader.confirmation(of: archive))
      for generation in try candidates(for: archive) { trial.try(generation) }
      let load = trial.result
      // A file that is listed again but still cannot be opened was not replaced.
      let replaced = load.candidates.filter { $0.isAbsent && !absent.contains($0.generation) }
      guard !replaced.isEmpty else { return load }
      absent.formUnion(replaced.map(\.generation))
    }
    throw .system(FileSystemError(.open, code: ENOENT, path: absent.max()?.fileName ?? ""))
  }

  /// Renumbers files with out-of-range numbers, if this process may write.
  private func renumber() throws(StoreError) {
    guard access == .writing, try !catalog().renumberings.isEmpty else { return }
    try withState { (state) throws(StoreError) in
      guard (try? lock(&state)) != nil else { return }
      _ = try numberedCatalog(&state)
    }
  }

  /// Records the result of a load, and sets damaged files aside.
  private func keepApart(_ load: StoreLoad, _ archive: ArchiveName) {
    guard access == .writing else { return }
    state.change { [self] state in
      let newest = load.archive
      state[archive].seen = (newest?.generation.number ?? 0, newest.map { $0.lastDigest ?? $0.reader.contentDigest })
      for candidate in load.candidates {
        switch candidate.outcome {
        case .damaged: setAside(candidate.generation, as: .damaged, &state)
        case .unreadable(let error) where error.foreignKind != nil: setAside(candidate.generation, as: .damaged, &state)
        // Still the best available state, so it is marked only when a save replaces it.
        case .partlyRestored: state.marksBeforeSave[candidate.generation] = .damaged
        case .unsupported: skip(candidate.generation, .laterVersion, &state)
        case .unreadable: skip(candidate.generation, .unreadable, &state)
        case .taken: undoSkipping(candidate.generation, &state)
        default: break
        }
      }
      if let archive = load.archive, archive.lostLinks != nil { pin(archive.generation, &state) }
      if let archive = load.archive, archive.generation.mark == .none, !archive.isPartial, archive.lostLinks == nil {
        // What this process has written since stays known.
        guard state[archive.generation.archive].current?.generation != archive.generation else { return }
        state.forgetCurrent(archive.generation.archive)
        state[archive.generation.archive].current = Current(
          generation: archive.generation, digest: archive.reader.contentDigest, bundleVersion: archive.reader.header.bundleVersion,
          lastDigest: archive.lastDigest)
      }
    }
  }

  /// Undoes the skipping of a file that an earlier load could not read, or that an earlier release declined.
  private func undoSkipping(_ generation: Generation, _ state: inout State) {
    guard let note = state.skipped[generation], [.laterVersion, .unreadable, .declined, .otherProcess].contains(note.reason) else { return }
    state.skipped[generation] = nil
    if state.marksBeforeSave[generation] == .offered { state.marksBeforeSave[generation] = nil }
  }

  /// Marks a file immediately, or before the next save if the rename fails or another process is writing.
  private func setAside(_ generation: Generation, as mark: Generation.Mark, _ state: inout State) {
    do throws(StoreError) {
      try lock(&state)
      try system { () throws(FileSystemError) in try folder.mark(generation, mark) }
    } catch {
      state.marksBeforeSave[generation] = mark
    }
  }
}
