#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

extension RestorationStore {
  /// The file that a writer locks; its content names the process.
  static let lockName = "lock"
  private static let holderLength = 128

  /// Makes this process the one that writes, or makes sure that it still is.
  ///
  /// A lock guards nothing any more when the folder or the lock's file was removed, since another process can make and lock a new one. Then it
  /// is let go, and taken anew if no other process has it.
  func lock(_ state: inout State) throws(StoreError) {
    guard access == .writing else { throw .readingOnly }
    if try holdsLock(state) { return }
    let wasLost = state.lockFile != nil
    letLockGo(&state)
    // Again, where the file was removed between opening and locking.
    for _ in 0..<16 where state.lockFile == nil { try takeLock(&state) }
    guard state.lockFile != nil else { throw .system(lostLock) }
    if wasLost { restoreLaunchFiles(&state) }
  }

  /// Whether this process has the lock that every other process meets.
  func holdsLock(_ state: State) throws(StoreError) -> Bool {
    guard state.lockFile != nil, let identity = state.lockIdentity else { return false }
    return try system { () throws(FileSystemError) in try isLock(identity) }
  }

  /// Stops a save right before its file takes its name, if the lock was lost since it began.
  func expectLock(_ state: State) throws(FileSystemError) {
    guard let identity = state.lockIdentity, try isLock(identity) else { throw lostLock }
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
    state.lockFile = file
    state.lockIdentity = status.identity
    // Only for the words of an error in another process: that it cannot be written does no harm.
    try? folder.write(Self.holderText, to: file, at: 0)
  }

  /// Lets other processes write.
  func letLockGo(_ state: inout State) {
    guard let file = state.lockFile else { return }
    folder.system.close(file)
    state.lockFile = nil
    state.lockIdentity = nil
    noteOtherWriters(&state)
  }

  /// Takes back what is only true as long as no other process writes: what is there afterwards may be newer than what was to be forgotten, or
  /// than what a file was pinned for, and a number may be that of another file.
  func noteOtherWriters(_ state: inout State) {
    state.current = [:]
    state.forgotten = [:]
    state.pinnedFor = [:]
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
