/// A canonical link of the corpus: two archives, the file before the link, and the link (Spec 15.5).
public struct CorpusLink: Sendable, CustomStringConvertible {
  /// The path of the table below `Corpus`.
  static let table = "links/made.tsv"

  /// The archive before.
  public let old: [UInt8]
  /// The archive after.
  public let new: [UInt8]
  /// The file that the link names.
  public let before: [UInt8]
  /// The link.
  public let link: [UInt8]
  /// The names of the files.
  public let description: String

  /// Returns all canonical links.
  ///
  /// - Throws: ``CorpusError`` if the table or one of its files is absent.
  public static func all() throws -> [CorpusLink] {
    guard let text = CorpusFolder.standard.text(table) else { throw CorpusError(path: table, problem: "absent") }
    return try text.split(separator: "\n").map { line in
      let files = try line.split(separator: "\t").map { try Corpus.bytes(of: "links/\($0).hex") }
      guard files.count == 4 else { throw CorpusError(path: table, problem: "a line without four columns") }
      return CorpusLink(old: files[0], new: files[1], before: files[2], link: files[3], description: String(line))
    }
  }
}
