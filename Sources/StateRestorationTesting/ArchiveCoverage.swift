#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import StateRestoration

/// A check that a resolver still covers the archives of older builds: keep an archive of each build, and test against
/// all of them.
///
///     let coverage = try ArchiveCoverage(ofFolder: folder, with: resolver)
///     #expect(coverage.gaps == [])
public struct ArchiveCoverage: Sendable {
  /// The uncovered nodes, one line each: file, path, and the line to add to the resolver.
  public let gaps: [String]
  /// The number of archives checked.
  public let archiveCount: Int

  /// Checks all archives in a folder and its subfolders: files with a name ending in `.rsta`.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - resolver: The resolver of the current build.
  ///   - provided: Paths and patterns of nodes that need no registration, because their objects exist at launch or the
  ///     delegate provides them.
  /// - Throws: The error of an unreadable folder or archive; `path-syntax` for a pattern; ``NoArchives`` if there are
  ///   no archives, so that a wrong folder does not pass.
  public init(ofFolder folder: URL, with resolver: Resolver, provided: [String] = []) throws {
    let patterns = try provided.map { text throws(ArchiveError) in try RestorationPattern(text) }
    var gaps: [String] = []
    var count = 0
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() where name.hasSuffix(".rsta") {
      count += 1
      let archive = try ArchiveReader(contentsOfFile: folder.appendingPathComponent(name).path)
      let resolution = ArchiveResolution(of: archive, with: resolver)
      for node in resolution.nodes where !node.outcome.isSuccess && node.outcome != .skipped(.tombstone) {
        if patterns.contains(where: { $0.matches(node.path) }) { continue }
        gaps.append("\(name): \(node)")
      }
      if let error = resolution.applicationError { gaps.append("\(name): (application): \(error)") }
      for error in resolution.unreadable { gaps.append("\(name): \(error)") }
    }
    guard count > 0 else { throw NoArchives() }
    self.gaps = gaps
    archiveCount = count
  }
}

/// An error for a folder without archives.
public struct NoArchives: Error, CustomStringConvertible {
  /// The message.
  public var description: String { "no file in the folder, or below it, has a name that ends in .rsta" }

  init() {}
}
