import FoundationValues
import Locking
import RestorationArchive
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
///
/// Keep the store until the process ends, in a global or static variable, or call ``endLaunch()`` before it is released. A
/// process that releases its store, for example a local variable of `main`, has no record of its end: the next launch counts
/// that as a kill.
public final class RestorationStore: Sendable {
  /// The mode in which a store is opened.
  package enum Access: Sendable {
    /// Loading and saving, by one process at a time.
    case writing
    /// Loading only.
    case reading
  }

  /// Lists the folder and opens files.
  package let reader: StoreReader
  /// Changes the folder.
  let writer: SharedWriter
  /// Records this launch, and judges the last one.
  let launch: LaunchRecorder
  /// The states and removals that wait for the writer.
  let mailboxes = Mailboxes()
  /// Whether a thread is about to write that archives are stable.
  let isRecordingStability = Lock(false)
  let limits: StoreLimits
  let access: Access
  let linkPolicy: LinkPolicy
  private let isReachable: @Sendable () -> Bool
  /// Waits for some time.
  let sleep: @Sendable (Duration) async throws -> Void
  /// Called on the thread that writes with the outcome of each save.
  let didSave: @Sendable (ArchiveName, Result<SaveOutcome, StoreError>) -> Void
  /// Called when files that this launch has saved may be gone.
  let didLoseFiles: @Sendable () -> Void

  /// The folder of the store.
  package var folder: StoreFolder { reader.folder }

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
    didSave: @escaping @Sendable (ArchiveName, Result<SaveOutcome, StoreError>) -> Void = { _, _ in },
    didLoseFiles: @escaping @Sendable () -> Void = {},
    isReachable: @escaping @Sendable () -> Bool = { true }
  ) throws(StoreError) {
    reader = StoreReader(folder)
    launch = LaunchRecorder(reader, options, boot: boot)
    writer = SharedWriter(StoreWriter(reader, access, limits, linkPolicy, launch))
    (self.access, self.limits, self.linkPolicy) = (access, limits, linkPolicy)
    (self.sleep, self.didSave, self.didLoseFiles, self.isReachable) = (sleep, didSave, didLoseFiles, isReachable)
    if access == .writing, isReachable() { _ = try withWriter { (writer) throws(StoreError) in try writer.lockIfPossible() } }
  }

  deinit { writer.withLock { $0.releaseLock() } }

  // MARK: Shared helpers

  /// Calls `body` with the writer, under the lock of the store.
  func withWriter<Result: Sendable>(_ body: (inout StoreWriter) throws(StoreError) -> sending Result) throws(StoreError) -> Result {
    try writer.withLock { (writer: inout sending StoreWriter) throws(StoreError) in try body(&writer) }
  }

  /// Calls `body` with the writer if the storage is accessible: to lock it would make a folder where a disk is to be mounted.
  func changingFiles<Result: Sendable>(_ body: (inout StoreWriter) throws(StoreError) -> sending Result) throws(StoreError) -> Result {
    guard canReach else { throw .inaccessible }
    return try withWriter(body)
  }

  /// The files of all archives or of one, without pending removals; waits for no write.
  func loadableFiles(of archive: ArchiveName? = nil) throws(StoreError) -> GenerationCatalog {
    let forgotten = writer.forgotten
    var catalog = try reader.catalog(of: archive)
    catalog.generations.removeAll { forgotten.contains($0.archive) }
    return catalog
  }

  /// Whether the storage is accessible now.
  ///
  /// Calls the app, so it must be read before the state is locked.
  var canReach: Bool { isReachable() }

  // MARK: Contents

  /// The saved archives without pending removals, the last one written as a whole first.
  ///
  /// - Throws: ``StoreError/system(_:)``.
  public func archives() throws(StoreError) -> [ArchiveName] {
    try loadableFiles().archives
  }

  /// The saved archives, followed by those with only set-aside files.
  ///
  /// - Throws: ``StoreError/system(_:)``.
  package func archivesWithFiles() throws(StoreError) -> [ArchiveName] {
    let catalog = try loadableFiles()
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
    try reader.catalog().generations(of: archive)
  }

  // MARK: Loading

  /// Finds the best file of an archive: the newest that is intact, else the newest that is partly readable.
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
    guard canReach else { return StoreLoad(without: nil) }
    try beginAwaitedLaunch()
    try renumber()
    let load = try consistentLoad(archive)
    writer.change { $0.keepApart(load, archive) }
    return load
  }

  /// Tries the files of an archive until none was replaced before it could be opened.
  private func consistentLoad(_ archive: ArchiveName) throws(StoreError) -> StoreLoad {
    var absent: Set<Generation> = []
    // A file is replaced after two saves within one round, so a hundred rounds mean a process that saves without pause.
    for _ in 0..<100 {
      let load = StoreLoad(trying: try predictedFiles(of: archive).candidates(for: archive), reader, reader.confirmation(of: archive))
      // A file that is listed again but still cannot be opened was not replaced.
      let replaced = load.candidates.filter { $0.isAbsent && !absent.contains($0.generation) }
      guard !replaced.isEmpty else { return load }
      absent.formUnion(replaced.map(\.generation))
    }
    throw .system(FileSystemError(.open, code: ENOENT, path: absent.max()?.fileName ?? ""))
  }

  /// Renumbers files with out-of-range numbers, if this process may write.
  private func renumber() throws(StoreError) {
    guard access == .writing, try !reader.catalog().renumberings.isEmpty else { return }
    try withWriter { (writer) throws(StoreError) in
      guard (try? writer.lock()) != nil else { return }
      _ = try writer.numberedCatalog()
    }
  }
}
