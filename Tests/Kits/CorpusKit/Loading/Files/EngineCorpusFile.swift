/// An input in `Corpus/engine`, with its expected outcome.
///
/// The engine's property generates an archive, registrations and decisions from the input.
public struct EngineCorpusFile: Sendable, CustomStringConvertible {
  /// The path below `Corpus`.
  public let path: String
  /// The assembled input.
  public let bytes: [UInt8]
  /// The content of `NAME.outcome`: a line for each outcome with the number of times it was reached; nil if it is not
  /// written yet.
  public let outcome: String?

  /// The path below `Corpus`.
  public var description: String { path }

  /// Returns all inputs, sorted by path.
  ///
  /// - Returns: Every `.input` file of the folder; at least one.
  /// - Throws: ``CorpusError`` if one cannot be assembled, or there is none: a test without cases would pass.
  public static func files() throws -> [EngineCorpusFile] {
    let folder = CorpusFolder.standard
    let paths = folder.paths().filter { $0.hasPrefix("engine/") && $0.hasSuffix(".input") }
    if paths.isEmpty { throw CorpusError(path: "engine", problem: "has no such file") }
    return try paths.map { path in
      do {
        let bytes = try HexNotation.assemble(folder.text(path) ?? "")
        return EngineCorpusFile(path: path, bytes: bytes, outcome: folder.text(outcomePath(of: path)))
      } catch let error as HexNotationError {
        throw CorpusError(path: path, problem: "\(error)")
      }
    }
  }

  /// Writes the outcome.
  ///
  /// - Throws: ``CorpusError`` if it cannot be written.
  public func write(outcome: String) throws {
    try CorpusFolder.standard.write(outcome, to: Self.outcomePath(of: path))
  }

  private static func outcomePath(of path: String) -> String {
    path.dropLast(".input".count) + ".outcome"
  }
}
