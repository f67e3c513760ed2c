import RestorationArchive
import Synchronization
import SystemLibrary

/// The folder of a store, with operations composed of several system calls.
///
/// A call interrupted by a signal is retried; other failures are thrown.
package struct StoreFolder: Sendable {
  /// The path of the folder.
  package let path: String
  /// The file system.
  package let system: any StoreFileSystem
  /// Whether missing folders above it are made with it: an app makes its own, and they may be removed while it runs.
  var makesAncestors = false
  private let changes = Changes()

  /// How often this process has renamed or removed a file in the folder.
  private final class Changes: Sendable {
    let count = Atomic<Int>(0)
  }

  /// Changes with each name that this process changes, whatever the times of the file system are.
  var changeCount: Int { changes.count.load(ordering: .acquiring) }

  private func noteChange() { changes.count.add(1, ordering: .releasing) }

  /// Creates a value; the folder need not exist yet.
  ///
  /// A relative path is resolved here, because the app may change its working directory later.
  package init(path: String, system: any StoreFileSystem) {
    self.path = path.hasPrefix("/") || path.isEmpty ? path : Self.workingDirectory.map { "\($0)/\(path)" } ?? path
    self.system = system
  }

  private static var workingDirectory: String? {
    guard let text = unsafe getcwd(nil, 0) else { return nil }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }

  /// Returns the path of a file in the folder.
  package func path(of name: String) -> String { "\(path)/\(name)" }

  /// Parses names of the folder.
  ///
  /// Anything but a file with the name of a closed scene would hide that scene, and is ignored.
  func catalog(of names: [String]) -> GenerationCatalog {
    var catalog = GenerationCatalog(names: names)
    catalog.generations.removeAll { generation in
      guard generation.mark == .closed else { return false }
      return (try? system.status(at: path(of: generation.fileName))).map { $0.kind != .file } ?? false
    }
    return catalog
  }

  /// Creates the folder if it does not exist.
  func make() throws(FileSystemError) {
    do throws(FileSystemError) {
      try again { () throws(FileSystemError) in try system.makeFolder(path) }
    } catch {
      guard makesAncestors, error.isAbsence else { throw error }
      try makeAncestors()
      try again { () throws(FileSystemError) in try system.makeFolder(path) }
    }
  }

  /// Creates the missing folders above it, accessible to their owner only.
  ///
  /// Each new name is flushed: a completed save must not be lost with a folder above it.
  func makeAncestors() throws(FileSystemError) {
    var missing: [StoreFolder] = []
    var ancestor = Self.parent(of: path)
    // A link to a folder counts; the store reports any other kind of file when it opens the folder.
    while ancestor != "/", ancestor != ".", (try? system.status(at: ancestor)) == nil {
      missing.append(StoreFolder(path: ancestor, system: system))
      ancestor = Self.parent(of: ancestor)
    }
    for folder in missing.reversed() {
      try folder.make()
      try folder.flushAbove()
    }
  }

  private static func parent(of path: String) -> String {
    var text = path[...]
    while text.count > 1, text.hasSuffix("/") { text = text.dropLast() }
    return ArchiveFile.folder(of: String(text))
  }

  /// Returns the names of the files in the folder; none if the folder does not exist.
  func names() throws(FileSystemError) -> [String] {
    try unlessAbsent { () throws(FileSystemError) in try patiently { () throws(FileSystemError) in try system.names(in: path) } } ?? []
  }

  /// Returns all bytes of a file of at most `limit` bytes.
  ///
  /// - Throws: The system's error; `EFBIG` if the file is longer.
  func read(_ name: String, atMost limit: Int) throws(FileSystemError) -> [UInt8] {
    let (file, status) = try open(name, .read)
    defer { system.close(file) }
    guard status.byteCount <= limit else { throw FileSystemError(.read, code: EFBIG, path: path(of: name)) }
    return try read(file, 0..<status.byteCount)
  }

  /// Returns the first `count` bytes of a file, or fewer if it is shorter.
  func readStart(of name: String, count: Int) throws(FileSystemError) -> [UInt8] {
    let (file, _) = try open(name, .read)
    defer { system.close(file) }
    return try read(file, 0..<count)
  }

  /// Returns the bytes in a range of an open file, or fewer if it ends earlier.
  func read(_ file: OpenFile, _ range: Range<Int>) throws(FileSystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < range.count {
      // Some systems refuse to read more than two gigabytes at once.
      let (offset, count) = (range.lowerBound + bytes.count, min(range.count - bytes.count, 1 << 30))
      let part = try patiently { () throws(FileSystemError) in try system.read(file, at: offset, count: count) }
      // The file was truncated meanwhile: return what exists, which the caller will detect as truncated.
      if part.isEmpty { break }
      if bytes.isEmpty { bytes = part } else { bytes += part }
    }
    return bytes
  }

  /// Opens a file.
  ///
  /// - Throws: The system's error; a file-kind error if the name belongs to a folder, symbolic link, pipe or device.
  func open(_ name: String, _ access: FileAccess) throws(FileSystemError) -> (file: OpenFile, status: FileStatus) {
    let path = path(of: name)
    if access == .read { return try patiently { () throws(FileSystemError) in try openOnce(path, access) } }
    return try openOnce(path, access)
  }

  private func openOnce(_ path: String, _ access: FileAccess) throws(FileSystemError) -> (file: OpenFile, status: FileStatus) {
    let file = try again { () throws(FileSystemError) in try system.open(path, access) }
    do throws(FileSystemError) {
      let status = try again { () throws(FileSystemError) in try system.status(of: file) }
      guard status.kind == .file else { throw FileSystemError(opening: status.kind, path: path) }
      return (file, status)
    } catch {
      system.close(file)
      throw error
    }
  }

  /// Opens one of the store's own files for writing in place; an unusable file with its name is set aside.
  func openOwn(_ name: String) throws(FileSystemError) -> (file: OpenFile, status: FileStatus) {
    do throws(FileSystemError) {
      return try open(name, .update)
    } catch {
      guard error.foreignKind != nil || error.code == EACCES else { throw error }
      try setAside(name, unless: error)
      return try open(name, .update)
    }
  }

  /// Renames a foreign file that has the name of one of the store's own, so that the store ignores it.
  ///
  /// It is not removed, because it may be a folder with files in it.
  ///
  /// - Throws: `reason`, if the file cannot be renamed.
  func setAside(_ name: String, unless reason: FileSystemError) throws(FileSystemError) {
    for number in 1...64 {
      let newName = "\(name).foreign\(number)"
      do throws(FileSystemError) {
        if try status(of: newName) == nil { return try rename(name, to: newName) }
      } catch {
        throw reason
      }
    }
    throw reason
  }

  /// Writes all bytes, in as many calls as needed.
  func write(_ bytes: [UInt8], to file: OpenFile, at offset: Int) throws(FileSystemError) {
    var written = 0
    while written < bytes.count {
      written += try again { () throws(FileSystemError) in try system.write(bytes[written...], to: file, at: offset + written) }
    }
  }

  func rename(_ name: String, to newName: String) throws(FileSystemError) {
    defer { noteChange() }
    try again { () throws(FileSystemError) in try system.rename(path(of: name), to: path(of: newName)) }
  }

  /// Gives a file the name with a mark; a foreign file with that name is set aside.
  func mark(_ generation: Generation, _ mark: Generation.Mark) throws(FileSystemError) {
    let name = generation.marked(mark).fileName
    if name == generation.fileName { return }
    // A file that is not there any more, perhaps because it has its mark already, takes the name from no other.
    if try status(of: generation.fileName) != nil { try vacate(name) }
    try rename(generation.fileName, to: name)
  }

  /// Sets aside a foreign file that has a name which is about to be given.
  func vacate(_ name: String) throws(FileSystemError) {
    if try status(of: name) != nil { try setAside(name, unless: FileSystemError(.rename, code: EEXIST, path: path(of: name))) }
  }

  /// Returns the status of a file, without following a symbolic link; nil if nothing has the name.
  func status(of name: String) throws(FileSystemError) -> FileStatus? {
    try unlessAbsent { () throws(FileSystemError) in
      try again { () throws(FileSystemError) in try system.status(at: path(of: name)) }
    }
  }

  func remove(_ name: String) throws(FileSystemError) {
    defer { noteChange() }
    try again { () throws(FileSystemError) in try system.remove(path(of: name)) }
  }

  func removeIfPresent(_ name: String) throws(FileSystemError) {
    try unlessAbsent { () throws(FileSystemError) in try remove(name) }
  }

  /// Flushes the names in the folder to disk; does nothing if the file system does not support that.
  func flush() throws(FileSystemError) {
    do throws(FileSystemError) {
      try again { () throws(FileSystemError) in try system.flushFolder(path) }
    } catch {
      guard error.isUnsupported else { throw error }
    }
  }

  /// Flushes the folder's own name, which is an entry of the parent folder.
  ///
  /// This process may lack permission to open the parent; the whole system is then flushed, which takes longer.
  func flushAbove() throws(FileSystemError) {
    do throws(FileSystemError) {
      try again { () throws(FileSystemError) in try system.flushFolder(pathAbove) }
    } catch {
      if error.isRefusal { return system.flushEverything() }
      guard error.isUnsupported else { throw error }
    }
  }

  /// The path of the parent folder.
  private var pathAbove: String {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { Substring($0) }
    // Only the system can resolve the last component of such a path.
    return name == ".." || name == "." ? "\(path)/.." : Self.parent(of: path)
  }

  /// Retries a call that only reads after errors that may have passed a moment later.
  ///
  /// Calls that write are not retried: a flush that succeeds after one that failed proves nothing.
  private func patiently<Result>(_ body: () throws(FileSystemError) -> Result) throws(FileSystemError) -> Result {
    for pause in [0, 1000, 10_000] as [UInt32] {
      do throws(FileSystemError) {
        return try again(body)
      } catch {
        guard error.isTransient else { throw error }
        if pause > 0 { usleep(pause) }
      }
    }
    return try again(body)
  }

  /// Retries a call while signals interrupt it.
  ///
  /// Stops after a thousand retries, because a system that interrupts every call is broken.
  func again<Result>(_ body: () throws(FileSystemError) -> Result) throws(FileSystemError) -> Result {
    for _ in 0..<1000 {
      do throws(FileSystemError) {
        return try body()
      } catch {
        guard error.isInterruption else { throw error }
      }
    }
    return try body()
  }

  /// Returns nil if a call finds nothing at its path.
  @discardableResult
  func unlessAbsent<Result>(_ body: () throws(FileSystemError) -> Result) throws(FileSystemError) -> Result? {
    do throws(FileSystemError) {
      return try body()
    } catch {
      guard error.isAbsence else { throw error }
      return nil
    }
  }

  // MARK: Replacing a file, which gets its name only after it is flushed

  /// Writes a file atomically: under its name there is always the old or the new file, even after a power loss.
  ///
  /// - Throws: The system's error. The old file, if any, is then unchanged, unless only the final flush failed: the new
  ///   file then exists, but may not survive a power loss.
  func replace(_ name: String, with bytes: [UInt8]) throws(FileSystemError) {
    try put(name, bytes) {}
    try flush()
  }

  /// Writes a file atomically as ``replace(_:with:)`` does, and leaves its name to a later flush of the folder.
  ///
  /// `beforeRenaming` is called just before the rename, and cancels it by throwing.
  func put(_ name: String, _ bytes: [UInt8], beforeRenaming: () throws(FileSystemError) -> Void) throws(FileSystemError) {
    let temporary = Self.temporaryPrefix + name
    do throws(FileSystemError) {
      try removeIfPresent(temporary)
    } catch {
      try setAside(temporary, unless: error)
    }
    do throws(FileSystemError) {
      let (file, _) = try open(temporary, .create)
      defer { system.close(file) }
      try write(bytes, to: file, at: 0)
      try again { () throws(FileSystemError) in try system.flush(file) }
      try beforeRenaming()
      try rename(temporary, to: name)
    } catch {
      try? remove(temporary)
      throw error
    }
  }

  /// The name prefix of files that are being written.
  static let temporaryPrefix = "writing-"
}
