#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import StateRestoration

/// Whether a resolver still knows everything that older builds have saved: keep an archive of each build, and test against all of them.
///
///     let coverage = try ArchiveCoverage(ofFolder: folder, with: resolver)
///     #expect(coverage.gaps == [])
public struct ArchiveCoverage: Sendable {
  /// What is not covered, a line each: file, path, and the line to add to the resolver.
  public let gaps: [String]
  /// How many archives were looked at.
  public let archiveCount: Int

  /// Looks at all archives in a folder and below it: files whose name ends in `.rsta`.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - resolver: What the build of today restores with.
  ///   - provided: Paths and patterns of nodes that need no registration, since their objects are there at launch or the delegate knows them.
  /// - Throws: Why a folder or an archive cannot be read, `path-syntax` for a pattern; ``NoArchives`` if there is none, so that a wrong folder
  ///   does not pass.
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

/// There is no archive in a folder.
public struct NoArchives: Error, CustomStringConvertible {
  /// In words.
  public var description: String { "no file in the folder, or below it, has a name that ends in .rsta" }

  init() {}
}
