public import RestorationArchive

/// An archive that was opened for looking, as far as it can be opened.
///
/// Unlike an app's reader it also opens a file that was cut or has grown, and tells so in ``openingErrors``.
public struct InspectedArchive: Sendable {
  /// The archive.
  public let reader: ArchiveReader

  /// Opens an archive that lies in memory.
  ///
  /// - Throws: What is wrong, if nothing of it can be read.
  public init(_ bytes: [UInt8]) throws(ArchiveError) {
    reader = try ArchiveReader(bytes, toleratesLength: true)
  }

  /// Opens an archive in a file, of which only what is asked for will be read.
  ///
  /// - Throws: `input-output`, also if it is no file; what is wrong, if nothing of it can be read.
  public init(contentsOfFile path: String) throws(ArchiveError) {
    reader = try ArchiveReader(from: FileByteSource(path: path), toleratesLength: true)
  }

  /// What was found wrong on opening, though a second copy made it good or the rest can be read.
  public var openingErrors: [ArchiveError] { reader.openingErrors }
}
