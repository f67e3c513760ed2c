import SystemLibrary

extension RestorationStore {
  /// The name of the lock file; its content identifies the process that holds the lock.
  static let lockName = "lock"
  private static let holderLength = 128

  /// Acquires the write lock, or verifies that this process still holds it.
  ///
  /// A lock protects nothing once the folder or the lock file was removed, because another process can create and lock
  /// a new one. The stale lock is then released and acquired again, if no other process holds it.
  func lock(_ state: inout State) throws(StoreError) {
    guard access == .writing, !state.isAbandoned else { throw .readingOnly }
    if try holdsLock(state) {
      if state.hasOpenGroup { try decideGroup(&state) }
      return
    }
    releaseLock(&state)
    // Retries if the file was removed between opening and locking it.
    for _ in 0..<16 where state.heldLock == nil { try takeLock(&state) }
    guard state.heldLock != nil else { throw .system(lostLock) }
    do throws(StoreError) {
      try decideGroup(&state)
    } catch {
      // Tried again with the lock, before any save.
      releaseLock(&state)
      throw error
    }
    offerForeignSaves(&state)
    if state.history != nil { restoreLaunchFiles(&state) }
  }

  /// Acquires the write lock, unless the folder cannot be written now; returns the reason.
  ///
  /// Its state can be restored all the same, and each save tries again.
  func lockIfPossible(_ state: inout State) throws(StoreError) -> StoreError? {
    do throws(StoreError) {
      try lock(&state)
      return nil
    } catch {
      guard case .system(let cause) = error, cause.preventsWriting else { throw error }
      return error
    }
  }

  /// Turns what other processes have saved while this one did not hold the lock into offers, which no save buries.
  ///
  /// They are found among the archives that this process has loaded or saved; others it has yet to load.
  private func offerForeignSaves(_ state: inout State) {
    guard state.archives.contains(where: { $0.value.seen != nil }), let catalog = try? catalog() else { return }
    let ledger = ledger(state)
    for (archive, known) in state.archives {
      guard let seen = known.seen, let newest = catalog.candidates(for: archive, ledger).first, newest.mark == .none else { continue }
      // In a new folder the numbers start again.
      if newest.number == seen.number, let digest = seen.digest, let stored = try? fileReader.stored(newest), let reader = stored.reader,
        stored.links.lastDigest ?? reader.contentDigest == digest
      {
        continue
      }
      skip(newest, .otherProcess, &state)
    }
  }

  /// Whether this process holds the lock on the file that other processes would open.
  func holdsLock(_ state: State) throws(StoreError) -> Bool {
    guard let identity = state.heldLock?.identity else { return false }
    return try system { () throws(FileSystemError) in try isLock(identity) }
  }

  /// Stops a save just before its rename if the lock was lost since the save began.
  func expectLock(_ state: State) throws(FileSystemError) {
    guard let identity = state.heldLock?.identity, try isLock(identity) else { throw lostLock }
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

  private func takeLock(_ state: inout State) throws(StoreError) {
    let (file, status) = try system { () throws(FileSystemError) in
      try folder.make()
      return try folder.openOwn(Self.lockName)
    }
    do throws(StoreError) {
      let isOurs = try system { () throws(FileSystemError) in
        try folder.again { () throws(FileSystemError) in try folder.system.lock(file) }
      }
      guard isOurs else {
        noteOtherWriters(&state)
        throw .inUse(by: Self.holder(in: (try? folder.readStart(of: Self.lockName, count: Self.holderLength)) ?? []))
      }
      guard try system({ () throws(FileSystemError) in try isLock(status.identity) }) else { return folder.system.close(file) }
    } catch {
      folder.system.close(file)
      throw error
    }
    state.heldLock = (file, status.identity)
    // Only used in another process's error message, so a failure is ignored.
    try? folder.write(Self.holderText, to: file, at: 0)
  }

  /// Releases the lock, so that other processes can write.
  func releaseLock(_ state: inout State) {
    guard let file = state.heldLock?.file else { return }
    folder.system.close(file)
    state.heldLock = nil
    noteOtherWriters(&state)
  }

  /// Discards everything that holds only while no other process writes.
  ///
  /// Afterwards, files may be newer than a pending removal or a pin, and a number may belong to a different file.
  func noteOtherWriters(_ state: inout State) {
    for archive in Array(state.archives.keys) {
      state.forgetCurrent(archive)
      state[archive].pinnedFor = [:]
    }
    state.removals = []
    (state.group, state.hasOpenGroup) = (nil, true)
    state.isFolderFlushed = false
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
