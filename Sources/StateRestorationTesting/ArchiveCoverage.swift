public import FoundationValues
import RestorationArchive
public import StateRestoration

/// A check that the current build takes in the saved state of older ones: keep the folder of the store of each release,
/// and test against all of them.
///
///     let coverage = try ArchiveCoverage(ofStoresIn: releases) { configuration in
///       let app = MailApp()
///       let restoration = try AppRestoration(configuration, roots: { app.windows }, delegate: app) { … }
///       try restoration.launch()
///       for identifier in try restoration.savedScenes() { try app.openScene(identifier, restoration) }
///       return restoration
///     }
///     #expect(coverage.gaps == [])
///
/// Each archive is restored into the app's own objects. A gap is a node that was not restored, not upgraded, of another
/// type than its object, or whose object is not part of the tree; a key that nothing has read; a reference that leads
/// nowhere; application state that was not taken in; a scene that was not opened. Not seen is a value that was read and
/// then thrown away, or understood wrongly: compare the objects that the closure makes.
public struct ArchiveCoverage: Sendable {
  /// The losses, one line each: archive, path, and the reason with the way out.
  public private(set) var gaps: [String] = []
  /// The number of archives restored.
  public private(set) var archiveCount = 0
  private let exceptions: [RestorationPattern]

  private init(except patterns: [String]) throws {
    exceptions = try patterns.map { text throws(ArchiveError) in try RestorationPattern(text) }
  }

  /// Launches an app with a copy of each store in a folder and its subfolders, and collects what it did not take in.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - patterns: Paths and patterns of nodes that the build leaves out on purpose.
  ///   - launch: Makes the app with a configuration for the copy, launches it, and opens all saved scenes. The app may
  ///     change the configuration, except its folder.
  /// - Throws: The errors of files that cannot be copied and of `launch`; `path-syntax` for a pattern; ``NoArchives`` if
  ///   there are no stores, so that a wrong folder does not pass.
  public init(
    ofStoresIn folder: URL, except patterns: [String] = [], launch: (AppConfiguration) throws -> AppRestoration
  ) throws {
    try self.init(except: patterns)
    for name in try KeptArchives.stores(in: folder) {
      let copy = FileManager.default.temporaryDirectory.appendingPathComponent("coverage-\(UUID().uuidString)")
      try FileManager.default.copyItem(at: name.isEmpty ? folder : folder.appendingPathComponent(name), to: copy)
      defer { try? FileManager.default.removeItem(at: copy) }
      var configuration = AppConfiguration(bundleIdentifier: "coverage", folder: copy.path)
      configuration.notesUnread = true
      configuration.handlesSignals = false
      configuration.recordsFatalSignals = false
      configuration.reportProblem = { _ in }
      // Before the launch, which may set files aside.
      let saved = try RestorationStore(folder: copy.path, access: .reading).archives()
      let restoration = try launch(configuration)
      defer { restoration.abandon(as: .killed) }
      let scenes = Dictionary(restoration.scenes.map { ($0.archive, $0.tree) }) { first, _ in first }
      for archive in saved {
        archiveCount += 1
        let title = "\(name.isEmpty ? folder.lastPathComponent : name), \(archive)"
        guard let tree = archive == .application ? restoration.tree : scenes[archive] else {
          gaps.append("\(title): the scene was not opened")
          continue
        }
        if let report = tree.report {
          collect(report, title)
        } else {
          gaps.append("\(title): nothing was restored\(restoration.lastError.map { ": \($0)" } ?? "")")
        }
      }
    }
    guard archiveCount > 0 else { throw NoArchives() }
  }

  /// Restores each archive in a folder and its subfolders, and collects what was not taken in.
  ///
  /// Archives are files with names that end in `.rsta`. A base and the links that follow it in the same folder are one
  /// archive. Of the files of a store, those are restored that a launch would restore.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - patterns: Paths and patterns of nodes that the build leaves out on purpose.
  ///   - build: Builds the app, or the scene, for an archive, as a launch does.
  /// - Throws: ``UnreadableArchive`` for a file that cannot be read, and for a link without the file before it; the error
  ///   of an unreadable folder, and of `build`; `path-syntax` for a pattern; ``NoArchives`` if there are no archives.
  public init(ofArchivesIn folder: URL, except patterns: [String] = [], build: (KeptArchive) throws -> RestartedTree) throws {
    try self.init(except: patterns)
    try KeptArchives.visit(folder) { kept, reader in
      archiveCount += 1
      let built = try build(kept)
      var options = built.options
      options.notesUnread = true
      collect(try built.tree.restore(from: reader, with: built.resolver, options: options), kept.file)
    }
    guard archiveCount > 0 else { throw NoArchives() }
  }

  private mutating func collect(_ report: RestorationReport, _ title: String) {
    guard report.decision == .restore else {
      gaps.append("\(title): the archive was refused: \(report.refusal ?? "")")
      return
    }
    switch report.application {
    case .restored, .located, .placeholder: break
    default: gaps.append("\(title): (application): \(report.why(.application))")
    }
    for node in report.nodes where !isExcepted(node.path) {
      switch node.outcome {
      case .restored, .located, .placeholder, .skipped(.tombstone), .notDecoded(.reason): break
      default: gaps.append("\(title): \(node.path): \(node.sentence(refusal: nil))")
      }
    }
    for note in report.notes where note.kind != .excessCompletion && note.path.map(isExcepted) != true {
      gaps.append("\(title): \(note)")
    }
  }

  private func isExcepted(_ path: RestorationPath) -> Bool { exceptions.contains { $0.matches(path) } }
}

/// An archive of an older build.
public struct KeptArchive: Sendable {
  /// The path of the file in the checked folder; of a chain, that of its last link.
  public let file: String
  /// The name of the archive in the store: the app's or a scene's; the app's for other files.
  public let name: ArchiveName
  /// The header, with the build.
  public let header: ArchiveHeader
}

/// An error for a folder without archives.
public struct NoArchives: Error, CustomStringConvertible {
  /// The message.
  public var description: String {
    "neither the folder nor a folder below it has the files of a store, or a file with a name that ends in .rsta"
  }

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
      name.hasSuffix(".rsta") && !StoreFileName.isLedger(String(name.split(separator: "/").last ?? ""))
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

  /// The archive and generation that a file of a store belongs to; nil for another file.
  private static func place(of name: String) -> Generation? {
    let last = String(name.split(separator: "/").last ?? "")
    return Generation(fileName: last) ?? GenerationLink(fileName: last)?.base
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

  private static func reading<Value>(
    _ name: String, _ body: () throws(ArchiveError) -> Value
  ) throws(UnreadableArchive) -> Value {
    try Result(catching: body).mapError { UnreadableArchive(name, $0) }.get()
  }
}
