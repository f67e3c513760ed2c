import Locking
import RestorationArchive
import SystemLibrary

/// The writer of a store: all that changes its folder, and what this process knows of it and still has to do there.
///
/// Whoever holds the lock of the store has the writer (``SharedWriter``), so nothing of it happens without the lock.
struct StoreWriter {
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
    /// The files, if this process has written them and they are not too large to be compared with the next content, so that it
    /// may add links.
    var chain: WrittenChain?
    /// The digest of the last link, if another process has written it.
    var lastDigest: ContentDigest?
  }

  /// What this process knows of an archive, and what its next save has to do.
  struct KnownArchive {
    var current: Current?
    /// The newest file that this process has loaded or saved: its number, and the digest of its last link.
    var seen: (number: UInt64, digest: ContentDigest?)?
    /// Whether this launch has waited for it: what was saved before has then not been shown until it is loaded.
    var wasAwaited = false
    /// The nodes whose saved state is missing from the next file to be written.
    var losses: Set<RestorationPath> = []
    /// The quarantined nodes whose objects the user has changed: the next save ends their quarantine.
    var changes: Set<RestorationPath> = []
    /// By node, the number of the file that is pinned for the node's state.
    var pinnedFor: [RestorationPath: UInt64] = [:]
    /// The marks to give to files at the next save, so that they are kept apart, by number.
    var marks: [UInt64: (file: Generation, mark: Generation.Mark)] = [:]
    /// The files that this launch skipped, which become offers at the next save, by number.
    var skipped: [UInt64: LaunchLedger.OfferNote] = [:]
    /// The number of the folding in progress.
    ///
    /// It is removed with the current generation. The folding then ends without effect, even if a later generation has been
    /// given the same number.
    var folding: UInt64?
  }

  let reader: StoreReader
  let access: RestorationStore.Access
  let limits: StoreLimits
  let linkPolicy: LinkPolicy
  /// The record of this launch.
  let launch: LaunchRecorder
  /// The lock file that this process holds, and its identity, whatever file now has its path.
  var heldLock: (file: OpenFile, identity: FileIdentity)?
  /// Whether the process counts as dead, in a simulated restart: nothing is written any more.
  var isAbandoned = false
  /// Whether the folder's own name is flushed to disk.
  var isFolderFlushed = false
  var archives: [ArchiveName: KnownArchive] = [:]
  /// The archives whose files on the disk are to be removed, which no record says yet (``SaveGroup``).
  var removals: Set<ArchiveName> = []
  /// The generations that are being restored from offers: no save removes their files meanwhile.
  var restoring: [Generation] = []
  /// The number of foldings begun so far.
  var lastFolding: UInt64 = 0
  /// The record of removals on the disk that are not done; nil if there are none.
  var group: SaveGroup? {
    didSet { lastNumber = max(lastNumber, group?.greatestNumber ?? 0) }
  }
  /// The archives whose history this process has forgotten with their removal, even if their files are still there.
  var forgotten: Set<ArchiveName> = []
  /// Whether the record of a save may be on the disk that is not decided.
  var hasOpenGroup = true
  /// The greatest number that a record has named: it is not used again, even if the record and the files are gone.
  var lastNumber: UInt64 = 0
  /// The ledger on disk, if known.
  var writtenLedger: LaunchLedger?
  /// Whether a save was the first work of an archive on trial, whose time is then to be watched.
  var hasFirstWork = false
  /// Whether the lock was lost in this launch, perhaps with the files: those of archives that do not change may be gone.
  var hasLostFiles = false

  init(
    _ reader: StoreReader, _ access: RestorationStore.Access, _ limits: StoreLimits, _ linkPolicy: LinkPolicy, _ launch: LaunchRecorder
  ) {
    (self.reader, self.access, self.limits, self.linkPolicy, self.launch) = (reader, access, limits, linkPolicy, launch)
  }

  subscript(archive: ArchiveName) -> KnownArchive {
    get { archives[archive] ?? KnownArchive() }
    _modify { yield &archives[archive, default: KnownArchive()] }
  }

  /// The mark that a file gets at the next save, whatever its mark is now.
  subscript(markOf file: Generation) -> Generation.Mark? {
    get { self[file.archive].marks[file.number]?.mark }
    set { self[file.archive].marks[file.number] = newValue.map { (file, $0) } }
  }

  var folder: StoreFolder { reader.folder }

  /// The launch ledger: in memory if the launch has begun, else from disk.
  var ledger: LaunchLedger { launch.history?.ledger ?? launch.readLedger() ?? LaunchLedger() }

  /// Records that this process knows an archive as it is on the disk.
  mutating func noteSeen(_ current: Current) {
    self[current.generation.archive].seen = (current.generation.number, current.chain?.last.digest ?? current.lastDigest ?? current.digest)
  }

  /// Forgets the current generation of an archive.
  mutating func forgetCurrent(_ archive: ArchiveName) { (self[archive].current, self[archive].folding) = (nil, nil) }

  /// Releases the content of an archive that is put away, which is saved as a whole when it is opened again.
  mutating func releaseContent(of archive: ArchiveName) { self[archive].current?.chain = nil }

  // MARK: The lock file, which one process at a time holds

  /// The name of the lock file; its content identifies the process that holds the lock.
  static let lockName = "lock"
  private static let holderLength = 128

  /// Acquires the write lock, or verifies that this process still holds it.
  ///
  /// A lock protects nothing once the folder or the lock file was removed, because another process can create and lock
  /// a new one. The stale lock is then released and acquired again, if no other process holds it.
  mutating func lock() throws(StoreError) {
    guard access == .writing, !isAbandoned else { throw .readingOnly }
    if try holdsLock() {
      if hasOpenGroup { try decideGroup() }
      return
    }
    releaseLock()
    // Retries if the file was removed between opening and locking it.
    for _ in 0..<16 where heldLock == nil { try takeLock() }
    guard heldLock != nil else { throw .system(lostLock) }
    do throws(StoreError) {
      try decideGroup()
    } catch {
      // Tried again with the lock, before any save.
      releaseLock()
      throw error
    }
    offerForeignSaves()
    guard launch.history != nil else { return }
    restoreLaunchFiles()
    hasLostFiles = true
  }

  /// Acquires the write lock, unless the folder cannot be written now; returns the reason.
  ///
  /// Its state can be restored all the same, and each save tries again.
  mutating func lockIfPossible() throws(StoreError) -> StoreError? {
    do throws(StoreError) {
      try lock()
      return nil
    } catch {
      guard case .system(let cause) = error, cause.preventsWriting else { throw error }
      return error
    }
  }

  /// Turns what other processes have saved while this one did not hold the lock into offers, which no save buries.
  ///
  /// They are found among the archives that this process has loaded or saved; others it has yet to load.
  private mutating func offerForeignSaves() {
    guard archives.contains(where: { $0.value.seen != nil }), let catalog = try? reader.catalog() else { return }
    let ledger = ledger
    for (archive, known) in archives {
      guard let seen = known.seen, let newest = catalog.candidates(for: archive, ledger).first, newest.mark == .none else { continue }
      // In a new folder the numbers start again.
      if newest.number == seen.number, let digest = seen.digest, let stored = try? reader.stored(newest), let archive = stored.reader,
        stored.links.lastDigest ?? archive.contentDigest == digest
      {
        continue
      }
      skip(StoreOffer(newest, .otherProcess))
    }
  }

  /// Whether this process holds the lock on the file that other processes would open.
  func holdsLock() throws(StoreError) -> Bool {
    guard let identity = heldLock?.identity else { return false }
    return try system { () throws(FileSystemError) in try isLock(identity) }
  }

  /// Stops a save just before its rename if the lock was lost since the save began.
  func expectLock() throws(FileSystemError) {
    guard let identity = heldLock?.identity, try isLock(identity) else { throw lostLock }
  }

  var lostLock: FileSystemError { FileSystemError(.lock, code: ESTALE, path: folder.path(of: Self.lockName)) }

  private func isLock(_ identity: FileIdentity) throws(FileSystemError) -> Bool {
    try folder.status(of: Self.lockName)?.identity == identity
  }

  private mutating func takeLock() throws(StoreError) {
    let (file, status) = try system { () throws(FileSystemError) in
      try folder.make()
      return try folder.openOwn(Self.lockName)
    }
    do throws(StoreError) {
      let isOurs = try system { () throws(FileSystemError) in
        try folder.again { () throws(FileSystemError) in try folder.system.lock(file) }
      }
      guard isOurs else {
        noteOtherWriters()
        throw .inUse(by: holder(in: (try? folder.readStart(of: Self.lockName, count: Self.holderLength)) ?? []))
      }
      guard try system({ () throws(FileSystemError) in try isLock(status.identity) }) else { return folder.system.close(file) }
    } catch {
      folder.system.close(file)
      throw error
    }
    heldLock = (file, status.identity)
    // Only used in another process's error message, so a failure is ignored.
    try? folder.write(Self.holderText, to: file, at: 0)
  }

  /// Releases the lock, so that other processes can write.
  mutating func releaseLock() {
    guard let file = heldLock?.file else { return }
    folder.system.close(file)
    heldLock = nil
    noteOtherWriters()
  }

  /// Discards everything that holds only while no other process writes.
  ///
  /// Afterwards, files may be newer than a pending removal or a pin, and a number may belong to a different file.
  mutating func noteOtherWriters() {
    for archive in Array(archives.keys) {
      forgetCurrent(archive)
      self[archive].pinnedFor = [:]
    }
    removals = []
    (group, hasOpenGroup) = (nil, true)
    isFolderFlushed = false
  }

  private static var holderText: [UInt8] {
    let program = CommandLine.arguments.first?.split(separator: "/").last ?? "process"
    let text = Array("\(program), process \(getpid())".utf8.prefix(holderLength - 1)) + [0x0A]
    return text + [UInt8](repeating: 0x20, count: holderLength - text.count)
  }

  /// Returns who holds the lock, and what to do about it.
  private func holder(in bytes: [UInt8]) -> String {
    let line = String(decoding: bytes.prefix(Self.holderLength).prefix { $0 != 0x0A }, as: UTF8.self)
    if bytes == Self.holderText { return "this process: use what has opened it, and do not open it again (\(line))" }
    return "\(line.isEmpty ? "another process" : line): end that one, or use another folder than \(folder.path.escapedForDisplay)"
  }
}

/// The writer of a store behind its lock, which is held while the writer waits for the disk.
///
/// A launch must not wait for that. What it finds out is left here, and applied before anything else sees the writer.
///
/// A thread that holds several locks has taken them in this order: this one, then the launch (``LaunchRecorder``)
/// or the mailboxes (``Mailboxes``), which are never held during a flush.
final class SharedWriter: Sendable {
  private let lock: Lock<StoreWriter>
  private let changes = Lock<[@Sendable (inout StoreWriter) -> Void]>([])
  private let knownForgotten = Lock<Set<ArchiveName>>([])

  init(_ writer: sending StoreWriter) { lock = Lock(writer) }

  /// Calls `body` with the writer while holding the lock, and returns or throws its result.
  func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending StoreWriter) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try lock.withLock { (writer: inout sending StoreWriter) throws(Failure) -> sending Result in
      applyChanges(&writer)
      defer { publish(writer) }
      return try body(&writer)
    }
  }

  /// Changes what the writer knows now, or before anything else sees it if a thread holds the lock.
  func change(_ body: @escaping @Sendable (inout StoreWriter) -> Void) {
    changes.withLock { $0.append(body) }
    _ = lock.withLockIfFree { writer in
      applyChanges(&writer)
      publish(writer)
    }
  }

  /// The archives whose files are to be removed, as the last access has left them.
  var forgotten: Set<ArchiveName> { knownForgotten.withLock { $0 } }

  private func applyChanges(_ writer: inout StoreWriter) {
    let left = changes.withLock { changes in
      defer { changes = [] }
      return changes
    }
    for change in left { change(&writer) }
  }

  private func publish(_ writer: borrowing StoreWriter) {
    let removals = writer.removals
    knownForgotten.withLock { $0 = removals }
  }
}
