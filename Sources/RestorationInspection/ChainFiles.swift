#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveFormat
package import RestorationArchive

/// The files of a chain, found by their content digests in the folder of its last one (Spec §15).
package struct ChainFiles: Sendable {
  /// The paths of the base and the links, in order.
  package let paths: [String]

  /// The archive that the files stand for.
  package struct Resolved: Sendable {
    /// Its bytes.
    package let bytes: [UInt8]
    /// The path of the base.
    package let base: String
    /// The number of links.
    package let linkCount: Int
  }

  /// Finds the files before a link.
  ///
  /// Only the prefixes of the other files are read.
  ///
  /// - Throws: `missing-link` if no file of the folder has the digest that a link names; `chain-length`, also if files
  ///   name each other in a circle; `input-output`, and an error for a file that cannot be opened.
  package init(before path: String) throws(ArchiveError) {
    let digests = Self.digests(in: Self.folder(of: path))
    var paths = [path]
    while let digest = try Self.base(of: paths[0]) {
      guard paths.count <= ArchiveLink.maximumCount else {
        throw ArchiveError(
          FormatError(.chainLength, at: nil, "chain", expected: .text("at most \(ArchiveLink.maximumCount) links")))
      }
      guard let previous = digests[digest] else {
        throw ArchiveError(
          FormatError(
            .missingLink, at: nil, "file before \(Self.name(of: paths[0]))",
            expected: .text("one with the content digest \(digest) in the same folder")))
      }
      paths.insert(previous, at: 0)
    }
    self.paths = paths
  }

  /// Finds the last file of the newest chain of a folder: of the files that no other one names, the last by name.
  ///
  /// A folder is that of a chain if it has a link, or files that are named as in a store.
  ///
  /// - Throws: The errors of ``init(before:)``; `input-output` for any other folder.
  package init(inFolder folder: String) throws(ArchiveError) {
    let digests = Self.digests(in: folder)
    var named: Set<ContentDigest> = []
    for path in digests.values {
      if let digest = try? Self.base(of: path) { named.insert(digest) }
    }
    let last = digests.filter { !named.contains($0.key) }.values.max { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    guard let last, !named.isEmpty || Self.isOfStore(last) else { throw FileByteSource.error("opening", "is \(FileKind.folder.words)") }
    try self.init(before: last)
  }

  /// Resolves the chain.
  ///
  /// - Throws: The reason why one of its links cannot be applied, or `input-output`.
  package func resolved() throws(ArchiveError) -> Resolved {
    var files: [[UInt8]] = []
    for path in paths { files.append(try FileByteSource(path: path).readAll()) }
    let chain = ArchiveChain(base: files[0], links: Array(files.dropFirst()))
    if let error = chain.error { throw error }
    return Resolved(bytes: chain.bytes, base: paths[0], linkCount: chain.appliedCount)
  }

  /// Returns the digest that a file names as the one before it; nil for an archive that is no link.
  private static func base(of path: String) throws(ArchiveError) -> ContentDigest? {
    try ArchiveReader(link: FileByteSource(path: path)).header.baseContentDigest
  }

  /// Returns the paths of the archives of a folder, by the digests in their prefixes.
  ///
  /// Two files with the same digest have the same content.
  private static func digests(in folder: String) -> [ContentDigest: String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var result: [ContentDigest: String] = [:]
    for name in names.sorted() where !name.hasPrefix(".") {
      let path = folder == "." ? name : "\(folder)/\(name)"
      guard let prefix = try? FileByteSource(path: path).read(0..<FormatVersion.prefixByteCount),
        FormatVersion.isLater(prefix: prefix) == false, let digest = ContentDigest(ofArchive: Data(prefix))
      else { continue }
      result[digest] = result[digest] ?? path
    }
    return result
  }

  /// Whether a file is named like those of a store, with a number of ten digits.
  private static func isOfStore(_ path: String) -> Bool {
    name(of: path).split(separator: ".").contains { $0.utf8.count == 10 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func name(of path: String) -> String {
    String(path.split(separator: "/").last ?? "")
  }
}
