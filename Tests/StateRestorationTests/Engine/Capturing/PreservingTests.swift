import EngineKit
import Foundation
import StateRestoration
import Testing

/// Behaviours 50 to 55; 51 is in RestorableTreeTests.
@Suite struct PreservingTests {
  @Test("50: preserving before restore or startFresh is refused")
  func behaviour50RefusesEarly() throws {
    let application = RestorableTree(roots: [SampleObject("a", values: ["x": 1])])
    do {
      _ = try application.preserve(header: .sample)
      Issue.record("not refused")
    } catch let error as RestorationError {
      #expect(error.code == .notRestoredYet)
    }
  }

  @Test("more objects than a writer keeps capacity for give the same archive again")
  func savesManyAgain() throws {
    let root = SampleObject("root", children: (0..<5000).map { SampleObject("\($0)", values: ["x": $0]) })
    let application = RestorableTree(roots: [root])
    try application.startFresh()
    let first = try application.preserve(header: .sample)
    for _ in 1...2 { #expect(try application.preserve(header: .sample).archive == first.archive) }
    #expect(first.report.nodeCount == 5001)
    root.children = [SampleObject("last", values: ["x": 1])]
    #expect(try application.saved().paths() == ["root", "root/last"])
  }

  @Test("the archive has the state at the time of preserving, whenever its bytes are requested")
  func keepsTheMoment() throws {
    let object = SampleObject("a", values: ["x": 1])
    let application = RestorableTree(roots: [object])
    try application.startFresh()
    let first = try application.preserve(header: .sample)
    object.values = ["x": 2]
    let second = try application.preserve(header: .sample)
    object.values = ["x": 3]
    #expect(try ArchiveReader(#require(try first.archive)).state("a") == ["x": 1])
    #expect(try ArchiveReader(#require(try second.archive)).state("a") == ["x": 2])
    #expect(try second.report.byteCount == second.archive?.count)
    #expect(try first.contentDigest != second.contentDigest)
  }

  @Test("among many siblings with the same identifier, the first is saved and each other one is reported once")
  func findsDuplicatesAmongMany() throws {
    let children: [any Restorable] = (0..<30).map { SampleObject("\($0 % 10)", values: ["x": $0]) }
    let application = RestorableTree(roots: [SampleObject("root", children: children + children)])
    try application.startFresh()
    let preservation = try application.preserve(header: .sample)
    let archive = try ArchiveReader(#require(try preservation.archive))
    #expect(preservation.report.nodeCount == 11)
    #expect(preservation.report.notes.count { $0.kind == .duplicate } == 40)
    for number in 0..<10 {
      let path: RestorationPath = RestorationPath.application.appending("root").appending("\(number)")
      #expect(try archive.state(path) == ["x": .integer(number)])
    }
  }

  @Test("50: preserving during restoring treats unbound state as unconsumed")
  func behaviour50DuringRestoring() throws {
    let archive = try RestorableTree.saved(
      [SampleObject("a", values: ["x": 1]), SampleObject("b", values: ["x": 2]), SampleObject("c", values: ["x": 3])],
      header: .at(build: "40", seconds: 1))
    let a = SampleObject("a"), b = SampleObject("b", values: ["x": 0])
    let application = RestorableTree(roots: [a, b])
    var during: ArchiveReader?
    a.decoding = { coder in
      a.values["x"] = try coder.decode(Int.self, forKey: "x")
      during = try application.saved(header: .at(build: "41", seconds: 2))
    }
    _ = try application.restore(from: archive, with: Resolver())
    let saved = try #require(during)
    #expect(try saved.paths() == ["a", "b", "c"])
    #expect(try saved.state("a") == ["x": 1])
    #expect(try saved.state("b") == ["x": 2])
    #expect(try saved.state("c") == ["x": 3])
    #expect(try saved.node(at: "b")?.origin?.bundleVersion == "40")
    #expect(try application.saved().state("b") == ["x": 2])
  }

  @Test("52: an object that throws keeps its previous state; its children are saved; the report names it")
  func behaviour52KeepsPrevious() throws {
    struct Refusal: Error {}
    let child = SampleObject("child", values: ["y": 1])
    let root = Editor("root", values: ["x": 1], children: [child])
    let new = SampleObject("new", children: [SampleObject("below", values: ["z": 1])])
    let application = RestorableTree(roots: [root, new])
    try application.startFresh()
    _ = try application.saved()
    root.encoding = { coder in
      try coder.encode(5, forKey: "half")
      throw Refusal()
    }
    new.encoding = { _ in throw Refusal() }
    child.values = ["y": 2]
    let preservation = try application.preserve(header: .sample)
    let archive = try ArchiveReader(#require(try preservation.archive))
    #expect(try archive.state("root") == ["x": 1])
    #expect(try archive.node(at: "root")?.type == "Editor")
    #expect(try archive.state("root/child") == ["y": 2])
    #expect(try archive.state("new/below") == ["z": 1])
    #expect(preservation.report.notes(at: "root").map(\.kind) == [.keptPrevious])
    #expect(preservation.report.notes(at: "new").map(\.kind) == [.keptPrevious])
    #expect(throws: RestorationError.self) { try application.preserve(header: .sample, options: .init(isStrict: true)) }
    // The second save preserves it too.
    #expect(try application.saved().state("root") == ["x": 1])
  }

  @Test("52: restored state is the previous state, also after an upgrade and under an alias")
  func behaviour52KeepsRestored() throws {
    struct Refusal: Error {}
    let tree = ArchiveTree(nodes: [ArchiveNode("old", type: "Editor", schemaVersion: 1, state: ["offset": 3])])
    let editor = Editor("new")
    editor.encoding = { _ in throw Refusal() }
    let application = RestorableTree(roots: [editor])
    _ = try application.restore(
      from: ArchiveReader(tree.encoded()),
      with: Resolver {
        Alias("old", to: "new")
        Upgrade(type: "Editor", from: 1, to: 2) { $0.rename("offset", to: "scrollOffset") }
      })
    let saved = try application.saved()
    #expect(try saved.state("new") == ["scrollOffset": 3])
    #expect(try saved.node(at: "new")?.schemaVersion == 2)
  }

  @Test("52: an application state that cannot be encoded keeps its previous state too")
  func behaviour52KeepsApplicationState() throws {
    struct Refusal: Error {}
    let delegate = SampleDelegate()
    delegate.encoding = { try $0.encode(1, forKey: "x") }
    let application = RestorableTree(delegate: delegate)
    try application.startFresh()
    _ = try application.saved()
    delegate.encoding = { _ in throw Refusal() }
    #expect(try application.saved().application().state() == ["x": 1])
  }

  @Test("53: a container receives its restored children in saved order; a stack ends at the first gap")
  func behaviour53BindsChildren() throws {
    let archive = try RestorableTree.saved([
      SampleObject(
        "stack", children: ["z", "gap", "a", "m"].map { List($0, values: ["x": 1]) } + [SampleObject("other", values: ["x": 1])])
    ])
    let stack = SampleObject("stack")
    var all: [String] = [], toGap: [String] = [], one: String?
    stack.decoding = { coder in
      all = try coder.restoredChildren(of: List.self).compactMap(\.restorationIdentifier)
      toGap = try coder.restoredChildren(of: List.self, endsAtGap: true).compactMap(\.restorationIdentifier)
      one = try coder.restoredChild("a", of: List.self)?.restorationIdentifier
      stack.children = try coder.restoredChildren(of: SampleObject.self)
    }
    let delegate = SampleDelegate()
    var roots: [String] = []
    delegate.decoding = { roots = try $0.restoredChildren(of: SampleObject.self).compactMap(\.restorationIdentifier) }
    let application = RestorableTree(roots: [stack], delegate: delegate)
    let report = try application.restore(
      from: archive,
      with: Resolver {
        Factory(path: "stack/*") { node in
          node.identifier == "gap" ? nil : node.type == "List" ? List(node.identifier) : SampleObject(node.identifier)
        }
      })
    #expect(all == ["z", "a", "m"] && toGap == ["z"] && one == "a" && roots == ["stack"])
    #expect(report.notes == [])
    #expect(try application.saved().paths() == ["stack", "stack/z", "stack/gap", "stack/a", "stack/m", "stack/other"])
  }

  @Test("54: a reference to an object without a path is stored as null and reported; closing an object deletes its state")
  func behaviour54References() throws {
    let unnamed = SampleObject(nil)
    let other = SampleObject("other", values: ["x": 1])
    let root = SampleObject("root", children: [unnamed])
    root.encoding = { coder in
      try coder.encode(reference: unnamed, forKey: "unnamed")
      try coder.encode(references: [other, nil, unnamed], forKey: "list")
    }
    let application = RestorableTree(roots: [root, other])
    try application.startFresh()
    let preservation = try application.preserve(header: .sample)
    let state = try ArchiveReader(#require(try preservation.archive)).state("root")
    #expect(state == ["unnamed": nil, "list": [.reference("other"), nil, nil]])
    #expect(preservation.report.notes(at: "root").map(\.kind) == [.withoutIdentifier, .reference, .reference])
    application.roots = [root]
    root.encoding = { try $0.encode(1, forKey: "x") }
    #expect(try application.saved().paths() == ["root"])
  }

  @Test("55: shouldSave writes application state, discarded on a no", arguments: [SaveDecision.save, .keepPrevious, .forget])
  func behaviour55Decides(_ decision: SaveDecision) throws {
    let log = CallLog()
    let delegate = SampleDelegate(log: log)
    let application = RestorableTree(roots: [SampleObject("a", values: ["x": 1], log: log)], delegate: delegate)
    try application.startFresh()
    log.clear()
    delegate.saving = { coder in
      try? coder.encode(1, forKey: "early")
      return decision
    }
    delegate.encoding = { try $0.encode(2, forKey: "late") }
    let preservation = try application.preserve(header: .sample)
    switch decision {
    case .save:
      #expect(log.lines == ["should save", "will encode", "encode a"])
      let archive = try ArchiveReader(#require(try preservation.archive))
      #expect(try archive.application().state() == ["early": 1, "late": 2])
    case .keepPrevious:
      #expect(log.lines == ["should save"])
      #expect(try preservation.decision == .keepPrevious && preservation.contentDigest == nil)
    case .forget:
      #expect(log.lines == ["should save"])
      #expect(preservation.decision == .forget)
    }
  }

  @Test("55: forgotten state does not return with a later save")
  func behaviour55Forgets() throws {
    let archive = try RestorableTree.saved([SampleObject("a", values: ["x": 1]), SampleObject("waits", values: ["x": 2])])
    let delegate = SampleDelegate()
    let a = SampleObject("a")
    let application = RestorableTree(roots: [a], delegate: delegate)
    _ = try application.restore(from: archive, with: Resolver())
    delegate.saving = { _ in .forget }
    _ = try application.preserve(header: .sample)
    delegate.saving = { _ in .save }
    a.encoding = { _ in throw CancellationError() }
    #expect(try application.saved().paths() == [])
  }

  @Test("the same state has the same content digest at every save")
  func savesTheSame() throws {
    let application = RestorableTree(roots: [SampleObject("a", values: ["x": 1, "y": 2, "z": 3])])
    try application.startFresh()
    let first = try application.preserve(header: .at(build: "1", seconds: 1))
    let second = try application.preserve(header: .at(build: "1", seconds: 2))
    #expect(try first.contentDigest != nil && first.contentDigest == second.contentDigest)
    #expect(try first.archive != second.archive)
  }

  @Test("the report lists every node with its size")
  func listsSizes() throws {
    let application = RestorableTree(roots: [SampleObject("a", values: ["x": 1], children: [SampleObject("b", values: ["y": 2])])])
    try application.startFresh()
    let report = try application.preserve(header: .sample).report
    #expect(report.entries().map(\.path) == ["a", "a/b"])
    #expect(report.entries().allSatisfy { $0.byteCount > 0 && !$0.isCarriedOver })
    #expect(report.nodeCount == 2)
    #expect(report.description.hasPrefix("saved 2 nodes in "))
    #expect(report.json().contains("\"path\" : \"a/b\""))
  }

  @Test("an object in two places is saved in the first; cycles end")
  func survivesCircles() throws {
    let a = SampleObject("a", values: ["x": 1]), b = SampleObject("b", values: ["x": 2])
    a.children = [b]
    b.children = [a, b]
    let application = RestorableTree(roots: [a, b])
    try application.startFresh()
    let preservation = try application.preserve(header: .sample)
    #expect(try ArchiveReader(#require(try preservation.archive)).paths() == ["a", "a/b"])
    #expect(preservation.report.notes.map(\.kind) == [.twice, .twice, .twice])
    a.children = []
  }

  @Test("trees deeper than a path can be are truncated with a finding")
  func survivesDepth() throws {
    var top = SampleObject("n", values: ["x": 1])
    for _ in 0..<300 { top = SampleObject("n", values: ["x": 1], children: [top]) }
    let application = RestorableTree(roots: [top])
    try application.startFresh()
    let preservation = try application.preserve(header: .sample)
    #expect(preservation.report.nodeCount == 256)
    #expect(preservation.report.notes.map(\.kind) == [.tooDeep])
    let report = try RestorableTree(roots: [top]).restore(from: ArchiveReader(#require(try preservation.archive)), with: Resolver())
    #expect(report.summary == "restored 256 of 256")
  }

  @Test("an object at two places, or below itself, is reported with both paths")
  func namesBothPlaces() throws {
    let shared = SampleObject("shared")
    let (a, b) = (SampleObject("a", children: [shared]), SampleObject("b"))
    b.children = [shared, a]
    shared.children = [a]
    let tree = RestorableTree(roots: [a, b])
    try tree.startFresh()
    let notes = try tree.preserve(header: .sample).report.notes.filter { $0.kind == .twice }
    #expect(
      notes.map(\.description) == [
        "a: the object is also a child of a/shared, which is below it: it is saved at a only, and the other place should refer to it",
        "a/shared: the object is also a child of b: it is saved at a/shared only, and the other place should refer to it",
        "a: the object is also a child of b: it is saved at a only, and the other place should refer to it",
      ])
  }
}
