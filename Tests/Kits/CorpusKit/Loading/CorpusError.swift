/// The error for a corpus file that cannot be loaded or written.
public struct CorpusError: Error, CustomStringConvertible {
  /// The path below `Corpus`.
  public let path: String
  /// The problem with the file.
  public let problem: String

  /// The path and the problem, as one line of text.
  public var description: String { "Corpus/\(path): \(problem)" }
}
