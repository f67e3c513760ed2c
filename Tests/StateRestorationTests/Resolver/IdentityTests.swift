import EngineKit
import StateRestoration
import Testing

/// Behaviours 11 to 15.
@Suite struct IdentityTests {
  @Test("11: at a duplicate path the first object is kept and every owner is reported")
  func behaviour11KeepsFirstOfDuplicates() throws {
    let application = RestorableTree(roots: [
      SampleObject("a", values: ["x": 1], children: [SampleObject("only first", values: ["y": 1])]),
      List("a", values: ["x": 2, "z": 2], children: [SampleObject("only second", values: ["y": 2])]),
    ])
    try application.startFresh()
    let preservation = try application.preserve(header: .sample)
    let archive = try ArchiveReader(#require(try preservation.archive))
    #expect(try archive.paths() == ["a", "a/only first"])
    #expect(try archive.state("a") == ["x": 1])
    #expect(try archive.node(at: "a")?.type == nil)
    let note = try #require(preservation.report.notes(at: "a").first)
    #expect(note.kind == .duplicate)
    #expect(
      note.message
        == "SampleObject and List have the same path: the first one is saved, and the other is not, until each has an identifier of its own"
    )
  }

  @Test("11: the report names the place where each owner was registered")
  func behaviour11NamesPlaces() throws {
    let application = RestorableTree(roots: [SampleObject("a", values: ["x": 1])])
    let second = SampleObject("a", values: ["x": 2])
    application.register(second, fileID: "App/Window.swift", line: 12)
    try application.startFresh()
    let report = try application.preserve(header: .sample).report
    #expect(report.notes(at: "a").first?.message.contains("SampleObject registered at App/Window.swift:12") == true)
    let options = PreservationOptions(failsOnDuplicates: true, isStrict: false)
    #expect(throws: RestorationError.self) { try application.preserve(header: .sample, options: options) }
    do {
      _ = try application.preserve(header: .sample, options: options)
    } catch let error as RestorationError {
      #expect(error.code == .duplicatePath && error.path == "a")
    }
  }

  @Test("12: an object without identifier is skipped with everything below it; a referenced one is saved nevertheless")
  func behaviour12LeavesOutUnnamed() throws {
    let inner = SampleObject("inner", values: ["x": 1])
    let unnamed = SampleObject(nil, values: ["x": 2], children: [inner, SampleObject("other", values: ["x": 3])])
    let root = SampleObject("root", children: [unnamed])
    inner.parent = root
    root.encoding = { try $0.encode(reference: inner, forKey: "inner") }
    let archive = try RestorableTree.saved([root])
    #expect(try archive.paths() == ["root", "root/inner"])
    #expect(try archive.state("root") == ["inner": .reference("root/inner")])
    #expect(try archive.state("root/inner") == ["x": 1])
  }

  @Test("13: objects that contribute nothing leave no empty nodes")
  func behaviour13LeavesNoShell() throws {
    let archive = try RestorableTree.saved([
      SampleObject("empty"), SampleObject("group", children: [SampleObject("empty"), SampleObject("e2", children: [SampleObject("e3")])]),
      SampleObject("full", children: [SampleObject("a"), SampleObject("b", values: ["x": 1]), SampleObject("c")]), List("typed"),
    ])
    #expect(try archive.paths() == ["full", "full/b", "typed"])
  }

  @Test("13: a placeholder is kept for state carried over below it, and is not mistaken for an object (R-3.5-2)")
  func behaviour13KeepsPlaces() throws {
    // The upper node has exceeded the carry limit, and the lower one has not.
    var root = ArchiveNode("root", state: ["x": 1], children: [ArchiveNode("lost", state: ["y": 7])])
    root.origin = ArchiveOrigin(sessionsCarried: 9)
    let application = RestorableTree()
    let limits = CarryLimits(sessions: 5)
    _ = try application.restore(
      from: ArchiveReader(ArchiveTree(header: .sample, nodes: [root]).encoded()), with: Resolver(), options: .init(carryLimits: limits))
    let next = try application.saved(options: .init(carryLimits: limits))
    #expect(try next.paths() == ["root", "root/lost"])
    #expect(try next.state("root") == [:])
    #expect(try next.state("root/lost") == ["y": 7])
    // No factory is called for the placeholder, which would recreate the closed object; the node below it is restored.
    let later = RestorableTree()
    var made: [String] = []
    var kept: [SampleObject] = []
    let report = try later.restore(
      from: next,
      with: Resolver {
        Factory(path: "**") { node in
          made.append(node.path.description)
          let object = SampleObject(node.identifier)
          later.register(object, at: node.path)
          kept.append(object)
          return object
        }
      })
    #expect(made == ["root/lost"])
    #expect(report.node(at: "root")?.outcome == .placeholder)
    #expect(report.node(at: "root/lost")?.outcome == .restored)
  }

  @Test("14: an alias moves the state to the new path unchanged; the old path is gone after the next save")
  func behaviour14Renames() throws {
    let archive = try RestorableTree.saved([
      SampleObject(
        "root", values: ["r": 1], children: [SampleObject("panes", values: ["x": 1], children: [SampleObject("2", values: ["y": 2])])])
    ])
    let two = SampleObject("2")
    let editors = SampleObject("editors", children: [two])
    let application = RestorableTree(roots: [SampleObject("root", children: [editors])])
    let report = try application.restore(from: archive, with: Resolver { Alias("root/panes", to: "root/editors") })
    #expect(editors.values == ["x": 1] && two.values == ["y": 2])
    #expect(report.node(at: "root/editors/2")?.outcome == .located)
    #expect(report.why("root/panes/2").contains("saved as root/panes/2"))
    #expect(try application.saved().paths() == ["root", "root/editors", "root/editors/2"])
  }

  @Test("14: an existing target wins")
  func behaviour14KeepsTarget() throws {
    let archive = try RestorableTree.saved([SampleObject("old", values: ["x": 1]), SampleObject("new", values: ["x": 2])])
    let new = SampleObject("new")
    let application = RestorableTree(roots: [new])
    let report = try application.restore(from: archive, with: Resolver { Alias("old", to: "new") })
    #expect(new.values == ["x": 2])
    #expect(report.node(at: "old")?.outcome == .skipped(.superseded))
    #expect(try application.saved().state("old") == ["x": 1])
  }

  @Test("15: a node with a tombstone is skipped with that reason, and not carried over")
  func behaviour15Buries() throws {
    let archive = try RestorableTree.saved([
      SampleObject("welcome", values: ["x": 1], children: [SampleObject("page", values: ["y": 1])])
    ])
    let application = RestorableTree()
    let report = try application.restore(from: archive, with: Resolver { Tombstone("welcome") })
    #expect(report.node(at: "welcome")?.outcome == .skipped(.tombstone))
    #expect(report.node(at: "welcome/page")?.outcome == .skipped(.tombstone))
    #expect(report.why("welcome") == "skipped: it, or a node above it, has a tombstone")
    #expect(try application.saved().paths() == [])
  }
}
