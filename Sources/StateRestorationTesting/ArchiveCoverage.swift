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
  /// A base and the links that follow it in the same folder are one archive. The record of launches that a store keeps,
  /// `ledger.rsta`, is left out.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - resolver: The resolver of the current build.
  ///   - provided: Paths and patterns of nodes that need no registration, because their objects exist at launch or the
  ///     delegate provides them.
  /// - Throws: ``UnreadableArchive`` for a file that cannot be read, and for a link without the file before it; the error
  ///   of an unreadable folder; `path-syntax` for a pattern; ``NoArchives`` if there are no archives, so that a wrong
  ///   folder does not pass.
  public init(ofFolder folder: URL, with resolver: Resolver, provided: [String] = []) throws {
    let patterns = try provided.map { text throws(ArchiveError) in try RestorationPattern(text) }
    var gaps: [String] = []
    var count = 0
    try KeptArchives.visit(folder) { name, archive in
      count += 1
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

  init(_ file: String, _ reason: String) {
    (self.file, self.reason, error) = (file, reason, nil)
  }
}
