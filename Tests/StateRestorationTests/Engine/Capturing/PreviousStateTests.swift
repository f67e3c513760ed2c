import EngineKit
@testable import StateRestoration
import Testing

/// The last state of an object that cannot be encoded, wherever it was saved.
@Suite struct PreviousStateTests {
  private struct Bug: Error {}

  @Test("an object that throws while encoding keeps its own previous state, not that of an object whose identifier it took")
  func previousStateFollowsItsObject() throws {
    let first = SampleObject("0", values: ["text": 1])
    let second = SampleObject("1", values: ["text": 2])
    let window = SampleObject("window", children: [first, second])
    let tree = RestorableTree(roots: [window])
    try tree.startFresh()
    _ = try tree.saved()
    // The first tab is closed, and the second one is now at its place.
    window.children = [second]
    second.restorationIdentifier = "0"
    second.encoding = { _ in throw Bug() }
    let preservation = try tree.preserve(header: .sample)
    let saved = try ArchiveReader(#require(try preservation.archive))
    #expect(try saved.state("window/0") != ["text": 1], "the state of the closed tab")
    #expect(try saved.state("window/0") == ["text": 2], "\(preservation.report.notes.map(\.description))")
  }

  @Test("an object that was renamed and throws while encoding keeps its previous state")
  func previousStateOfRenamedObject() throws {
    let draft = SampleObject("untitled", values: ["text": 2])
    let tree = RestorableTree(roots: [draft])
    try tree.startFresh()
    _ = try tree.saved()
    draft.restorationIdentifier = "report"
    draft.encoding = { _ in throw Bug() }
    let preservation = try tree.preserve(header: .sample)
    let saved = try ArchiveReader(#require(try preservation.archive))
    #expect(try saved.state("report") == ["text": 2], "\(preservation.report.notes.map(\.description))")
    #expect(preservation.report.isDegraded, "the file before, the only one with the text, is not even kept")
  }

  @Test("two objects that swap identifiers, of which one throws, do not share a state")
  func swapWithFailure() throws {
    let (first, second) = (SampleObject("0", values: ["text": 1]), SampleObject("1", values: ["text": 2]))
    let tree = RestorableTree(roots: [first, second])
    try tree.startFresh()
    _ = try tree.saved()
    (first.restorationIdentifier, second.restorationIdentifier) = ("1", "0")
    first.encoding = { _ in throw Bug() }
    let saved = try tree.saved()
    #expect(try saved.state("0") == ["text": 2])
    #expect(try saved.state("1") == ["text": 1], "both have the text of the second")
  }

  @Test("an object that moves to another window and throws while encoding there is not lost")
  func throwingInAnotherTree() throws {
    let draft = SampleObject("draft", values: ["text": 1])
    let first = SampleObject("window", children: [draft]), second = SampleObject("window")
    let trees = [RestorableTree(roots: [first]), RestorableTree(roots: [second])]
    for tree in trees { try tree.startFresh() }
    for tree in trees { _ = try tree.preserve(header: .sample) }
    first.children = []
    second.children = [draft]
    draft.encoding = { _ in throw Bug() }
    let preservations = try trees.map { try $0.preserve(header: .sample) }
    let saved = try ArchiveReader(#require(try preservations[1].archive))
    #expect(
      try saved.state("window/draft") == ["text": 1] || preservations.contains { $0.report.isDegraded },
      "\(preservations.map { $0.report.notes.map(\.description) })")
  }

  @Test("a new object that throws while encoding does not get the state that was discarded at its path")
  func discardedStateStaysDiscarded() throws {
    let archive = ArchiveTree(header: .sample, nodes: [ArchiveNode("doc", type: "Doc", state: ["x": 1])])
    let tree = RestorableTree()
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver { Factory(type: "Doc") { _ in .gone } })
    let other = SampleObject("doc")
    other.encoding = { _ in throw Bug() }
    tree.roots = [other]
    let preservation = try tree.preserve(header: .sample)
    #expect(
      try ArchiveReader(#require(try preservation.archive)).state("doc") != ["x": 1],
      "\(preservation.report.notes.map(\.description))")
  }

  @Test("a screen that came back and throws once while encoding is restored at the next launch")
  func throwingAfterSetAside() throws {
    let (home, screen) = (SampleObject("home", values: ["y": 1]), SampleObject("details", values: ["x": 1]))
    let stack = SampleObject("stack", children: [home, screen])
    let tree = RestorableTree(roots: [stack])
    try tree.startFresh()
    _ = try tree.setAside(screen)
    stack.children = [home]
    _ = try tree.saved()
    let again = SampleObject("details")
    stack.children = [home, again]
    #expect(tree.restoreState(of: again) == .data)
    again.encoding = { _ in throw Bug() }
    let saved = try tree.saved()
    #expect(try saved.state("stack/details") == ["x": 1])
    #expect(try saved.node(at: "stack/details")?.attributes().isEmpty == true)
    let next = SampleObject("stack")
    next.decoding = { next.children = try $0.restoredChildren(of: SampleObject.self) }
    let report = try RestorableTree(roots: [next]).restore(
      from: saved, with: Resolver { Factory(path: "stack/*") { SampleObject($0.identifier) } })
    #expect(next.children.map(\.restorationIdentifier) == ["home", "details"], "\(report.why("stack/details"))")
  }

  @Test("setting aside an object that throws while encoding says so, or does not set it aside")
  func setAsideThrowing() throws {
    let screen = SampleObject("screen", values: ["x": 1])
    let tree = RestorableTree(roots: [screen])
    try tree.startFresh()
    _ = try tree.saved()
    screen.values["x"] = 2
    screen.encoding = { _ in throw Bug() }
    let isAside = try? tree.setAside(screen)
    tree.roots = []
    let report = try tree.preserve(header: .sample).report
    #expect(
      isAside != true || report.notes(at: "screen").contains { $0.message.contains("encoding failed") },
      "\(report.notes.map(\.description))")
  }

  @Test("an object that cannot encode itself once is not changed: its kept state stays")
  func keptStateSurvivesOneFailure() throws {
    let archive = ArchiveTree(header: .sample, nodes: [ArchiveNode("a", state: ["x": 1])])
    let object = SampleObject("a")
    object.decoding = { _ in throw Bug() }
    let tree = RestorableTree(roots: [object])
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    #expect(try tree.saved().state("a") == ["x": 1])
    object.encoding = { _ in throw Bug() }
    #expect(try tree.saved().state("a") == ["x": 1])
    object.encoding = nil
    let preservation = try tree.preserve(header: .sample)
    #expect(try ArchiveReader(#require(try preservation.archive)).state("a") == ["x": 1], "\(preservation.report.notes.map(\.description))")
  }

  @Test("a delegate that cannot encode itself once is not changed: its kept state stays")
  func keptApplicationStateSurvivesOneFailure() throws {
    let archive = ArchiveTree(header: .sample, applicationState: ["theme": 1])
    let delegate = SampleDelegate()
    delegate.decoding = { _ in throw Bug() }
    let tree = RestorableTree(delegate: delegate)
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    delegate.encoding = { _ in throw Bug() }
    #expect(try tree.saved().application().state() == ["theme": 1])
    delegate.encoding = { _ in }
    let preservation = try tree.preserve(header: .sample)
    #expect(
      try ArchiveReader(#require(try preservation.archive)).application().state() == ["theme": 1],
      "\(preservation.report.notes.map(\.description))")
  }

  @Test("a save within a factory keeps the state of objects that exist and were not reached yet")
  func savesWithinFactory() throws {
    let archive = ArchiveTree(
      header: .sample, nodes: [ArchiveNode("a", type: "Editor", schemaVersion: 2, state: ["x": 1]), ArchiveNode("z", state: ["x": 4])])
    let tree = RestorableTree(roots: [SampleObject("z")])
    var preservation: Preservation?
    let resolver = try Resolver {
      Factory(Editor.self) { node in
        preservation = try tree.preserve(header: .sample)
        return Editor(node.identifier)
      }
    }
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: resolver)
    let saved = try ArchiveReader(#require(try preservation?.archive))
    #expect(try saved.state("z") == ["x": 4], "\(preservation?.report.notes.map(\.description) ?? [])")
    #expect(try saved.state("a") == ["x": 1])
  }

  @Test("a save within each callback has all values")
  func savesWithinCallbacks() throws {
    let archive = ArchiveTree(
      header: .sample, applicationState: ["theme": 1],
      nodes: [
        ArchiveNode("a", state: ["x": 1], children: [ArchiveNode("b", type: "Editor", schemaVersion: 2, state: ["x": 2])]),
        ArchiveNode("late", state: ["x": 3]), ArchiveNode("z", state: ["x": 4]),
      ])
    let delegate = SampleDelegate()
    let objects = [SampleObject("a"), SampleObject("z")]
    let tree = RestorableTree(roots: objects, delegate: delegate)
    var theme = 0
    func check(_ place: String) {
      do {
        let saved = try tree.saved()
        #expect(try saved.state("a") == ["x": 1], "\(place)")
        #expect(try saved.state("a/b") == ["x": 2], "\(place)")
        #expect(try saved.state("late") == ["x": 3], "\(place)")
        #expect(try saved.state("z") == ["x": 4], "\(place)")
        #expect(try saved.application().state() == ["theme": 1], "\(place)")
      } catch { Issue.record("\(place): \(error)") }
    }
    delegate.decoding = { coder in
      check("application before")
      theme = try coder.decode(Int.self, forKey: "theme")
    }
    delegate.encoding = { try $0.encode(theme, forKey: "theme") }
    for object in objects {
      object.decoding = { coder in
        check("\(coder.path) before")
        object.values["x"] = try coder.decode(Int.self, forKey: "x")
        object.children = try coder.restoredChildren(of: SampleObject.self)
        check("\(coder.path) after")
      }
    }
    let resolver = try Resolver {
      Factory(Editor.self) { node in
        check("factory")
        return Editor(node.identifier)
      }
      Factory(path: "late") { _ in FactoryResult.later }
    }
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: resolver)
    check("end")
    let late = SampleObject("late")
    late.decoding = { coder in
      check("late before")
      late.values["x"] = try coder.decode(Int.self, forKey: "x")
      check("late after")
    }
    #expect(tree.register(late) == .data)
    check("late end")
  }
}
