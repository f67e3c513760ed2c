extension ArchiveReader {
  /// Opens an archive in a file, which stays open while the reader is in use.
  ///
  /// The file may be truncated, overwritten or replaced meanwhile: each read gives the content as of opening, or
  /// throws.
  ///
  /// - Throws: `input-output` if the file cannot be read, or is a pipe, device or directory; otherwise an error for a
  ///   fault in the prefix or metadata.
  public init(contentsOfFile path: String, limits: ReaderLimits = .standard) throws(ArchiveError) {
    try self.init(from: FileByteSource(path: path), limits: limits)
  }
}
