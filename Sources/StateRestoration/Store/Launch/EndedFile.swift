/// A file that a limit has removed although nobody had answered for it: an offer, or one pinned after a degraded restore.
public struct EndedFile: Sendable, Hashable, CustomStringConvertible {
  /// The archive.
  public let archive: ArchiveName
  /// The file, with the mark that it had.
  public let generation: Generation

  /// The archive, the number and the mark.
  public var description: String { "\(archive), generation \(generation)" }
}
