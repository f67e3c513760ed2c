import EngineKit
import StateRestoration
import Testing

/// Behaviours 65: the subject of a node can be gone for good.
@Suite struct GoneTests {
  /// A window with two editors; the first has a draft below it, and the draft has a note.
  private static func archive() throws -> ArchiveReader {
    try ArchiveReader(
      ArchiveTree(
        header: .sample,
        nodes: [
          ArchiveNode(
            "window", state: ["w": 1],
            children: [
              ArchiveNode(
                "first", type: "Editor", schemaVersion: 2, state: ["note": 1],
                children: [ArchiveNode("draft", state: ["text": "dear"], children: [ArchiveNode("deep", state: ["x": 1])])]),
              ArchiveNode("second", type: "Editor", schemaVersion: 2, state: ["note": 2]),
            ])
        ]
      ).encoded())
  }

  private static let gone: Set<RestorationPath> = ["window/first", "window/first/draft", "window/first/draft/deep"]

  /// Checks that the first editor and everything below it are discarded, and nothing else.
  private static func check(_ application: RestorableTree, _ report: RestorationReport, by rule: String) throws {
    for path in gone {
      #expect(report.node(at: path)?.outcome == .skipped(.gone))
      #expect(report.node(at: path)?.isCarriedOver == false)
    }
    #expect(report.why("window/first") == "skipped: it, or a node above it, is gone for good by \(rule); its state is discarded")
    #expect(report.summary.contains("3 gone"))
    #expect(!report.isDegraded)
    let saved = try application.saved()
    #expect(try saved.paths() == ["window", "window/second"])
    #expect(try saved.state("window/second") == ["note": 2])
    // The next launch does not find it either.
    let next = RestorableTree(roots: [SampleObject("window")])
    let second = try next.restore(from: saved, with: Resolver())
    #expect(second.nodes.map(\.path) == ["window", "window/second"])
  }

  private static func answer(_ node: FactoryRequest) throws -> FactoryResult {
    try node.decode(Int.self, forKey: "note") == 1 ? .gone : .declined
  }

  @Test("65: a factory for a path can answer gone", arguments: ["window/first", "window/*"])
  func behaviour65Paths(_ path: String) throws {
    let application = RestorableTree(roots: [SampleObject("window")])
    let report = try application.restore(
      from: Self.archive(), with: Resolver { Factory(path: path, deciding: { try Self.answer($0) }) })
    try Self.check(application, report, by: path == "window/*" ? "pattern \"window/*\"" : "path \"window/first\"")
  }

  @Test("65: a factory for a type can answer gone, as well as objects and later")
  func behaviour65Types() throws {
    let application = RestorableTree(roots: [SampleObject("window")])
    var isLoggedIn = true
    let resolver = try Resolver {
      Factory(type: "Editor") { node in
        guard isLoggedIn else { return .later }
        guard try node.decode(Int.self, forKey: "note") != 1 else { return .gone }
        let editor = Editor(node.identifier)
        (node.parent as? SampleObject)?.children.append(editor)
        return .object(editor)
      }
    }
    let report = try application.restore(from: Self.archive(), with: resolver)
    #expect(report.node(at: "window/second")?.outcome == .restored)
    try Self.check(application, report, by: "type \"Editor\"")
    // An answer of later is not an answer of gone.
    isLoggedIn = false
    let next = RestorableTree(roots: [SampleObject("window")])
    _ = try next.restore(from: Self.archive(), with: resolver)
    #expect(try next.saved().paths().count == 5)
  }

  @Test("65: a factory for a provider can answer gone")
  func behaviour65Providers() throws {
    let panel = SampleObject("panel", values: ["x": 1])
    panel.restorationProvider = ProviderReference(name: "Main", identifier: "Panel")
    let application = RestorableTree()
    let report = try application.restore(
      from: RestorableTree.saved([panel]), with: Resolver { Factory(provider: "Main", deciding: { _ in .gone }) })
    #expect(report.node(at: "panel")?.outcome == .skipped(.gone))
    #expect(try application.saved().paths() == [])
  }

  @Test("65: the delegate can answer gone; its nil means the same as before")
  func behaviour65Delegate() throws {
    let delegate = SampleDelegate()
    delegate.making = { $0.identifier == "first" ? .gone : nil }
    let application = RestorableTree(roots: [SampleObject("window")], delegate: delegate)
    let report = try application.restore(from: Self.archive(), with: Resolver())
    #expect(report.node(at: "window/second")?.outcome == .skipped(.noFactory))
    try Self.check(application, report, by: "the delegate")
  }

  @Test("65: nil does not mean gone: the state is carried over")
  func behaviour65Nil() throws {
    let application = RestorableTree(roots: [SampleObject("window")])
    _ = try application.restore(from: Self.archive(), with: Resolver { Factory(type: "Editor") { _ in nil } })
    #expect(try application.saved().paths().count == 5)
  }

  @Test("65: a factory that is called late can answer gone too")
  func behaviour65Late() throws {
    let application = RestorableTree()
    _ = try application.restore(
      from: Self.archive(),
      with: Resolver {
        Factory(path: "window", deciding: { _ in .later })
        Factory(type: "Editor", deciding: { try Self.answer($0) })
      })
    #expect(try application.saved().paths().count == 5)
    let window = SampleObject("window")
    #expect(application.register(window) == .data)
    try Self.check(application, #require(application.report), by: "type \"Editor\"")
  }

  @Test("65: waiting state that turns out to be gone can be discarded; a late object then gets no state")
  func behaviour65DiscardsWaiting() throws {
    let window = SampleObject("window")
    let application = RestorableTree(roots: [window])
    #expect(!application.discardState(at: "window"))
    _ = try application.restore(from: Self.archive(), with: Resolver { Factory(type: "Editor", deciding: { _ in .later }) })
    #expect(try application.saved().paths().count == 5)
    #expect(application.discardState(at: "window/first"))
    #expect(!application.discardState(at: "window/first"))
    #expect(!application.discardState(at: "nowhere"))
    #expect(
      try #require(application.report).why("window/first") == "skipped: it, or a node above it, is gone for good; its state is discarded")
    #expect(try application.saved().paths() == ["window", "window/second"])
    let late = Editor("first")
    #expect(application.register(late, at: "window/first") == .none)
    #expect(late.values == [:])
    application.unregister(late)
    // State that an object has consumed belongs to the object.
    #expect(application.discardState(at: "window"))
    #expect(window.values == ["w": 1])
    #expect(try application.saved().state("window") == ["w": 1])
    #expect(try application.saved().paths() == ["window"])
  }

  @Test("65: a path from before an alias leads to the same state, unless the new path is occupied")
  func behaviour65Aliases() throws {
    let archive = try RestorableTree.saved(["old", "moved", "new"].map { SampleObject($0, values: ["x": 1]) })
    let application = RestorableTree()
    _ = try application.restore(
      from: archive,
      with: Resolver {
        Alias("moved", to: "there")
        Alias("old", to: "new")
      })
    #expect(application.discardState(at: "moved") && application.discardState(at: "old"))
    #expect(try application.saved().paths() == ["new"])
  }
}
