/// The corpus of archives in `Corpus/`, as bytes with expectations.
///
/// ```swift
/// @Test(arguments: try Corpus.files(in: "invalid"))
/// func refuses(_ file: CorpusFile) { … }
/// ```
public enum Corpus {
  /// Returns all archives under a folder of the corpus, sorted by path.
  ///
  /// Each process reads the corpus only once.
  ///
  /// - Parameters:
  ///   - folder: A path below `Corpus`, such as `valid/vectors`; empty for everything.
  ///   - isIncluded: Selects the files to return.
  /// - Returns: The selected `.hex` and `.rsta` files at any depth below the folder; at least one.
  /// - Throws: ``CorpusError`` if a file cannot be assembled, its expectation cannot be parsed, or no file is selected:
  ///   a test without cases would pass.
  public static func files(in folder: String = "", where isIncluded: (CorpusFile) -> Bool = { _ in true }) throws -> [CorpusFile] {
    let prefix = folder.isEmpty ? "" : folder + "/"
    let files = try all.get().filter { $0.path.hasPrefix(prefix) && isIncluded($0) }
    if files.isEmpty { throw CorpusError(path: folder, problem: "has no such file") }
    return files
  }

  private static let all = Result { try CorpusFolder.standard.paths().filter(isArchive).map(file) }

  /// Returns an archive of the corpus.
  ///
  /// - Parameter path: Its path below `Corpus`, such as `valid/vectors/empty-archive.hex`.
  /// - Returns: The assembled archive.
  /// - Throws: ``CorpusError`` if it does not exist or cannot be assembled, or its expectation cannot be parsed.
  public static func file(_ path: String) throws -> CorpusFile {
    let folder = CorpusFolder.standard
    let stem = path.split(separator: ".").dropLast().joined(separator: ".")
    let expectation = try folder.expectation(beside: stem)
    return CorpusFile(
      path: path, bytes: try bytes(of: path), expectation: expectation, json: folder.text(stem + ".json") ?? folder.text(path + ".json"))
  }

  /// Returns the bytes of an archive of the corpus.
  ///
  /// - Parameter path: Its path below `Corpus`; a `.hex` file is assembled, any other file is read unchanged.
  /// - Returns: The bytes.
  /// - Throws: ``CorpusError`` if it does not exist or cannot be assembled.
  public static func bytes(of path: String) throws -> [UInt8] {
    try bytes(of: path, isBase: false)
  }

  /// Writes a corpus file that is derived from others.
  ///
  /// - Parameters:
  ///   - bytes: Its content.
  ///   - path: Its path below `Corpus`.
  /// - Throws: ``CorpusError`` if it cannot be written.
  public static func write(_ bytes: [UInt8], to path: String) throws {
    try CorpusFolder.standard.write(bytes, to: path)
  }

  /// Rewrites the manifest and the digest after files have changed.
  ///
  /// - Throws: ``CorpusError`` if a file cannot be assembled, or the manifest cannot be written.
  public static func writeManifest() throws {
    let folder = CorpusFolder.standard
    try folder.write(Manifest.text(), to: Manifest.path)
    try folder.write(CorpusDigest.text(of: folder), to: CorpusDigest.path)
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

  /// Resolves a path relative to the folder of a file; returns the path below `Corpus`.
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
