import EngineKit
@testable import StateRestoration
import Testing

/// State that its object or the delegate gets late.
@Suite struct LateStateTests {
  private struct Bug: Error {}

  private final class Partial: Restorable {
    let restorationIdentifier: String? = "partial"
    @Restored var number = 0
    var throwsAfterwards = true
    var isLenient = false
    func decodeRestorableState(with coder: StateDecoder) throws {
      if isLenient {
        number = Int(try coder.decode(String.self, forKey: "number")) ?? 0
        return
      }
      try decodeRestoredProperties(with: coder)
      if throwsAfterwards { throw Bug() }
    }
  }

  @Test("application state that waited for a delegate is kept or reported once there is one")
  func delegateThatComesLate() throws {
    let archive = ArchiveTree(header: .sample, applicationState: ["theme": "dark"], nodes: [ArchiveNode("a", state: ["x": 1])])
    let tree = RestorableTree(roots: [SampleObject("a")])
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    #expect(try tree.saved().application().state() == ["theme": "dark"])
    let delegate = SampleDelegate()
    delegate.encoding = { try $0.encode("light", forKey: "theme") }
    tree.delegate = delegate
    let preservation = try tree.preserve(header: .sample)
    let state = try ArchiveReader(#require(try preservation.archive)).application().state()
    #expect(
      state == ["theme": "dark"] || preservation.report.notes(at: .application).contains { $0.kind == .superseded },
      "\(state) \(preservation.report.notes.map(\.description))")
  }

  @Test("application state that shouldSaveState writes is saved once the user changes it after a decode that threw")
  func applicationStateOfShouldSave() throws {
    let archive = ArchiveTree(header: .sample, applicationState: ["theme": "dark"])
    let delegate = SampleDelegate()
    var theme = "light"
    delegate.decoding = { _ in throw Bug() }
    delegate.saving = { coder in
      try? coder.encode(theme, forKey: "theme")
      return .save
    }
    let tree = RestorableTree(delegate: delegate)
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    #expect(try tree.saved().application().state() == ["theme": "dark"])
    theme = "blue"
    let preservation = try tree.preserve(header: .sample)
    #expect(
      try ArchiveReader(#require(try preservation.archive)).application().state() == ["theme": "blue"],
      "\(preservation.report.notes.map(\.description))")
  }

  @Test("an object that is registered again is not told that it has no state")
  func registeredTwice() throws {
    let archive = ArchiveTree(header: .sample, nodes: [ArchiveNode("late", state: ["x": 1])])
    let tree = RestorableTree()
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver { Factory(path: "late") { _ in .later } })
    let object = SampleObject("late")
    #expect(tree.register(object) == .data)
    _ = tree.register(object)
    #expect(object.finished == [.data])
  }

  @Test("an object that is there at the launch gets the state that was set aside at its path")
  func liveAtLaunchAfterSetAside() throws {
    let panel = SampleObject("panel", values: ["x": 1])
    let window = SampleObject("window", children: [panel])
    let tree = RestorableTree(roots: [window])
    try tree.startFresh()
    _ = try tree.setAside(panel)
    window.children = []
    let saved = try tree.saved()
    let live = SampleObject("panel")
    let next = RestorableTree(roots: [SampleObject("window", children: [live])])
    let report = try next.restore(from: saved, with: Resolver())
    #expect(live.values == ["x": 1], "\(report.why("window/panel"))")
  }

  @Test("an object at a nested path does not get the state that waits at the top, if it has no place yet")
  func restoreStateOfObjectWithoutPlace() throws {
    let archive = ArchiveTree(
      header: .sample, nodes: [ArchiveNode("details", state: ["x": 1]), ArchiveNode("stack", state: ["y": 1])])
    let stack = SampleObject("stack")
    let tree = RestorableTree(roots: [stack])
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    let screen = SampleObject("details")
    let second = SampleObject("details")
    stack.children = [second, screen]
    _ = tree.restoreState(of: screen)
    #expect(screen.values == [:], "the state of another object")
  }

  @Test("an object that came late and was saved with its own state does not get the older state afterwards")
  func restoreStateAfterSave() throws {
    let archive = ArchiveTree(header: .sample, nodes: [ArchiveNode("late", state: ["x": 1])])
    var roots: [any Restorable] = []
    let tree = RestorableTree(roots: { roots })
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    let late = SampleObject("late", values: ["x": 2])
    roots = [late]
    #expect(try tree.preserve(header: .sample).report.notes(at: "late").map(\.kind) == [.superseded])
    #expect(tree.restoreState(of: late) == .none && late.values == ["x": 2])
  }

  @Test("a late attempt that decodes whole is whole, whatever failed before")
  func staleFailure() throws {
    let archive = ArchiveTree(header: .sample, nodes: [ArchiveNode("partial", state: ["number": "7"])])
    let object = Partial()
    let tree = RestorableTree(roots: [object])
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    object.isLenient = true
    #expect(tree.restoreState(of: object) == .data)
    #expect(object.number == 7)
  }

  @Test("a registered object gets its state although the object above it waits", arguments: [true, false])
  func registeredBelowOneThatWaits(_ isLater: Bool) throws {
    let archive = ArchiveTree(
      header: .sample, nodes: [ArchiveNode("plugin", type: "Plugin", state: ["x": 1], children: [ArchiveNode("tool", state: ["y": 1])])])
    let tool = SampleObject("tool")
    let tree = RestorableTree()
    tree.register(tool, at: "plugin/tool")
    let report = try tree.restore(
      from: ArchiveReader(archive.encoded()), with: Resolver { if isLater { Factory(type: "Plugin") { _ in FactoryResult.later } } })
    #expect(tool.values == ["y": 1], "\(report.why("plugin/tool"))")
  }

  @Test("an object that comes late and has no saved state of its own brings those below it their states", arguments: [true, false])
  func comesLateAtPlaceholder(_ isRegistered: Bool) throws {
    let list = ArchiveNode("list", state: ["x": 1], children: [ArchiveNode("row", state: ["y": 2])])
    let archive = ArchiveTree(
      header: .sample, nodes: [ArchiveNode("panel", attributes: ["restoration.placeholder": true], children: [list])])
    let tree = RestorableTree()
    let early = SampleObject("panel")
    #expect(tree.restoreState(of: early) == .pending, "nothing is known of any state yet")
    #expect(early.finished.isEmpty)
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    #expect(try tree.saved().paths() == ["panel", "panel/list", "panel/list/row"])
    let row = SampleObject("row")
    let panel = SampleObject("panel", children: [SampleObject("list", children: [row])])
    if isRegistered {
      #expect(tree.register(panel, at: "panel") == .none)
    } else {
      tree.roots = [panel]
      #expect(tree.restoreState(of: panel) == .none)
    }
    #expect(row.values == ["y": 2] && panel.finished == [.none])
    let preservation = try tree.preserve(header: .sample)
    #expect(preservation.report.notes.isEmpty, "\(preservation.report.notes)")
  }

  @Test("below a late object without saved state, what an object has replaced stays replaced, and what waits deeper comes back")
  func comesLateAboveReplacedState() throws {
    let placeholder: ArchiveDictionary = ["restoration.placeholder": true]
    let deep = ArchiveNode("deep", attributes: placeholder, children: [ArchiveNode("row", state: ["y": 2])])
    let archive = ArchiveTree(
      header: .sample,
      nodes: [ArchiveNode("panel", attributes: placeholder, children: [ArchiveNode("list", state: ["x": 1]), deep])])
    let tree = RestorableTree()
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    // It stands at the path, did not take the state in, and is saved instead.
    let list = SampleObject("list", values: ["x": 7])
    let early = SampleObject("panel", children: [list])
    tree.roots = [early]
    #expect(try tree.saved().state("panel/list") == ["x": 7])
    let row = SampleObject("row")
    early.children += [SampleObject("deep", children: [row])]
    #expect(tree.restoreState(of: early) == .none)
    #expect(list.values == ["x": 7], "older state is not decoded over it")
    #expect(row.values == ["y": 2])
  }

  @Test("keepPrevious and forget around late state, an object set aside and kept state")
  func decisions() throws {
    let delegate = SampleDelegate()
    let archive = ArchiveTree(
      header: .sample,
      nodes: [ArchiveNode("broken", state: ["x": 1]), ArchiveNode("late", state: ["x": 2]), ArchiveNode("fine", state: ["x": 3])])
    let broken = SampleObject("broken"), fine = SampleObject("fine")
    broken.decoding = { _ in throw Bug() }
    let tree = RestorableTree(roots: [broken, fine], delegate: delegate)
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver { Factory(path: "late") { _ in FactoryResult.later } })
    delegate.saving = { _ in .keepPrevious }
    #expect(try tree.preserve(header: .sample).archive == nil)
    fine.values["x"] = 4
    #expect(try tree.setAside(fine) == false)
    delegate.saving = { _ in .save }
    #expect(try tree.setAside(fine))
    tree.roots = [broken]
    delegate.saving = { _ in .keepPrevious }
    #expect(try tree.preserve(header: .sample).archive == nil)
    delegate.saving = { _ in .save }
    var saved = try tree.saved()
    #expect(try saved.state("broken") == ["x": 1] && saved.state("late") == ["x": 2] && saved.state("fine") == ["x": 4])
    let late = SampleObject("late")
    #expect(tree.register(late) == .data)
    delegate.saving = { _ in .keepPrevious }
    _ = try tree.preserve(header: .sample)
    late.encoding = { _ in throw Bug() }
    delegate.saving = { _ in .save }
    saved = try tree.saved()
    #expect(try saved.state("late") == ["x": 2] && saved.state("fine") == ["x": 4] && saved.state("broken") == ["x": 1])
    delegate.saving = { _ in .forget }
    #expect(try tree.preserve(header: .sample).decision == .forget)
    delegate.saving = { _ in .save }
    late.encoding = nil
    saved = try tree.saved()
    #expect(try saved.paths() == ["late"])
  }

  @Test("callbacks that change the tree while it is walked lose nothing")
  func changesWhileWalked() throws {
    let archive = ArchiveTree(
      header: .sample,
      nodes: [
        ArchiveNode("a", state: ["x": 1], children: [ArchiveNode("b", state: ["x": 2]), ArchiveNode("c", state: ["x": 3])]),
        ArchiveNode("late", state: ["x": 4], children: [ArchiveNode("deep", state: ["x": 5])]),
        ArchiveNode("z", state: ["x": 6]),
      ])
    let resolver = try Resolver {
      Factory(path: "late/**") { _ in FactoryResult.later }
      Factory(path: "a/*") { SampleObject($0.identifier) }
    }
    let a = SampleObject("a"), z = SampleObject("z"), late = SampleObject("late"), deep = SampleObject("deep")
    let tree = RestorableTree(roots: [a, z])
    a.decoding = { coder in
      a.values["x"] = try coder.decode(Int.self, forKey: "x")
      // Children go to another object, roots are exchanged, and objects register, the child first.
      z.children = try coder.restoredChildren(of: SampleObject.self)
      tree.roots = [z, a]
      tree.register(deep, at: "late/deep")
    }
    z.decoding = { coder in
      z.values["x"] = try coder.decode(Int.self, forKey: "x")
      tree.register(late)
      z.children.reverse()
    }
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: resolver)
    #expect(late.values == ["x": 4] && deep.values == ["x": 5])
    var saved = try tree.saved()
    #expect(try saved.paths().sorted() == ["a", "late", "late/deep", "z", "z/b", "z/c"])
    // While it is saved, objects come, go and move; what was there is saved now or at the next save.
    z.encoding = { coder in
      try coder.encode(6, forKey: "x")
      a.children = z.children
      z.children = []
      tree.unregister(late)
      tree.register(SampleObject("gone"))
    }
    saved = try tree.saved()
    #expect(try saved.state("late") == ["x": 4] && saved.state("z/b") == ["x": 2])
    tree.register(late)
    z.encoding = nil
    saved = try tree.saved()
    #expect(try saved.state("a/b") == ["x": 2] && saved.state("a/c") == ["x": 3] && saved.state("late/deep") == ["x": 5])
  }
}
