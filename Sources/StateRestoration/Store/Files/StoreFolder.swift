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

  /// All bytes of a file.
  func read(_ name: String) throws(FileSystemError) -> [UInt8] {
    let file = try open(name, .read)
    defer { system.close(file) }
    let length = try again { () throws(FileSystemError) in try system.length(of: file) }
    var bytes: [UInt8] = []
    while bytes.count < length {
      let part = try again { () throws(FileSystemError) in try system.read(file, at: bytes.count, count: length - bytes.count) }
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
  func replace(_ name: String, with bytes: [UInt8]) throws(FileSystemError) {
    let temporary = Self.temporaryPrefix + name
    do throws(FileSystemError) {
      try remove(temporary)
    } catch  where error.isAbsence {
    }
    do throws(FileSystemError) {
      let file = try open(temporary, .create)
      defer { system.close(file) }
      try write(bytes, to: file, at: 0)
      try again { () throws(FileSystemError) in try system.flush(file) }
      try again { () throws(FileSystemError) in try system.rename(path(of: temporary), to: path(of: name)) }
    } catch {
      try? remove(temporary)
      throw error
    }
    try flush()
  }

  /// What the names of files that are being written begin with.
  static let temporaryPrefix = "writing-"

  func open(_ name: String, _ access: FileAccess) throws(FileSystemError) -> OpenFile {
    try again { () throws(FileSystemError) in try system.open(path(of: name), access) }
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
