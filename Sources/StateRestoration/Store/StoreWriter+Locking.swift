import Locking
import RestorationArchive
import SystemLibrary

/// The lock file, which one process at a time holds.
extension StoreWriter {
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
    if launch.history != nil { restoreLaunchFiles() }
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
      skip(newest, .otherProcess)
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

  private func isLock(_ identity: FileStatus.Identity) throws(FileSystemError) -> Bool {
    let path = folder.path(of: Self.lockName)
    do throws(FileSystemError) {
      return try folder.again { () throws(FileSystemError) in try folder.system.status(at: path) }.identity == identity
    } catch {
      guard error.isAbsence else { throw error }
      return false
    }
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
        throw .inUse(by: Self.holder(in: (try? folder.readStart(of: Self.lockName, count: Self.holderLength)) ?? []))
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

  private static func holder(in bytes: [UInt8]) -> String {
    let line = String(decoding: bytes.prefix(holderLength).prefix { $0 != 0x0A }, as: UTF8.self)
    return line.isEmpty ? "another process" : line
  }
}
