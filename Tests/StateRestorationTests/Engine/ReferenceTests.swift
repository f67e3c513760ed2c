import EngineKit
import StateRestoration
import Testing

@Suite struct ReferenceTests {
  /// A state with nested references.
  private struct Selection: Codable {
    var front = Reference<SampleObject>()
    var all: [Reference<SampleObject>] = []
  }

  @Test("references decode to the restored objects, including forward references and cycles")
  func bindsReferences() throws {
    func objects() -> (SampleObject, SampleObject) {
      let a = SampleObject("a"), b = SampleObject("b")
      a.encoding = { try $0.encode(reference: b, forKey: "other") }
      b.encoding = { coder in
        try coder.encode(references: [a, nil, b], forKey: "list")
        try coder.encode(Selection(front: Reference(a), all: [Reference(b), Reference()]), forKey: "selection")
      }
      return (a, b)
    }
    let (a, b) = objects()
    let archive = try RestorableTree.saved([a, b])
    let (newA, newB) = objects()
    var other: SampleObject?, list: [SampleObject?] = [], selection = Selection()
    newA.decoding = { other = try $0.decodeReference(forKey: "other") }
    newB.decoding = { coder in
      list = try coder.decodeReferences(forKey: "list", as: SampleObject.self)
      selection = try coder.decode(Selection.self, forKey: "selection")
      #expect(throws: ArchiveError.self) { try coder.decodeReference(forKey: "none", as: SampleObject.self) }
      let none: SampleObject? = try coder.decodeReferenceIfPresent(forKey: "none")
      #expect(none == nil)
    }
    let report = try RestorableTree(roots: [newA, newB]).restore(from: archive, with: Resolver())
    #expect(report.summary == "restored 2 of 2")
    #expect(other === newB)
    #expect(list.count == 3 && list[0] === newA && list[1] == nil && list[2] === newB)
    #expect(
      selection.front.object === newA && selection.all.count == 2 && selection.all[0].object === newB && selection.all[1].object == nil)
  }

  @Test("a reference to a skipped target is nil, with the reason in the report; a wrong type is an error")
  func explainsMissingReferences() throws {
    let tree = ArchiveTree(nodes: [
      ArchiveNode("a", state: ["r": .reference("gone"), "n": .reference("nowhere"), "t": .reference("list")]),
      ArchiveNode("gone", state: ["x": 1]),
      ArchiveNode("list", type: "List"),
    ])
    let a = SampleObject("a")
    var kept: Reference<SampleObject>?
    a.decoding = { coder in
      let gone: SampleObject? = try coder.decodeReference(forKey: "r")
      #expect(gone == nil)
      kept = try coder.decode(Reference<SampleObject>.self, forKey: "n")
      let wrong: Editor? = try coder.decodeReference(forKey: "t")
      _ = wrong
    }
    let application = RestorableTree(roots: [a, List("list")])
    let report = try application.restore(from: ArchiveReader(tree.encoded()), with: Resolver())
    #expect(
      report.notes.map(\.description) == [
        "a: its reference \"r\" to gone is nil: that node was not restored (skipped-no-factory)",
        "a reference \"n\" to nowhere is nil: the archive has no node there",
      ])
    #expect(
      report.why("a")
        == "failed: the reference \"t\" leads to list, which is a List and no Editor: decode it as List, or as a type that both have in common "
        + "(path a); its state is kept until the object at its path changes"
    )
    #expect(kept?.object == nil && kept?.path == "nowhere")
  }

  @Test("references in the application state are bound")
  func bindsApplicationReferences() throws {
    let delegate = SampleDelegate()
    let a = SampleObject("a"), b = SampleObject("b", values: ["x": 1], children: [a])
    delegate.encoding = { try $0.encode(reference: a, forKey: "front") }
    let archive = try RestorableTree.saved([b], delegate: delegate)
    #expect(try archive.paths() == ["b", "b/a"])
    var front: SampleObject?
    delegate.decoding = { front = try $0.decodeReference(forKey: "front") }
    let application = RestorableTree(roots: [b], delegate: delegate)
    _ = try application.restore(from: archive, with: Resolver())
    #expect(front === a)
  }

  @Test("an empty object that is the target of a reference has a node")
  func keepsReferredObjects() throws {
    let empty = SampleObject("empty"), later = SampleObject("later", values: ["x": 1])
    later.encoding = { try $0.encode(reference: empty, forKey: "e") }
    #expect(
      try RestorableTree.saved([SampleObject("group", children: [empty]), later]).paths().sorted() == [
        "group", "group/empty", "later",
      ])
  }

  @Test("an object that is only referenced lies under its parents, which are placeholders")
  func placesUnderParents() throws {
    let grandparent = SampleObject("g"), parent = SampleObject("p"),
      child = SampleObject("c", values: ["x": 1], children: [SampleObject("d", values: ["y": 1])])
    parent.parent = grandparent
    child.parent = parent
    let root = SampleObject("root")
    root.encoding = { try $0.encode(reference: child, forKey: "c") }
    let archive = try RestorableTree.saved([root])
    #expect(try archive.paths() == ["root", "g", "g/p", "g/p/c", "g/p/c/d"])
    #expect(try archive.state("root") == ["c": .reference("g/p/c")])
    // Restoring: the places do not need an object.
    let application = RestorableTree()
    let report = try application.restore(
      from: archive,
      with: Resolver {
        Factory(path: "g/p/c") { node in
          application.register(child, at: node.path)
          return child
        }
      })
    #expect(report.node(at: "g/p/c")?.outcome == .restored)
  }

  @Test("a closed object that another one still refers to is not saved: the reference is null, and noted")
  func refersToClosedObject() throws {
    let tab = SampleObject("tab", values: ["secret": 1])
    let window = SampleObject("window", children: [tab])
    window.encoding = { try $0.encode(reference: tab, forKey: "lastUsed") }
    let application = RestorableTree(roots: [window])
    try application.startFresh()
    #expect(try application.saved().paths() == ["window", "window/tab"])
    window.children = []
    let preservation = try application.preserve(header: .sample)
    let archive = try ArchiveReader(#require(try preservation.archive))
    #expect(try archive.paths() == ["window"] && archive.state("window") == ["lastUsed": .null])
    #expect(preservation.report.notes.map { $0.path?.description } == ["window"], "\(preservation.report)")
  }

  @Test("a coder outside the engine reports that it cannot resolve references")
  func needsSession() throws {
    let archive = try ArchiveReader(ArchiveTree(nodes: [ArchiveNode("a", state: ["r": .reference("a")])]).encoded())
    let coder = try archive.decoder(at: "a")
    #expect(throws: RestorationError.self) { try coder.decodeReference(forKey: "r", as: SampleObject.self) }
    #expect(throws: RestorationError.self) { try coder.restoredChildren(of: SampleObject.self) }
    #expect(throws: RestorationError.self) {
      try ArchiveWriter().addNode("x") { try $0.encode(reference: SampleObject("a") as (any Restorable)?, forKey: "r") }
    }
  }

  @Test("a reference follows the alias that moved its node, and not the one that could not")
  func followsStoppedAliases() throws {
    let tree = ArchiveTree(nodes: [
      ArchiveNode("first", state: ["x": 1], children: [ArchiveNode("deep", state: ["x": 2])]), ArchiveNode("taken", state: ["x": 3]),
      ArchiveNode("user", state: ["target": .reference("first/deep")]),
    ])
    let deep = SampleObject("deep"), user = SampleObject("user")
    var target: SampleObject?
    user.decoding = { target = try $0.decodeReference(forKey: "target") }
    let application = RestorableTree(roots: [SampleObject("taken"), user])
    let report = try application.restore(
      from: ArchiveReader(tree.encoded()),
      with: Resolver {
        Alias("first", to: "second")
        Alias("second/deep", to: "taken")
        Factory(path: "second/**") { $0.identifier == "deep" ? deep : SampleObject("second", children: [deep]) }
      })
    #expect(report.node(at: "second/deep")?.outcome == .skipped(.superseded))
    #expect(target == nil && report.notes.first?.message.contains("not restored (skipped-superseded)") == true)
    #expect(application.discardState(at: "first/deep"))
  }

  @Test("82, 84: a reference follows the node that an alias could not move, once that is restored late")
  func behaviour82Unmoved() throws {
    let tree = ArchiveTree(nodes: [
      ArchiveNode("old", state: ["x": 1], children: [ArchiveNode("user", state: ["target": .reference("old")])]),
      ArchiveNode("new", state: ["x": 2]),
    ])
    let user = SampleObject("user"), old = SampleObject("old", children: [user])
    var target: SampleObject?
    user.decoding = { target = try $0.decodeReference(forKey: "target") }
    let application = RestorableTree()
    let resolver = try Resolver {
      Alias("old", to: "new")
      Factory(path: "new", deciding: { _ in .gone })
    }
    _ = try application.restore(from: ArchiveReader(tree.encoded()), with: resolver)
    application.roots = [old]
    #expect(application.restoreState(of: old) == .data && target === old)
  }

  @Test("82, 79: a reference to an object that its parent has replaced leads to the object's node, and takes the path of no other state")
  func behaviour82Replaced() throws {
    let item = SampleObject("a", values: ["x": 1]), owner = SampleObject("owner")
    owner.encoding = { try $0.encode(reference: item, forKey: "item") }
    let archive = try RestorableTree.saved([SampleObject("window", children: [item]), owner, SampleObject("a", values: ["x": 2])])
    let window = SampleObject("window"), next = SampleObject("owner")
    window.decoding = { [unowned window] _ in window.children = [SampleObject("a")] }
    var target: SampleObject?
    next.decoding = { target = try $0.decodeReference(forKey: "item") }
    next.encoding = { try $0.encode(reference: target, forKey: "item") }
    let application = RestorableTree(roots: [window, next])
    _ = try application.restore(from: archive, with: Resolver { Factory(path: "window/a") { SampleObject($0.identifier) } })
    #expect(try target?.values == ["x": 1] && application.saved().decoder(at: "owner").decodePath(forKey: "item") == "window/a")
    // Another object takes the state in.
    #expect(application.restoreState(of: window.children[0]) == .data)
    let second = try application.saved()
    #expect(try second.decoder(at: "owner").decodePath(forKey: "item") == "window/a")
    #expect(try second.state("a") == ["x": 2] && second.state("window/a") == ["x": 1])
    // Nothing is left of the node.
    window.children = []
    let preservation = try application.preserve(header: .sample)
    let third = try ArchiveReader(#require(try preservation.archive))
    #expect(preservation.report.notes(at: "owner").map(\.kind) == [.reference])
    #expect(try third.decoder(at: "owner").decodePath(forKey: "item") == nil && third.state("a") == ["x": 2])
  }
}
