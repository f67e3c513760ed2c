import FoundationValues
import RestorationArchive
public import StateRestoration

/// An archive of an older build.
public struct KeptArchive: Sendable {
  /// The path of the file in the checked folder; of a chain, that of its last link.
  public let file: String
  /// The name of the archive in the store: the app's or a scene's; the app's for other files.
  public let name: ArchiveName
  /// The header, with the build.
  public let header: ArchiveHeader
}

/// An error for a file that cannot be checked.
public struct UnreadableArchive: Error, CustomStringConvertible {
  /// The path of the file in the checked folder.
  public let file: String
  /// The reason, in words.
  public let reason: String
  /// The fault of the file; nil if a file before it is missing, or its chain is too long.
  public let error: ArchiveError?

  /// The file and the reason.
  public var description: String { "\(file): \(reason)" }

  init(_ file: String, _ error: ArchiveError) {
    (self.file, self.error) = (file, error)
    reason = error.kind == .inputOutput ? error.found : "\(error)"
  }

  init(_ file: String, _ reason: String) { (self.file, self.reason, error) = (file, reason, nil) }
}

/// The archives of a folder and its subfolders, each a file or a chain of files in one folder.
struct KeptArchives {
  /// A file, with its place in a chain.
  private struct File {
    let name: String
    let digest: ContentDigest
    let base: ContentDigest?
  }

  /// Visits every archive with the name of its file; a chain with that of its last link.
  ///
  /// - Throws: ``UnreadableArchive``; the error of an unreadable folder; the error of `body`.
  static func visit(_ root: URL, _ body: (KeptArchive, ArchiveReader) throws -> Void) throws {
    let names = try FileManager.default.subpathsOfDirectory(atPath: root.path).sorted().filter { name in
      name.hasSuffix(".rsta") && !StoreFileName.isLedger(lastComponent(of: name))
    }
    let folders = Dictionary(grouping: names) { $0.split(separator: "/").dropLast().joined(separator: "/") }
    for (_, names) in folders.sorted(by: { $0.key < $1.key }) {
      let files = try current(names).map { try file($0, in: root) }
      for chain in try chains(of: files) {
        let reader = try archive(of: chain, in: root)
        let name = chain.last?.name ?? ""
        try body(KeptArchive(file: name, name: place(of: name)?.archive ?? .application, header: reader.header), reader)
      }
    }
  }

  /// Returns the folders of stores, as paths in the folder.
  static func stores(in root: URL) throws -> [String] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: root.path)
    return Set(names.filter { place(of: $0) != nil }.map { $0.split(separator: "/").dropLast().joined(separator: "/") }).sorted()
  }

  private static func lastComponent(of name: String) -> String { String(name.split(separator: "/").last ?? "") }

  /// The archive and generation that a file of a store belongs to; nil for another file.
  private static func place(of name: String) -> Generation? {
    let last = lastComponent(of: name)
    return Generation(fileName: last) ?? GenerationFile(fileName: last)?.base
  }

  /// Leaves out the files of a store that a launch would not restore: earlier generations, and those set aside.
  private static func current(_ names: [String]) -> [String] {
    let places = names.map { ($0, place(of: $0)) }
    let marked = Set(places.compactMap { $0.1 }.filter { $0.mark != .none }.map { [$0.archive.description, "\($0.number)"] })
    let unmarked = places.filter { _, place in
      place.map { $0.mark == .none && !marked.contains([$0.archive.description, "\($0.number)"]) } ?? true
    }
    let newest = Dictionary(unmarked.compactMap { $0.1.map { ($0.archive, $0.number) } }, uniquingKeysWith: max)
    return unmarked.filter { _, place in place.map { newest[$0.archive] == $0.number } ?? true }.map(\.0)
  }

  private static func file(_ name: String, in root: URL) throws(UnreadableArchive) -> File {
    try reading(name) { () throws(ArchiveError) in
      let reader = try ArchiveReader(link: FileByteSource(path: root.appendingPathComponent(name).path))
      return File(name: name, digest: reader.contentDigest, base: reader.header.baseContentDigest)
    }
  }

  /// Returns the chains of a folder, each of which ends with a file that no link follows; in a store, with the last save.
  private static func chains(of files: [File]) throws(UnreadableArchive) -> [[File]] {
    let byDigest = Dictionary(files.map { ($0.digest, $0) }) { first, _ in first }
    let followed = Set(files.compactMap(\.base))
    let stored = files.map { GenerationFile(fileName: lastComponent(of: $0.name)) }
    let newest = Dictionary(stored.compactMap { $0 }.map { ($0.base, $0) }, uniquingKeysWith: max)
    var chains: [[File]] = []
    for (file, place) in zip(files, stored) {
      var chain = [file]
      while let digest = chain[0].base {
        guard let previous = byDigest[digest] else {
          throw UnreadableArchive(file.name, "the file before \(chain[0].name) is missing: none in its folder has the digest \(digest)")
        }
        guard chain.count <= ArchiveLink.maximumCount else {
          throw UnreadableArchive(file.name, "the chain has more than \(ArchiveLink.maximumCount) links")
        }
        chain.insert(previous, at: 0)
      }
      // Two links of a store may have the same content, and so the same digest.
      if place.map({ newest[$0.base] == $0 }) ?? !followed.contains(file.digest) { chains.append(chain) }
    }
    return chains
  }

  /// Opens the archive that a chain stands for.
  private static func archive(of chain: [File], in root: URL) throws(UnreadableArchive) -> ArchiveReader {
    let path = { (file: File) in root.appendingPathComponent(file.name).path }
    if chain.count == 1 {
      return try reading(chain[0].name) { () throws(ArchiveError) in try ArchiveReader(contentsOfFile: path(chain[0])) }
    }
    let files = try chain.map { file throws(UnreadableArchive) in
      try reading(file.name) { () throws(ArchiveError) in try FileByteSource(path: path(file)).readAll() }
    }
    let resolved = ArchiveChain(base: files[0], links: Array(files.dropFirst()))
    if let error = resolved.error {
      // The base is checked first, so a fault that no link has is its own.
      let isOfBase = resolved.isBaseAtFault
      throw UnreadableArchive(chain[isOfBase ? 0 : resolved.appliedCount + 1].name, error)
    }
    return try reading(chain[chain.count - 1].name) { () throws(ArchiveError) in try ArchiveReader(resolved.bytes) }
  }

  private static func reading<Value>(
    _ name: String, _ body: () throws(ArchiveError) -> Value
  ) throws(UnreadableArchive) -> Value {
    try Result(catching: body).mapError { UnreadableArchive(name, $0) }.get()
  }
}
