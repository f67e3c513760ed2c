/// An offered or pinned file that a limit removed before the user answered.
///
/// A pinned file was kept after a degraded restore. The last file of the previous build is frozen instead of removed.
public struct EndedFile: Sendable, Hashable, CustomStringConvertible {
  /// The archive.
  public let archive: ArchiveName
  /// The file, with its last mark.
  public let generation: Generation

  /// The archive, the number and the mark.
  public var description: String { "\(archive), generation \(generation)" }
}
