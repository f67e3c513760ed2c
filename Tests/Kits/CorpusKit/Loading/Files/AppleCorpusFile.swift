/// A fixture in `Corpus/apple`: a property list, a keyed archive or a saved state, with its expected outcome.
public struct AppleCorpusFile: Sendable, CustomStringConvertible {
  /// The path below `Corpus`, without extensions.
  public let path: String
  /// The bytes of the file; for a saved state of two files, those of `data.data`.
  public let bytes: [UInt8]
  /// The bytes of `windows.plist`, if the fixture is a saved state of two files.
  public let windows: [UInt8]?
  /// The content of `NAME.expect`; nil if it is not written yet.
  public let expectation: String?
  /// The content of `NAME.json`, the imported archive in its JSON form; nil if there is none.
  public let json: String?

  /// The content of `NAME.salvage.json`, what a salvage keeps; nil if there is none.
  public let salvage: String?

  /// The path below `Corpus`.
  public var description: String { path }

  /// Returns all fixtures, sorted by path.
  ///
  /// - Returns: Every `.bytes` and `.xml` file of the folder; at least one.
  /// - Throws: ``CorpusError`` if one cannot be assembled, or there is none: a test without cases would pass.
  public static func files() throws -> [AppleCorpusFile] {
    try all.get()
  }

  /// Each process reads the folder only once.
  private static let all = Result { try read() }

  private static func read() throws -> [AppleCorpusFile] {
    let folder = CorpusFolder.standard
    var files: [AppleCorpusFile] = []
    for path in folder.paths() where path.hasPrefix("apple/") {
      for ending in [".xml", ".bytes"] where path.hasSuffix(ending) && !path.hasSuffix(".windows.bytes") {
        let stem = String(path.dropLast(ending.count))
        files.append(
          AppleCorpusFile(
            path: stem, bytes: try bytes(of: path, in: folder) ?? [], windows: try bytes(of: stem + ".windows.bytes", in: folder),
            expectation: folder.text(stem + ".expect"), json: folder.text(stem + ".json"),
            salvage: folder.text(stem + ".salvage.json")))
      }
    }
    if files.isEmpty { throw CorpusError(path: "apple", problem: "has no such file") }
    return files
  }

  private static func bytes(of path: String, in folder: CorpusFolder) throws -> [UInt8]? {
    guard path.hasSuffix(".bytes") else { return folder.read(path) }
    guard let text = folder.text(path) else { return nil }
    do {
      return try HexNotation.assemble(text)
    } catch let error as HexNotationError {
      throw CorpusError(path: path, problem: "\(error)")
    }
  }
}
