/// A chain of the corpus: a base with links, and what they stand for (Spec chapter 15).
public struct CorpusChain: Sendable, CustomStringConvertible {
  /// The path of the table below `Corpus`.
  public static let table = "links/chains.tsv"

  /// The bytes of the base and the links, in order.
  public let files: [[UInt8]]
  /// The number of links that are applied.
  public let appliedCount: Int
  /// The archive after those.
  public let result: [UInt8]
  /// The error of the next link as in an `.expect` file, with `-` instead of an absent offset; nil if all are applied.
  public let error: String?
  /// The code of that error.
  public var errorCode: String? { error?.split(separator: " ").first.map(String.init) }
  /// The names of the files.
  public let description: String

  /// Returns all chains.
  ///
  /// - Throws: ``CorpusError`` if the table or one of its files is absent.
  public static func all() throws -> [CorpusChain] {
    guard let text = CorpusFolder.standard.text(table) else { throw CorpusError(path: table, problem: "absent") }
    return try text.split(separator: "\n").map { line in
      let columns = line.split(separator: "\t").map(String.init)
      guard columns.count == 4, let count = Int(columns[1]) else { throw CorpusError(path: table, problem: "a line without four columns") }
      var files: [[UInt8]] = []
      for word in columns[0].split(separator: " ") {
        let parts = word.split(separator: "*")
        let bytes = try file(String(parts[0]))
        files += [[UInt8]](repeating: bytes, count: parts.count > 1 ? Int(parts[1]) ?? 1 : 1)
      }
      return CorpusChain(
        files: files, appliedCount: count, result: try file(columns[2]), error: columns[3] == "-" ? nil : columns[3],
        description: columns[0])
    }
  }

  private static func file(_ name: String) throws -> [UInt8] { try Corpus.bytes(of: "links/\(name).hex") }
}
