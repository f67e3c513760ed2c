/// Generates the part of the corpus that tables describe, and compares it with the files on disk.
public enum CorpusGenerator {
  /// Returns the differences between the tables and the disk; empty if there are none.
  ///
  /// - Returns: A line for each missing, different or unexpected file, sorted by path.
  /// - Throws: A mistake in the tables, or ``CorpusError``.
  public static func differences() throws -> [String] {
    let folder = CorpusFolder.standard
    let wanted = try generated()
    var lines = wanted.compactMap { file -> String? in
      guard let found = folder.read(file.path) else { return "\(file.path): absent" }
      return found.elementsEqual(file.text.utf8) ? nil : "\(file.path): not what the tables give"
    }
    lines += strays(besides: wanted, in: folder).map { "\($0): stray, no table has it" }
    if folder.text(Manifest.path) != (try Manifest.text()) { lines.append("\(Manifest.path): not what the files give") }
    if folder.text(CorpusDigest.path) != CorpusDigest.text(of: folder) { lines.append("\(CorpusDigest.path): not that of the files") }
    return lines.sorted()
  }

  /// Writes every file of the tables, the manifest and the digest, and removes unexpected files from the folders of the tables.
  ///
  /// - Throws: A mistake in the tables, or a file system error.
  public static func write() throws {
    let folder = CorpusFolder.standard
    let wanted = try generated()
    for file in wanted where folder.read(file.path)?.elementsEqual(file.text.utf8) != true {
      try folder.write(file.text, to: file.path)
    }
    for path in strays(besides: wanted, in: folder) {
      try folder.remove(path)
    }
    try Corpus.writeManifest()
  }

  /// The folders that may contain only generated files.
  private static let ownedFolders = ["valid/vectors/", "invalid/", "damaged/", "forward/", "limits/", "links/"]

  private static func generated() throws -> [GeneratedFile] {
    var files: [String: GeneratedFile] = [:]
    let lists =
      try Tables.specimens.map { try $0.files() } + Tables.damages.map { try $0.files() } + Tables.plainFiles().map { try $0.files() }
    let links = try Links()
    let tables = [GeneratedFile(path: CorpusChain.table, text: links.chains), GeneratedFile(path: CorpusLink.table, text: links.made)]
    let linkFiles = try links.specimens.flatMap { try $0.files() } + links.damages.flatMap { try $0.files() }
    for file in lists.joined() + linkFiles + tables {
      guard files.updateValue(file, forKey: file.path) == nil else { throw BlueprintError("two tables give \(file.path)") }
    }
    return files.values.sorted { Bytes.ascends($0.path, $1.path) }
  }

  private static func strays(besides wanted: [GeneratedFile], in folder: CorpusFolder) -> [String] {
    let known = Set(wanted.map(\.path))
    return folder.paths().filter { path in ownedFolders.contains { path.hasPrefix($0) } && !known.contains(path) }
  }
}
