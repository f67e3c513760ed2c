import EngineKit
@testable import StateRestoration
import Testing

/// State that waits below an object belongs to that object.
@Suite struct WaitingBelowTests {
  @Test("state that waits below a closed object is not given to another object that takes its identifier")
  func waitingStateFollowsItsParent() throws {
    let archive = ArchiveTree(
      header: .sample,
      nodes: [
        ArchiveNode(
          "window",
          children: [
            ArchiveNode("0", state: ["x": 1], children: [ArchiveNode("plugin", type: "Plugin", state: ["secret": 1])]),
            ArchiveNode("1", state: ["x": 2]),
          ])
      ])
    let (first, second) = (SampleObject("0"), SampleObject("1"))
    let window = SampleObject("window", children: [first, second])
    let tree = RestorableTree(roots: [window])
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    #expect(try tree.saved().state("window/0/plugin") == ["secret": 1])
    window.children = [second]
    second.restorationIdentifier = "0"
    let preservation = try tree.preserve(header: .sample)
    let saved = try ArchiveReader(#require(try preservation.archive))
    #expect(try saved.state("window/0") == ["x": 2])
    #expect(try saved.node(at: "window/0/plugin") == nil, "\(preservation.report.notes.map(\.description))")
  }

  @Test("what was set aside below a closed object is not given to the one that takes its identifier")
  func setAsideBelowClosed() throws {
    let panel = SampleObject("panel", values: ["secret": 1])
    let (first, second) = (SampleObject("0", values: ["y": 1], children: [panel]), SampleObject("1", values: ["y": 2]))
    let tree = RestorableTree(roots: [first, second])
    try tree.startFresh()
    #expect(try tree.setAside(panel))
    first.children = []
    _ = try tree.saved()
    tree.roots = [second]
    second.restorationIdentifier = "0"
    _ = try tree.saved()
    let other = SampleObject("panel")
    second.children = [other]
    _ = tree.restoreState(of: other)
    #expect(other.values == [:], "the state of a panel of the tab that the user has closed")
  }

  private final class Plugin: SampleObject {
    override class var restorationType: String { "Plugin" }
  }

  /// Windows of which each has an object with waiting state below it.
  private func windows() throws -> (tree: RestorableTree, windows: [SampleObject], tabs: [SampleObject]) {
    let archive = ArchiveTree(
      header: .sample,
      nodes: ["0", "1"].map { number in
        ArchiveNode(
          number, state: ["x": 1],
          children: [
            ArchiveNode(
              "tab", state: ["y": 1], children: [ArchiveNode("plugin", type: "Plugin", state: ["of": .string(number)])])
          ])
      })
    let tabs = (0..<2).map { _ in SampleObject("tab") }
    let windows = (0..<2).map { SampleObject("\($0)", children: [tabs[$0]]) }
    let tree = RestorableTree(roots: windows)
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    return (tree, windows, tabs)
  }

  private func plugins(_ tree: RestorableTree) throws -> [String: ArchiveDictionary] {
    let saved = try tree.saved()
    var found: [String: ArchiveDictionary] = [:]
    for path in try saved.paths() where path.hasSuffix("plugin") { found[path] = try saved.state(#require(RestorationPath(path))) }
    return found
  }

  @Test("24: state that waits below an object goes with it when it is renamed, moved, or trades places (R-3.5-1)")
  func waitingStateGoesWithItsObject() throws {
    let (tree, windows, tabs) = try windows()
    // Before anything was saved, and two at once.
    (windows[0].restorationIdentifier, windows[1].restorationIdentifier) = ("1", "0")
    #expect(try plugins(tree) == ["1/tab/plugin": ["of": "0"], "0/tab/plugin": ["of": "1"]])
    windows[0].restorationIdentifier = "first"
    #expect(try plugins(tree) == ["first/tab/plugin": ["of": "0"], "0/tab/plugin": ["of": "1"]])
    (windows[0].children, windows[1].children) = ([], [tabs[1], tabs[0]])
    tabs[0].restorationIdentifier = "other"
    #expect(try plugins(tree) == ["0/other/plugin": ["of": "0"], "0/tab/plugin": ["of": "1"]])
    // Below what was below it.
    tree.roots = [tabs[1]]
    (tabs[1].children, windows[1].children) = ([windows[1]], [tabs[0]])
    #expect(try plugins(tree) == ["tab/0/other/plugin": ["of": "0"], "tab/plugin": ["of": "1"]])
    // Another object takes an identifier that was given up.
    tabs[1].restorationIdentifier = "document"
    tree.roots.append(SampleObject("tab", values: ["z": 1]))
    #expect(try plugins(tree) == ["document/0/other/plugin": ["of": "0"], "document/plugin": ["of": "1"]])
    // It is given to the object that comes to its place, and ends with the object above it.
    let plugin = Plugin("plugin")
    plugin.decoding = { [unowned plugin] in plugin.values["of"] = Int(try $0.decode(String.self, forKey: "of")) }
    tabs[1].children.append(plugin)
    tabs[1].restorationIdentifier = "again"
    #expect(tree.restoreState(of: plugin) == .data)
    windows[1].children = []
    #expect(try plugins(tree) == ["again/plugin": ["of": 1]])
  }

  @Test("what was set aside below an object goes with it when it is renamed")
  func setAsideGoesWithItsObject() throws {
    let panel = SampleObject("panel", values: ["secret": 1])
    let window = SampleObject("0", values: ["y": 1], children: [panel])
    let tree = RestorableTree(roots: [window])
    try tree.startFresh()
    #expect(try tree.setAside(panel))
    window.children = []
    window.restorationIdentifier = "renamed"
    #expect(try tree.saved().state("renamed/panel") == ["secret": 1])
    tree.roots = [SampleObject("0"), window]
    let again = SampleObject("panel")
    window.children = [again]
    window.restorationIdentifier = "1"
    #expect(tree.restoreState(of: again) == .data && again.values == ["secret": 1])
    #expect(try tree.saved().paths() == ["1", "1/panel"])
  }

  @Test("a child that takes the place of its parent: state that waits below the parent goes with it, or is reported as dropped")
  func promotedChild() throws {
    for (isClosed, trades) in [(false, false), (false, true), (true, false), (true, true)] {
      let plugins = [1, 2].map { ArchiveNode("plugin", type: "Plugin", state: ["of": .integer($0)]) }
      let nodes = [ArchiveNode("p", state: ["x": 1], children: [ArchiveNode("c", state: ["y": 1], children: [plugins[1]]), plugins[0]])]
      let child = SampleObject("c")
      var parent: SampleObject? = SampleObject("p", children: [child])
      let tree = RestorableTree(roots: [try #require(parent)])
      _ = try tree.restore(from: ArchiveReader(ArchiveTree(header: .sample, nodes: nodes).encoded()), with: Resolver())
      parent?.children = []
      tree.roots = [child]
      if trades {
        child.restorationIdentifier = "p"
        parent?.restorationIdentifier = "c"
      }
      if isClosed { parent = nil } else { child.children = [try #require(parent)] }
      let (top, below) = trades ? ("p", "c") : ("c", "p")
      let preservation = try tree.preserve(header: .sample)
      let saved = try ArchiveReader(#require(try preservation.archive))
      #expect(try saved.paths() == [top, "\(top)/plugin"] + (isClosed ? [] : ["\(top)/\(below)", "\(top)/\(below)/plugin"]))
      #expect(preservation.report.notes(at: "p/plugin").contains { $0.kind == .discarded } == isClosed)
    }
  }

  @Test(
    "that state below a closed object is dropped is in the report of the next save, also if another object is set aside before",
    arguments: [true, false])
  func reportsWhatSettingAsideDrops(_ isInTree: Bool) throws {
    let plugin = ArchiveNode("plugin", type: "Plugin", state: ["of": 1])
    let archive = ArchiveTree(header: .sample, nodes: [ArchiveNode("w", state: ["x": 1], children: [plugin]), ArchiveNode("other")])
    let other = SampleObject("other", values: ["y": 1])
    let tree = RestorableTree(roots: [SampleObject("w"), other])
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    tree.roots = [other]
    #expect(try tree.setAside(isInTree ? other : SampleObject("elsewhere")) == isInTree)
    #expect(try tree.preserve(header: .sample).report.notes(at: "w/plugin").map(\.kind) == [.discarded])
  }

  @Test("state whose alias leads to a taken path goes with its object to the path of other state, and stays there")
  func outdoneStateGoesWithItsObject() throws {
    let archive = ArchiveTree(
      header: .sample, nodes: [ArchiveNode("a", state: ["x": 1]), ArchiveNode("b", state: ["x": 2]), ArchiveNode("f", state: ["x": 3])])
    let object = SampleObject("b")
    let tree = RestorableTree(roots: [object])
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver { Alias("b", to: "a") })
    object.restorationIdentifier = "f"
    for _ in 0..<3 {
      let preservation = try tree.preserve(header: .sample)
      #expect(try ArchiveReader(#require(try preservation.archive)).state("f") == ["x": 2])
      #expect(preservation.report.notes(at: "f").contains { $0.kind == .superseded }, "the other state is in the file before")
    }
  }

  @Test("a reference that is decoded late leads to its target, which the app has moved since")
  func lateReferenceToMovedObject() throws {
    let archive = ArchiveTree(
      header: .sample,
      nodes: [
        ArchiveNode("tab", state: ["x": 1], children: [ArchiveNode("plugin", type: "Plugin", state: ["secret": 1])]),
        ArchiveNode("panel", state: ["other": .reference("tab")]),
      ])
    let tab = SampleObject("tab")
    let tree = RestorableTree(roots: [tab])
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: Resolver())
    tab.restorationIdentifier = "first"
    let panel = SampleObject("panel")
    var found: SampleObject?
    panel.decoding = { found = try $0.decodeReferenceIfPresent(forKey: "other", as: SampleObject.self) }
    tree.roots.append(panel)
    #expect(tree.restoreState(of: panel) == .data)
    #expect(found === tab, "\(tree.report?.description ?? "")")
  }
}
