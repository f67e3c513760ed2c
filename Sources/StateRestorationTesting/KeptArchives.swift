#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import RestorationArchive
import StateRestoration

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
  static func visit(_ root: URL, _ body: (String, ArchiveReader) throws -> Void) throws {
    let names = try FileManager.default.subpathsOfDirectory(atPath: root.path).sorted().filter { name in
      name.hasSuffix(".rsta") && !StoreFileName.isLedger(String(name.split(separator: "/").last ?? ""))
    }
    let folders = Dictionary(grouping: names) { $0.split(separator: "/").dropLast().joined(separator: "/") }
    for (_, names) in folders.sorted(by: { $0.key < $1.key }) {
      let files = try names.map { try file($0, in: root) }
      for chain in try chains(of: files) {
        try body(chain.last?.name ?? "", archive(of: chain, in: root))
      }
    }
  }

  private static func file(_ name: String, in root: URL) throws(UnreadableArchive) -> File {
    try reading(name) { () throws(ArchiveError) in
      let reader = try ArchiveReader(link: FileByteSource(path: root.appendingPathComponent(name).path))
      return File(name: name, digest: reader.contentDigest, base: reader.header.baseContentDigest)
    }
  }

  /// Returns the chains of a folder, each of which ends with a file that no link follows.
  private static func chains(of files: [File]) throws(UnreadableArchive) -> [[File]] {
    let byDigest = Dictionary(files.map { ($0.digest, $0) }) { first, _ in first }
    let followed = Set(files.compactMap(\.base))
    var chains: [[File]] = []
    for file in files {
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
      if !followed.contains(file.digest) { chains.append(chain) }
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

  private static func reading<Result>(
    _ name: String, _ body: () throws(ArchiveError) -> Result
  ) throws(UnreadableArchive) -> Result {
    do throws(ArchiveError) {
      return try body()
    } catch {
      throw UnreadableArchive(name, error)
    }
  }
}
