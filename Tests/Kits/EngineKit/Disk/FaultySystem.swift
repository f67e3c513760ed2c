import Foundation
import Locking
import PropertyKit
package import StateRestoration

/// The calls of a store on a simulated disk, of which the k-th fails or is the last of the process.
package final class FaultySystem: StoreFileSystem {
  /// The effect on the call.
  package enum Fault: Hashable, Sendable, CustomStringConvertible {
    /// The call fails without an effect.
    case error(Int32)
    /// The process dies before the call; every later call fails.
    case death
    /// A write takes half of the bytes, and the next call fails.
    case shortWrite

    package static let all: [Fault] = [.error(EIO), .error(ENOSPC), .error(EACCES), .error(EINTR), .death, .shortWrite]

    package var description: String {
      switch self {
      case .error(let code): unsafe String(cString: strerror(code))
      case .death: "death"
      case .shortWrite: "short write"
      }
    }
  }

  /// A call that changes what is on the disk, or makes a change durable.
  package struct Call: Hashable, Sendable {
    package let operation: FileSystemError.Operation
    /// The name of the file; the path of the folder that is made or flushed.
    package let name: String
    /// The new name of a renamed file.
    package var newName: String?
  }

  private struct Progress {
    var calls = 0
    /// The number of calls after which the process dies; nil if it does not.
    var callsLeft: Int?
    /// The successful calls since recording began; nil if it did not.
    var recorded: [Call]?
    var isDead = false
    var failsNext = false
    /// Whether writes that need more space fail.
    var isFull = false
    /// The files that this process has locked.
    var locked: Set<Int> = []
    /// Whether every call that changes something fails.
    var isReadOnly = false
    /// Whether the file system has no locks.
    var lacksLocks = false
    /// The start of the names of files that cannot be opened.
    var unreadablePrefix: String?
    /// The start of the names of files that cannot be removed.
    var stubbornPrefix: String?
    /// The names of files that could not be removed, in the order in which that was tried.
    var stubbornRemovals: [String] = []
    /// The number of listings of the folder, and of bytes that were read.
    var listings = 0
    var bytesRead = 0
  }

  package let disk: SimulatedDisk
  private let fault: Fault?
  private let faultyCall: Int
  private let progress = Lock(Progress())
  /// Whether the file system cannot flush folders.
  package let refusesFolderFlush: Bool
  /// Called before a file is opened, with its path.
  package let willOpen: @Sendable (String) -> Void
  /// Called before anything is flushed.
  package let willFlush: @Sendable () -> Void

  package init(
    _ disk: SimulatedDisk, fault: Fault? = nil, at call: Int = 0, refusesFolderFlush: Bool = false,
    willOpen: @escaping @Sendable (String) -> Void = { _ in }, willFlush: @escaping @Sendable () -> Void = {}
  ) {
    self.disk = disk
    self.fault = fault
    faultyCall = call
    self.refusesFolderFlush = refusesFolderFlush
    (self.willOpen, self.willFlush) = (willOpen, willFlush)
  }

  /// Whether the disk is full; writes that need no more space still succeed.
  package var isFull: Bool {
    get { progress.withLock { $0.isFull } }
    set { progress.withLock { $0.isFull = newValue } }
  }

  /// Whether the file system is read-only.
  package var isReadOnly: Bool {
    get { progress.withLock { $0.isReadOnly } }
    set { progress.withLock { $0.isReadOnly = newValue } }
  }

  /// Whether the file system has no locks.
  package var lacksLocks: Bool {
    get { progress.withLock { $0.lacksLocks } }
    set { progress.withLock { $0.lacksLocks = newValue } }
  }

  /// The start of the names of files on a defective part of the disk.
  package var unreadablePrefix: String? {
    get { progress.withLock { $0.unreadablePrefix } }
    set { progress.withLock { $0.unreadablePrefix = newValue } }
  }

  /// The start of the names of files that cannot be removed.
  package var stubbornPrefix: String? {
    get { progress.withLock { $0.stubbornPrefix } }
    set { progress.withLock { $0.stubbornPrefix = newValue } }
  }

  /// The names of files that could not be removed, in the order in which that was tried.
  package var stubbornRemovals: [String] { progress.withLock { $0.stubbornRemovals } }

  /// The number of listings of the folder so far.
  package var listingCount: Int { progress.withLock { $0.listings } }

  /// The number of bytes that were read so far.
  package var readByteCount: Int { progress.withLock { $0.bytesRead } }

  /// Lets the process die after some more calls, or not at all.
  package func die(after calls: Int?) { progress.withLock { $0.callsLeft = calls } }

  private func expectWritable(_ operation: FileSystemError.Operation, _ path: String) throws(FileSystemError) {
    if isReadOnly { throw FileSystemError(operation, code: EROFS, path: path) }
  }

  /// Runs `body`, and returns the calls that it makes: those that change something or flush, in order, without those that
  /// fail.
  package func recording(_ body: () throws -> Void) rethrows -> [Call] {
    progress.withLock { $0.recorded = [] }
    defer { progress.withLock { $0.recorded = nil } }
    try body()
    return recordedCalls
  }

  /// The calls recorded so far.
  package var recordedCalls: [Call] { progress.withLock { $0.recorded ?? [] } }

  private func record(_ operation: FileSystemError.Operation, _ path: String, to newPath: String? = nil) {
    let name = operation == .makeFolder || operation == .flushFolder ? path : Self.name(path)
    progress.withLock { $0.recorded?.append(Call(operation: operation, name: name, newName: newPath.map { Self.name($0) })) }
  }

  /// The number of calls so far.
  package var callCount: Int { progress.withLock { $0.calls } }
  /// Whether the process has died.
  package var isDead: Bool { progress.withLock { $0.isDead } }

  /// Counts a call, and throws if it is to fail.
  ///
  /// - Returns: Whether a write is to be short.
  @discardableResult
  private func count(_ operation: FileSystemError.Operation, _ path: String) throws(FileSystemError) -> Bool {
    let code = progress.withLock { progress -> Int32? in
      if progress.isDead { return EIO }
      progress.calls += 1
      progress.isDead = progress.callsLeft == 0
      if progress.isDead { return EIO }
      progress.callsLeft = progress.callsLeft.map { $0 - 1 }
      if progress.failsNext {
        progress.failsNext = false
        return EIO
      }
      guard progress.calls == faultyCall, let fault else { return nil }
      switch fault {
      case .error(let code): return code
      case .death:
        progress.isDead = true
        return EIO
      case .shortWrite:
        guard operation == .write else { return nil }
        progress.failsNext = true
        return 0
      }
    }
    if code == 0 { return true }
    if let code { throw FileSystemError(operation, code: code, path: path) }
    return false
  }

  private static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }

  package func makeFolder(_ path: String) throws(FileSystemError) {
    try count(.makeFolder, path)
    if !disk.state.withLock({ $0.hasFolder }) { try expectWritable(.makeFolder, path) }
    disk.state.withLock { $0.hasFolder = true }
    record(.makeFolder, path)
  }

  package func names(in folder: String) throws(FileSystemError) -> [String] {
    try count(.list, folder)
    progress.withLock { $0.listings += 1 }
    return try disk.state.withLock { state throws(FileSystemError) in
      guard state.hasFolder else { throw FileSystemError(.list, code: ENOENT, path: folder) }
      // An arbitrary order that is the same in every run.
      var random = SeededGenerator(seed: UInt64(callCount))
      return state.names.keys.sorted().shuffled(using: &random)
    }
  }

  package func open(_ path: String, _ access: FileAccess) throws(FileSystemError) -> OpenFile {
    willOpen(path)
    try count(.open, path)
    let name = Self.name(path)
    if access != .read { try expectWritable(.open, path) }
    if let prefix = unreadablePrefix, name.hasPrefix(prefix) { throw FileSystemError(.open, code: EIO, path: path) }
    let file = try disk.state.withLock { state throws(FileSystemError) in
      guard state.hasFolder else { throw FileSystemError(.open, code: ENOENT, path: path) }
      switch (state.names[name], access) {
      case (nil, .read): throw FileSystemError(.open, code: ENOENT, path: path)
      case (.some, .create): throw FileSystemError(.open, code: EEXIST, path: path)
      case (let index?, _): return OpenFile(descriptor: Int32(index), path: path)
      case (nil, _):
        state.contents.append(SimulatedDisk.Content())
        let index = state.contents.count - 1
        state.names[name] = index
        state.changes.append(.add(name, index))
        return OpenFile(descriptor: Int32(index), path: path)
      }
    }
    if access != .read { record(.open, path) }
    return file
  }

  package func status(of file: OpenFile) throws(FileSystemError) -> FileStatus {
    try count(.examine, file.path)
    return disk.state.withLock { Self.status(ofFile: Int(file.descriptor), $0) }
  }

  package func status(at path: String) throws(FileSystemError) -> FileStatus {
    try count(.examine, path)
    return try disk.state.withLock { state throws(FileSystemError) in
      guard state.hasFolder, let index = state.names[Self.name(path)] else { throw FileSystemError(.examine, code: ENOENT, path: path) }
      return Self.status(ofFile: index, state)
    }
  }

  private static func status(ofFile index: Int, _ state: SimulatedDisk.State) -> FileStatus {
    FileStatus(
      kind: .file, byteCount: state.contents[index].bytes.count, identity: FileIdentity(device: 1, number: UInt64(index)))
  }

  package func read(_ file: OpenFile, at offset: Int, count wanted: Int) throws(FileSystemError) -> [UInt8] {
    try count(.read, file.path)
    let bytes = disk.state.withLock { Array($0.contents[Int(file.descriptor)].bytes.dropFirst(offset).prefix(wanted)) }
    progress.withLock { $0.bytesRead += bytes.count }
    return bytes
  }

  package func write(_ bytes: ArraySlice<UInt8>, to file: OpenFile, at offset: Int) throws(FileSystemError) -> Int {
    let isShort = try count(.write, file.path)
    let written = isShort ? bytes.prefix(max(1, bytes.count / 2)) : bytes
    if isFull, offset + written.count > disk.state.withLock({ $0.contents[Int(file.descriptor)].bytes.count }) {
      throw FileSystemError(.write, code: ENOSPC, path: file.path)
    }
    disk.state.withLock { state in
      let index = Int(file.descriptor)
      let end = offset + written.count
      let missing = end - state.contents[index].bytes.count
      if missing > 0 { state.contents[index].bytes += [UInt8](repeating: 0, count: missing) }
      state.contents[index].bytes.replaceSubrange(offset..<end, with: written)
    }
    record(.write, file.path)
    return written.count
  }

  package func flush(_ file: OpenFile) throws(FileSystemError) {
    willFlush()
    try count(.flush, file.path)
    disk.state.withLock { state in
      let index = Int(file.descriptor)
      state.contents[index].flushed = state.contents[index].bytes
    }
    record(.flush, file.path)
  }

  package func close(_ file: OpenFile) {
    let index = Int(file.descriptor)
    // Another process may hold the lock.
    if progress.withLock({ $0.locked.remove(index) }) != nil { _ = disk.state.withLock { $0.locked.remove(index) } }
  }

  package func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    try count(.rename, path)
    try expectWritable(.rename, path)
    try disk.state.withLock { state throws(FileSystemError) in
      guard let index = state.names.removeValue(forKey: Self.name(path)) else { throw FileSystemError(.rename, code: ENOENT, path: path) }
      state.names[Self.name(newPath)] = index
      state.changes.append(.rename(Self.name(path), Self.name(newPath), index))
    }
    record(.rename, path, to: newPath)
  }

  package func remove(_ path: String) throws(FileSystemError) {
    try count(.remove, path)
    try expectWritable(.remove, path)
    if let prefix = stubbornPrefix, Self.name(path).hasPrefix(prefix) {
      progress.withLock { $0.stubbornRemovals.append(Self.name(path)) }
      throw FileSystemError(.remove, code: EACCES, path: path)
    }
    try disk.state.withLock { state throws(FileSystemError) in
      guard state.names.removeValue(forKey: Self.name(path)) != nil else { throw FileSystemError(.remove, code: ENOENT, path: path) }
      state.changes.append(.remove(Self.name(path)))
    }
    record(.remove, path)
  }

  package func flushFolder(_ path: String) throws(FileSystemError) {
    willFlush()
    try count(.flushFolder, path)
    if refusesFolderFlush { throw FileSystemError(.flushFolder, code: EINVAL, path: path) }
    disk.state.withLock { state in
      // The folder above holds only the name of the store's folder.
      if path == "/" {
        state.isFolderFlushed = state.hasFolder
      } else {
        state.flushedNames = state.names
        state.changes = []
      }
    }
    record(.flushFolder, path)
  }

  package func flushEverything() {
    willFlush()
    guard !isDead else { return }
    disk.state.withLock { state in
      for index in state.contents.indices { state.contents[index].flushed = state.contents[index].bytes }
      state.flushedNames = state.names
      state.changes = []
      state.isFolderFlushed = state.hasFolder
    }
  }

  package func sharedPage(of file: OpenFile) -> MappedPage? { nil }
  package func version(ofFolder path: String) -> FolderVersion? { nil }

  package func lock(_ file: OpenFile) throws(FileSystemError) -> Bool {
    try count(.lock, file.path)
    if lacksLocks { throw FileSystemError(.lock, code: ENOLCK, path: file.path) }
    let index = Int(file.descriptor)
    guard disk.state.withLock({ $0.locked.insert(index).inserted }) else { return false }
    _ = progress.withLock { $0.locked.insert(index) }
    return true
  }
}
