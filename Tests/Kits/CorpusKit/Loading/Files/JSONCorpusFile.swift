/// A text in `Corpus/json`, with its accompanying files.
public struct JSONCorpusFile: Sendable, CustomStringConvertible {
  /// The path below `Corpus`.
  public let path: String
  /// The bytes of the text, which need not be UTF-8.
  public let text: [UInt8]
  /// The content of `NAME.expect`, if there is one.
  public let expectation: Expectation?
  /// The output of a writer, from `NAME.canonical`, if there is one.
  public let canonical: String?

  /// The path below `Corpus`.
  public var description: String { path }

  /// Returns all texts directly in a folder of the corpus, sorted by path.
  ///
  /// - Parameter folder: A path below `Corpus`, such as `json/valid`.
  /// - Returns: Every `.json` file in the folder; at least one.
  /// - Throws: ``CorpusError`` if an expectation cannot be parsed, or there is no such file: a test without cases would
  ///   pass.
  public static func files(in folder: String) throws -> [JSONCorpusFile] {
    let files = try CorpusFolder.standard.paths().filter { $0.hasPrefix(folder + "/") && $0.hasSuffix(".json") }.map(file)
    if files.isEmpty { throw CorpusError(path: folder, problem: "has no such file") }
    return files
  }

  private static func file(_ path: String) throws -> JSONCorpusFile {
    let stem = String(path.dropLast(".json".count))
    let folder = CorpusFolder.standard
    let expectation = try folder.expectation(beside: stem)
    return JSONCorpusFile(
      path: path, text: folder.read(path) ?? [], expectation: expectation, canonical: folder.text(stem + ".canonical"))
  }
}
