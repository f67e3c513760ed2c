/// Replacing a file: it gets its name only after it is flushed.
extension StoreFolder {
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
  }

  /// The name prefix of files that are being written.
  static let temporaryPrefix = "writing-"
}
