/// The corpus of archives in `Corpus/`, as bytes with expectations.
///
/// ```swift
/// @Test(arguments: try Corpus.files(in: "invalid"))
/// func refuses(_ file: CorpusFile) { … }
/// ```
public enum Corpus {
  /// All archives under a folder of the corpus, sorted by path.
  ///
  /// The corpus is read once for a process.
  ///
  /// - Parameters:
  ///   - folder: A path below `Corpus`, such as `valid/vectors`; empty for everything.
  ///   - isIncluded: Which of them are wanted.
  /// - Returns: Every `.hex` and `.rsta` file at any depth below the folder that is wanted; at least one.
  /// - Throws: ``CorpusError`` if a file cannot be assembled, its expectation cannot be read, or there is no such file: a test without cases
  ///   would pass.
  public static func files(in folder: String = "", where isIncluded: (CorpusFile) -> Bool = { _ in true }) throws -> [CorpusFile] {
    let prefix = folder.isEmpty ? "" : folder + "/"
    let files = try all.get().filter { $0.path.hasPrefix(prefix) && isIncluded($0) }
    if files.isEmpty { throw CorpusError(path: folder, problem: "has no such file") }
    return files
  }

  private static let all = Result { try CorpusFolder.standard.paths().filter(isArchive).map(file) }

  /// One archive of the corpus.
  ///
  /// - Parameter path: Its path below `Corpus`, such as `valid/vectors/empty-archive.hex`.
  /// - Returns: The archive, assembled.
  /// - Throws: ``CorpusError`` if it is absent or cannot be assembled, or its expectation cannot be read.
  public static func file(_ path: String) throws -> CorpusFile {
    let folder = CorpusFolder.standard
    let stem = path.split(separator: ".").dropLast().joined(separator: ".")
    let expectation = try folder.expectation(beside: stem)
    return CorpusFile(
      path: path, bytes: try bytes(of: path), expectation: expectation, json: folder.text(stem + ".json") ?? folder.text(path + ".json"))
  }

  /// The bytes of one archive of the corpus.
  ///
  /// - Parameter path: Its path below `Corpus`; a `.hex` file is assembled, any other is taken as it is.
  /// - Returns: The bytes.
  /// - Throws: ``CorpusError`` if it is absent or cannot be assembled.
  public static func bytes(of path: String) throws -> [UInt8] {
    try bytes(of: path, isBase: false)
  }

  /// Writes a file of the corpus that is made of others.
  ///
  /// - Parameters:
  ///   - bytes: Its content.
  ///   - path: Its path below `Corpus`.
  /// - Throws: ``CorpusError`` if it cannot be written.
  public static func write(_ bytes: [UInt8], to path: String) throws {
    try CorpusFolder.standard.write(bytes, to: path)
  }

  /// Writes the manifest anew, after a file was added.
  ///
  /// - Throws: ``CorpusError`` if a file cannot be assembled, or the manifest not written.
  public static func writeManifest() throws {
    try CorpusFolder.standard.write(Manifest.text(), to: Manifest.path)
  }

  static func isArchive(_ path: String) -> Bool {
    path.hasSuffix(".hex") || path.hasSuffix(".rsta")
  }

  private static func bytes(of path: String, isBase: Bool) throws -> [UInt8] {
    let folder = CorpusFolder.standard
    guard path.hasSuffix(".hex") else {
      guard let bytes = folder.read(path) else { throw CorpusError(path: path, problem: "absent") }
      return bytes
    }
    guard let source = folder.text(path) else { throw CorpusError(path: path, problem: "absent, or no UTF-8") }
    do {
      return try HexNotation.assemble(source) { base in
        guard !isBase else { throw CorpusError(path: path, problem: "a base must not have a base") }
        return try bytes(of: resolve(base, from: path), isBase: true)
      }
    } catch let error as HexNotationError {
      throw CorpusError(path: path, problem: "\(error)")
    }
  }

  /// The path below `Corpus` of a path that is relative to the folder of a file.
  static func resolve(_ relative: String, from path: String) -> String {
    var parts = path.split(separator: "/").dropLast()
    for part in relative.split(separator: "/") where part != "." {
      if part == ".." {
        _ = parts.popLast()
      } else {
        parts.append(part)
      }
    }
    return parts.joined(separator: "/")
  }
}
