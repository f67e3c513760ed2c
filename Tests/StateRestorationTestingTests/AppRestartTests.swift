import EngineKit
import Foundation
import StateRestorationTesting
import Testing

/// Restarts of an app with its store and scenes, and the coverage of a whole store.
@Suite struct AppRestartTests {
  final class Draft: Restorable {
    static let restorationType = "Draft", restorationSchemaVersion = 1
    let restorationIdentifier: String?
    @Restored var text = ""

    init(_ identifier: String, _ text: String = "") {
      restorationIdentifier = identifier
      self.text = text
    }
  }

  final class Window: Restorable {
    static let restorationType = "Window", restorationSchemaVersion = 1
    let restorationIdentifier: String? = "window"
    @Restored var title = ""
    var drafts: [any Restorable] = []
    var decoding: ((Window, StateDecoder) throws -> Void)?
    var restorationChildren: [any Restorable] { drafts }

    func decodeRestorableState(with coder: StateDecoder) throws {
      if let decoding { return try decoding(self, coder) }
      drafts = try coder.restoredChildren()
      try decodeRestoredProperties(with: coder)
    }
  }

  @ResolverBuilder static var drafts: ResolverBuilder.Part {
    Factory(Draft.self) { Draft($0.identifier) }
  }

  /// An app that holds its restoration, which holds the app: a cycle.
  final class App: RestorationDelegate {
    let window = Window()
    var scenes: [String: Window] = [:]
    var restoration: AppRestoration?
    var launch: AppLaunch?
    @Restored var theme = "light"

    /// Launches a build, and opens the saved scenes and those given.
    func launch(
      _ configuration: AppConfiguration, opening new: [String] = [], opensScenes: Bool = true,
      @ResolverBuilder _ registrations: () throws -> ResolverBuilder.Part = { AppRestartTests.drafts }
    ) throws -> AppRestoration {
      let restoration = try AppRestoration(configuration, roots: { [self] in [window] }, delegate: self, registrations)
      self.restoration = restoration
      launch = try restoration.launch(isolation: nil)
      for identifier in (opensScenes ? try restoration.savedScenes() : []) + new {
        let window = Window()
        scenes[identifier] = window
        _ = try restoration.openScene(identifier) { [window] }
      }
      return restoration
    }

    var texts: [String] {
      ([window] + scenes.sorted { $0.key < $1.key }.map(\.value)).flatMap(\.drafts).compactMap { ($0 as? Draft)?.text }
    }
  }

  private static func configuration(_ folder: String, build: String = "1") -> AppConfiguration {
    var configuration = AppConfiguration(bundleIdentifier: "org.example.mail", bundleVersion: build, folder: folder)
    configuration.handlesSignals = false
    configuration.recordsFatalSignals = false
    configuration.reportProblem = { _ in }
    return configuration
  }

  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("restart-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  /// Runs the first build in a folder: a window, a scene, and a draft in each.
  private func begin(_ folder: URL) throws -> AppRestoration {
    let app = App()
    let restoration = try app.launch(Self.configuration(folder.path), opening: ["second"])
    app.theme = "dark"
    app.window.title = "Mail"
    app.window.drafts = [Draft("a", "Dear Ann")]
    app.scenes["second"]?.drafts = [Draft("b", "Dear Bob")]
    try restoration.saveNow()
    app.window.drafts = [Draft("a", "Dear Ann, later")]
    return restoration
  }

  @Test("a restart after each end of the process restores the app and its scenes, and knows how it ended", arguments: ProcessEnd.allCases)
  func restarts(_ end: ProcessEnd) throws {
    try withFolder { folder in
      var restoration: AppRestoration? = try begin(folder)
      weak let old = restoration?.store
      let app = App()
      let next = try restart(&restoration, after: end) { try app.launch(Self.configuration(folder.path, build: "2")) }
      let isSaved = [.quit, .signal, .suspension].contains(end)
      #expect(app.texts == [isSaved ? "Dear Ann, later" : "Dear Ann", "Dear Bob"])
      #expect(app.theme == "dark" && restoration == nil)
      let exits: [ProcessEnd: LastExit] = [
        .quit: .ended, .signal: .signal, .suspension: .suspended, .kill: .killed, .trap: .trapped, .hang: .killed,
      ]
      #expect(app.launch?.lastExit == exits[end])
      // The old app is a cycle that lives on; it neither holds the folder nor writes into it.
      #expect(throws: StoreError.self) { try old?.save(ArchiveTree(nodes: [ArchiveNode("old")]).encoded()) }
      next.abandon(as: .ended)
      #expect(try RestorationStore(folder: folder.path).archives().count == 2)
    }
  }

  @Test("91: the oldest kept state is restored although a change waits whose save would remove its file")
  func behaviour91RestoresOldest() throws {
    try withFolder { folder in
      func launch(_ build: Int, _ app: App) throws -> AppRestoration {
        var configuration = Self.configuration(folder.path, build: "\(build)")
        (configuration.limits.sessions, configuration.limits.sessionDays) = (0, 0)
        return try app.launch(configuration)
      }
      // The third and fourth build have emptied the drafts.
      for build in 1...4 {
        let app = App()
        let restoration = try launch(build, app)
        app.window.title = "build \(build)"
        app.window.drafts = build < 3 ? [Draft("a", "Dear Ann")] : []
        try restoration.saveNow()
        restoration.abandon(as: .ended)
      }
      let app = App()
      let restoration = try launch(5, app)
      let oldest = try #require(restoration.storedStates().last { $0.archive == .application })
      #expect(oldest.bundleVersion == "2")
      restoration.store.markStable()
      app.window.title = "changed"
      try restoration.restore(#require(oldest.offer))
      #expect(app.texts == ["Dear Ann"] && app.window.title == "build 2")
    }
  }

  @Test("an app without a cycle of its own lets go of its store when it is dropped, whoever holds its objects")
  func letsGo() throws {
    try withFolder { folder in
      let window = Window()
      func launch() throws {
        let restoration = try AppRestoration(Self.configuration(folder.path), roots: { [window] })
        try restoration.launch(isolation: nil)
        window.title = "Mail"
        try restoration.saveNow()
      }
      try launch()
      window.title = "later"
      try launch()
    }
  }

  // MARK: Coverage

  private func gaps(
    _ folder: URL, except patterns: [String] = [], decoding: ((Window, StateDecoder) throws -> Void)? = nil, opensScenes: Bool = true,
    @ResolverBuilder registrations: () throws -> ResolverBuilder.Part = { AppRestartTests.drafts }
  ) throws -> [String] {
    let coverage = try ArchiveCoverage(ofStoresIn: folder, except: patterns) { configuration in
      let app = App()
      app.window.decoding = decoding
      return try app.launch(configuration, opensScenes: opensScenes, registrations)
    }
    #expect(coverage.archiveCount == 2)
    return coverage.gaps.map { $0.replacing("1.4, ", with: "") }
  }

  @Test("87: a coverage of a whole store fails for each loss, scenes included")
  func behaviour87Covers() throws {
    try withFolder { folder in
      var restoration: AppRestoration? = try begin(folder.appendingPathComponent("1.4"))
      #expect(throws: CancellationError.self) { try restart(&restoration, after: .quit) { throw CancellationError() } }
      let before = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
      #expect(try gaps(folder) == [])
      // A factory that makes another object: every draft is lost.
      let other = try gaps(folder, registrations: { Factory(type: "Draft") { _ in Window() } })
      #expect(other.count { $0.contains("of another type") } == 2, "\(other)")
      // A window that makes its own drafts.
      let replaced = try gaps(
        folder,
        decoding: { window, coder in
          window.drafts = [Draft("a")]
          try window.decodeRestoredProperties(with: coder)
        })
      #expect(replaced.count == 1 && replaced[0].hasPrefix("application: window/a: ") && replaced[0].contains("not adopted"), "\(replaced)")
      // A key that is no longer read.
      let unread = try gaps(folder, decoding: { window, coder in window.drafts = try coder.restoredChildren() })
      #expect(unread == ["application: window: nothing has read the saved key \"title\""])
      // A scene that is not opened, a node without a factory, a decode that throws.
      #expect(try gaps(folder, opensScenes: false) == ["scene second: the scene was not opened"])
      #expect(try gaps(folder, registrations: { Tombstone("elsewhere") }).count == 2)
      #expect(try gaps(folder, except: ["window/*"], registrations: { Tombstone("elsewhere") }) == [])
      #expect(try gaps(folder, decoding: { _, _ in throw CancellationError() }).contains { $0.hasPrefix("application: window: failed") })
      // The kept store is as it was.
      #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() == before)
    }
  }

  @Test("87: a damaged file is a gap, although a launch uses an older one in its place")
  func behaviour87Damage() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("1.4")
      var restoration: AppRestoration? = try begin(path)
      #expect(throws: CancellationError.self) { try restart(&restoration, after: .quit) { throw CancellationError() } }
      do {
        let store = try RestorationStore(folder: path.path)
        var tree = try ArchiveTree(decoding: #require(store.load().archive).reader)
        tree.header.bundleVersion = "newest"
        _ = try store.save(tree.encoded())
      }
      #expect(try gaps(folder) == [])
      let names = try FileManager.default.contentsOfDirectory(atPath: path.path).filter { $0.hasPrefix("application.") }
      let newest = try #require(names.filter { $0.hasSuffix(".rsta") }.max())
      try Data("damaged".utf8).write(to: path.appendingPathComponent(newest))
      let gaps = try gaps(folder)
      #expect(gaps.count == 1 && gaps[0].hasPrefix("application: ") && gaps[0].contains("damaged: "), "\(gaps)")
    }
  }

  /// A window that refers to a draft, and a build of it.
  private func covered(
    _ delegate: (any RestorationDelegate)?, options: RestorationOptions = RestorationOptions(),
    @ResolverBuilder registrations: () throws -> ResolverBuilder.Part = { AppRestartTests.drafts }
  ) throws -> [String] {
    var gaps: [String] = []
    try withFolder { folder in
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let front = SampleObject("window", children: [Draft("a", "Dear Ann")])
      front.encoding = { coder in try coder.encode(reference: front.children[0], forKey: "front") }
      let saved = SampleDelegate()
      saved.encoding = { try $0.encode("dark", forKey: "theme") }
      let tree = try ArchiveTree(decoding: RestorableTree.saved([front], delegate: saved))
      try tree.encoded().write(to: folder.appendingPathComponent("old.rsta"))
      gaps = try ArchiveCoverage(ofArchivesIn: folder) { _ in
        let window = SampleObject("window")
        window.decoding = { coder in
          window.children = try coder.restoredChildren()
          _ = try coder.decodeReferenceIfPresent(forKey: "front", as: Draft.self)
        }
        return RestartedTree(RestorableTree(roots: [window], delegate: delegate), resolver: try Resolver(registrations), options: options)
      }.gaps
    }
    return gaps
  }

  /// The draft of a build that has raised the version.
  private final class LaterDraft: Restorable {
    static let restorationType = "Draft", restorationSchemaVersion = 2
    let restorationIdentifier: String?
    @Restored var text = ""
    init(_ identifier: String) { restorationIdentifier = identifier }
  }

  @Test("87: a missing upgrade, a reference that leads nowhere, application state not taken in and a refused archive are gaps")
  func behaviour87Gaps() throws {
    let delegate = SampleDelegate()
    delegate.decoding = { _ = try $0.decode(String.self, forKey: "theme") }
    #expect(try covered(delegate) == [])
    let later = try covered(delegate) { Factory(LaterDraft.self) { LaterDraft($0.identifier) } }
    #expect(later.contains { $0.hasPrefix("old.rsta: window/a: ") && $0.contains("no upgrade leads to version 2") }, "\(later)")
    let dead = try covered(delegate) { Tombstone("window/a") }
    #expect(dead.count == 1 && dead[0].hasPrefix("old.rsta: window: ") && dead[0].contains("front"), "\(dead)")
    let none = try covered(nil)
    #expect(none.count == 1 && none[0].hasPrefix("old.rsta: (application): "), "\(none)")
    let failing = SampleDelegate()
    failing.decoding = { _ = try $0.decode(Int.self, forKey: "theme") }
    let failed = try covered(failing)
    #expect(failed.contains { $0.hasPrefix("old.rsta: (application): failed") }, "\(failed)")
    delegate.restoring = { _, _ in .never }
    #expect(try covered(delegate) == ["old.rsta: the archive was refused: declined by the delegate"])
    delegate.restoring = { _, _ in .restore }
    let refused = try covered(delegate, options: RestorationOptions(policy: .bundleVersions(["7"])))
    #expect(refused == ["old.rsta: the archive was refused: saved by build \"42\""])
  }

  @Test("87: scenes are among the archives of a folder, and earlier generations are not")
  func behaviour87Archives() throws {
    try withFolder { folder in
      for build in ["1", "2"] {
        let app = App()
        var restoration: AppRestoration? = try app.launch(
          Self.configuration(folder.path, build: build), opening: build == "1" ? ["second"] : [])
        app.window.title = build
        app.scenes["second"]?.title = build
        #expect(throws: CancellationError.self) { try restart(&restoration, after: .quit) { throw CancellationError() } }
      }
      var names: [ArchiveName] = []
      let coverage = try ArchiveCoverage(ofArchivesIn: folder) { kept in
        names.append(kept.name)
        #expect(kept.header.bundleVersion == "2")
        return RestartedTree(RestorableTree(roots: [Window()], delegate: App()), resolver: Resolver())
      }
      #expect(coverage.gaps == [] && Set(names.map(\.description)) == ["application", "scene second"] && coverage.archiveCount == 2)
    }
  }

  @Test("a key counts as read whoever reads it: a property, a factory, a whole Codable state, a dictionary")
  func readKeys() throws {
    final class Reader: Restorable {
      let restorationIdentifier: String? = "reader"
      static let restorationType = "Reader"
      @Restored var first = 0
      func decodeRestorableState(with coder: StateDecoder) throws {
        struct Part: Decodable { var third: Int }
        try decodeRestoredProperties(with: coder)
        _ = try coder.decodeState(Part.self)
      }
    }
    var options = RestorationOptions()
    options.notesUnread = true
    let state: ArchiveDictionary = ["first": 1, "second": 2, "third": 3, "fourth": ["third": 1, "fifth": 2]]
    let archive = try ArchiveReader(ArchiveTree(nodes: [ArchiveNode("reader", type: "Reader", state: state)]).encoded())
    let application = RestorableTree()
    let report = try application.restore(
      from: archive,
      with: Resolver {
        Factory(type: "Reader") { node in
          _ = try node.decode(Int.self, forKey: "second")
          let reader = Reader()
          application.roots = [reader]
          return reader
        }
      }, options: options)
    #expect(report.notes.map(\.description) == ["reader: nothing has read the saved key \"fourth\""])
    #expect(report.notes.map(\.kind) == [.unread])
  }
}
