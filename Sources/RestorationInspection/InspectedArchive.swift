public import RestorationArchive

/// An archive opened for inspection, even if parts of it are damaged.
///
/// Unlike an app's reader, it also opens a file that was truncated or extended, and reports that in ``openingErrors``.
public struct InspectedArchive: Sendable {
  /// The archive.
  public let reader: ArchiveReader

  /// Opens an archive in memory.
  ///
  /// - Throws: The reason, if no part of the archive can be read.
  public init(_ bytes: [UInt8]) throws(ArchiveError) {
    reader = try ArchiveReader(bytes, toleratesLength: true)
  }

  /// Opens an archive in a file, which is read on demand.
  ///
  /// - Throws: `input-output`, also if the path is not a regular file; the reason, if no part of the archive can be
  ///   read.
  public init(contentsOfFile path: String) throws(ArchiveError) {
    reader = try ArchiveReader(from: FileByteSource(path: path), toleratesLength: true)
  }

  /// The errors found on opening that did not prevent it: the second copy was intact, or the rest can be read.
  public var openingErrors: [ArchiveError] { reader.openingErrors }
}
