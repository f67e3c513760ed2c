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
/// nowhere; application state that was not taken in; a scene that was not opened; a damaged file, even if a launch uses an
/// older one in its place. Not seen is a value that was read and
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
      let store = try RestorationStore(folder: copy.path, access: .reading)
      let saved = try store.archives()
      for archive in saved { try collectDamage(in: store.load(archive), "\(name.isEmpty ? folder.lastPathComponent : name), \(archive)") }
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

  /// Collects the files that a launch would like to restore, but cannot.
  private mutating func collectDamage(in load: StoreLoad, _ title: String) {
    for candidate in load.candidates {
      switch candidate.outcome {
      case .taken where candidate.lostLinks == nil, .notNeeded: break
      default: gaps.append("\(title): \(candidate)")
      }
    }
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
    for note in report.notes where ![.excessCompletion, .emptyState].contains(note.kind) && note.path.map(isExcepted) != true {
      gaps.append("\(title): \(note)")
    }
  }

  private func isExcepted(_ path: RestorationPath) -> Bool { exceptions.contains { $0.matches(path) } }
}

/// An error for a folder without archives.
public struct NoArchives: Error, CustomStringConvertible {
  /// The message.
  public var description: String {
    "neither the folder nor a folder below it has the files of a store, or a file with a name that ends in .rsta"
  }

  init() {}
}
