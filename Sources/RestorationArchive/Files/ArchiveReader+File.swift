extension ArchiveReader {
  /// Opens an archive in a file, which stays open as long as the reader is used.
  ///
  /// The file may be cut, overwritten or replaced meanwhile: each read gives the content as it was when the archive was opened, or throws.
  ///
  /// - Throws: `input-output` if the file cannot be read, or is a pipe, a device or a directory; else what is wrong with prefix or metadata.
  public init(contentsOfFile path: String, limits: ReaderLimits = .standard) throws(ArchiveError) {
    try self.init(from: FileByteSource(path: path), limits: limits)
  }
}
