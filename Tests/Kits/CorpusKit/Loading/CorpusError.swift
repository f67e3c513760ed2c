/// A file of the corpus that cannot be loaded.
public struct CorpusError: Error, CustomStringConvertible {
  /// The path below `Corpus`.
  public let path: String
  /// What is wrong with it.
  public let problem: String

  /// Path and problem, as one line of text.
  public var description: String { "Corpus/\(path): \(problem)" }
}
