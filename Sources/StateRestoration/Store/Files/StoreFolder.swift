#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// The folder of a store, with the operations that are made of several calls to the system.
///
/// A call that a signal interrupted is made again; every other failure is passed on.
package struct StoreFolder: Sendable {
  /// Where the folder is.
  package let path: String
  /// The system.
  package let system: any StoreFileSystem

  /// Makes one; the folder need not exist yet.
  package init(path: String, system: any StoreFileSystem) {
    self.path = path
    self.system = system
  }

  /// The path of a file in it.
  package func path(of name: String) -> String { "\(path)/\(name)" }

  /// Makes the folder if it does not exist.
  func make() throws(FileSystemError) {
    try again { () throws(FileSystemError) in try system.makeFolder(path) }
  }

  /// The names of the files in it; none if there is no folder.
  func names() throws(FileSystemError) -> [String] {
    do throws(FileSystemError) {
      return try again { () throws(FileSystemError) in try system.names(in: path) }
    } catch {
      guard error.isAbsence else { throw error }
      return []
    }
  }

  /// All bytes of a file, if there are not more than `limit`.
  ///
  /// - Throws: What the system refused; if the file is longer, that it is too large.
  func read(_ name: String, atMost limit: Int) throws(FileSystemError) -> [UInt8] {
    let (file, status) = try open(name, .read)
    defer { system.close(file) }
    guard status.byteCount <= limit else { throw FileSystemError(.read, code: EFBIG, path: path(of: name)) }
    return try read(file, 0..<status.byteCount)
  }

  /// The first `count` bytes of a file; fewer, if it is shorter.
  func readStart(of name: String, count: Int) throws(FileSystemError) -> [UInt8] {
    let (file, _) = try open(name, .read)
    defer { system.close(file) }
    return try read(file, 0..<count)
  }

  /// The bytes at a range of an open file; fewer, if it ends before.
  func read(_ file: OpenFile, _ range: Range<Int>) throws(FileSystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < range.count {
      // Some systems refuse to read more than two gigabytes at once.
      let (offset, count) = (range.lowerBound + bytes.count, min(range.count - bytes.count, 1 << 30))
      let part = try again { () throws(FileSystemError) in try system.read(file, at: offset, count: count) }
      // Shorter than it was a moment ago: what is there is told as it is, and found to be cut.
      if part.isEmpty { break }
      if bytes.isEmpty { bytes = part } else { bytes += part }
    }
    return bytes
  }

  /// Writes a file so that at every moment there is the old one or the new one under its name, also after a loss of power.
  ///
  /// - Throws: What the system refused; the old file, if any, is then as it was, unless only the last step failed, which makes the name last:
  ///   then the new one is there, and may or may not survive a loss of power.
  ///
  /// `beforeRenaming` is called when all is ready for the last step but one, and stops it by throwing.
  func replace(
    _ name: String, with bytes: [UInt8], beforeRenaming: () throws(FileSystemError) -> Void = {}
  ) throws(FileSystemError) {
    let temporary = Self.temporaryPrefix + name
    do throws(FileSystemError) {
      try remove(temporary)
    } catch {
      if !error.isAbsence { try setAside(temporary, unless: error) }
    }
    do throws(FileSystemError) {
      let (file, _) = try open(temporary, .create)
      defer { system.close(file) }
      try write(bytes, to: file, at: 0)
      try again { () throws(FileSystemError) in try system.flush(file) }
      try beforeRenaming()
      try again { () throws(FileSystemError) in try system.rename(path(of: temporary), to: path(of: name)) }
    } catch {
      try? remove(temporary)
      throw error
    }
    try flush()
  }

  /// What the names of files that are being written begin with.
  static let temporaryPrefix = "writing-"

  /// Opens a file.
  ///
  /// - Throws: What the system refused; that something under the name is no file, but a folder, a link, a pipe or a device.
  func open(_ name: String, _ access: FileAccess) throws(FileSystemError) -> (file: OpenFile, status: FileStatus) {
    let path = path(of: name)
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

  /// Opens a file of the store's own for writing in place; what has its name and cannot be used is set aside.
  func openOwn(_ name: String) throws(FileSystemError) -> (file: OpenFile, status: FileStatus) {
    do throws(FileSystemError) {
      return try open(name, .update)
    } catch {
      guard error.foreignKind != nil || error.code == EACCES else { throw error }
      try setAside(name, unless: error)
      return try open(name, .update)
    }
  }

  /// Gives something that has the name of one of the store's files, and is none, a name that the store does not look at.
  ///
  /// It may be a folder with files in it, so it is not removed.
  ///
  /// - Throws: `reason`, if that does not help.
  func setAside(_ name: String, unless reason: FileSystemError) throws(FileSystemError) {
    for number in 1...64 {
      let newName = "\(name).foreign\(number)"
      do throws(FileSystemError) {
        _ = try again { () throws(FileSystemError) in try system.status(at: path(of: newName)) }
      } catch {
        guard error.isAbsence else { throw reason }
        do throws(FileSystemError) {
          return try rename(name, to: newName)
        } catch {
          throw reason
        }
      }
    }
    throw reason
  }

  /// Writes all bytes, however few the system takes at a time.
  func write(_ bytes: [UInt8], to file: OpenFile, at offset: Int) throws(FileSystemError) {
    var written = 0
    while written < bytes.count {
      written += try again { () throws(FileSystemError) in try system.write(bytes[written...], to: file, at: offset + written) }
    }
  }

  func rename(_ name: String, to newName: String) throws(FileSystemError) {
    try again { () throws(FileSystemError) in try system.rename(path(of: name), to: path(of: newName)) }
  }

  func remove(_ name: String) throws(FileSystemError) {
    try again { () throws(FileSystemError) in try system.remove(path(of: name)) }
  }

  /// Makes the names last; a file system that cannot do that has done what it can.
  func flush() throws(FileSystemError) {
    do throws(FileSystemError) {
      try again { () throws(FileSystemError) in try system.flushFolder(path) }
    } catch {
      guard error.isUnsupported else { throw error }
    }
  }

  /// Makes the name of the folder itself last, in the folder above it.
  ///
  /// That may be one that this process must not open; then the system flushes all that it has, which takes longer.
  func flushAbove() throws(FileSystemError) {
    do throws(FileSystemError) {
      try again { () throws(FileSystemError) in try system.flushFolder(pathAbove) }
    } catch {
      if error.isRefusal { return system.flushEverything() }
      guard error.isUnsupported else { throw error }
    }
  }

  /// The path of the folder above.
  private var pathAbove: String {
    var text = path[...]
    while text.count > 1, text.hasSuffix("/") { text = text.dropLast() }
    // What the last part is of such a path is known to the system alone.
    if text == ".." || text.hasSuffix("/..") || text == "." || text.hasSuffix("/.") { return "\(text)/.." }
    guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == text.startIndex ? "/" : String(text[..<slash])
  }

  /// Makes a call again while signals interrupt it.
  ///
  /// A system that interrupts without end is broken: a thousand times are enough.
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
}
