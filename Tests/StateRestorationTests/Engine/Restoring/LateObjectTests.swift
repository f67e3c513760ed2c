import EngineKit
import Locking
@testable import StateRestoration
import Testing

/// Objects that join the app after its launch, and the state that waits for them.
@Suite struct LateObjectTests {
  /// An app whose sidebar, which does not name its parent, is below a window.
  private struct App {
    let sidebar = SampleObject("sidebar")
    let window: SampleObject
    let tree: RestorableTree

    init(waiting: [ArchiveNode]) throws {
      window = SampleObject("window", children: [sidebar])
      tree = RestorableTree(roots: [window])
      let saved = ArchiveTree(
        header: .sample, nodes: [ArchiveNode("window", children: [ArchiveNode("sidebar", children: waiting)])])
      _ = try tree.restore(from: ArchiveReader(saved.encoded()), with: Resolver())
      tree.endFirstTurn()
    }
  }

  @Test("an object that registers late below a parent in the tree gets its state, and not that of another path")
  func registersBelowNestedParent() throws {
    let app = try App(waiting: [ArchiveNode("panel", state: ["x": 1])])
    let panel = SampleObject("panel")
    panel.parent = app.sidebar
    #expect(app.tree.register(panel) == .data)
    #expect(panel.values == ["x": 1])
    #expect(try app.tree.saved().state("window/sidebar/panel") == ["x": 1])
  }

  @Test("state below a registered object is set aside and comes back")
  func setsAsideBelowRegistered() throws {
    let app = try App(waiting: [])
    let page = SampleObject("page", values: ["x": 1]), calendar = SampleObject("calendar", children: [page])
    app.tree.register(calendar, at: "main/calendar")
    #expect(try app.tree.setAside(page))
    calendar.children = []
    _ = try app.tree.saved()
    let again = SampleObject("page")
    calendar.children = [again]
    #expect(app.tree.restoreState(of: again) == .data)
    #expect(again.values == ["x": 1])
  }

  @Test("after a rename, the state below the new path is found by those who register there, and by those who discard it")
  func followsRenames() throws {
    let app = try App(waiting: [ArchiveNode("panel", state: ["x": 1]), ArchiveNode("other", state: ["x": 2])])
    app.window.restorationIdentifier = "main"
    let panel = SampleObject("panel")
    #expect(app.tree.register(panel, at: "main/sidebar/panel") == .data)
    #expect(panel.values == ["x": 1])
    app.window.restorationIdentifier = "first"
    #expect(app.tree.discardState(at: "first/sidebar/other"))
    #expect(try app.tree.saved().node(at: "first/sidebar/other") == nil)
  }

  @Test("an object without anything at or below its path costs no walk over the tree")
  func walksOnlyForWaitingState() throws {
    let app = try App(waiting: [ArchiveNode("plugin", state: ["x": 1])])
    let questions = AskedObject.Questions()
    let counting = AskedObject("counting", questions)
    app.sidebar.children = [counting]
    questions.count = 0
    for number in 0..<10 { #expect(app.tree.register(SampleObject("panel-\(number)"), at: "panels/\(number)") == .none) }
    #expect(app.tree.restoreState(of: SampleObject("other")) == .none)
    #expect(questions.count == 0)
  }

  @Test("what was set aside after a fresh start does not replace a new object's content at the end of the turn")
  func newContentAfterFreshStart() throws {
    let page = SampleObject("page", values: ["x": 1])
    let stack = SampleObject("stack", children: [page])
    let tree = RestorableTree(roots: [stack])
    try tree.startFresh()
    #expect(try tree.setAside(page))
    stack.children = [SampleObject("page", values: ["x": 2])]
    tree.endFirstTurn()
    #expect(try tree.saved().state("stack/page") == ["x": 2])
  }

  @Test("what is set aside after a fresh start comes back with the objects below it, if the tree knows their factories")
  func makesObjectsAfterFreshStart() throws {
    let stack = SampleObject("stack", children: [Editor("page", values: ["x": 1])])
    let window = SampleObject("window", children: [stack])
    let tree = RestorableTree(roots: [window])
    tree.resolver = try Resolver { Factory(type: "Editor") { Editor($0.identifier) } }
    try tree.startFresh()
    #expect(try tree.setAside(stack))
    window.children = []
    _ = try tree.saved()
    let again = SampleObject("stack")
    again.decoding = { again.children = try $0.restoredChildren(of: Editor.self) }
    window.children = [again]
    #expect(tree.restoreState(of: again) == .data)
    #expect((again.children.first as? Editor)?.values == ["x": 1])
  }

  @Test("an archive that is restored after a fresh start takes over what was set aside meanwhile")
  func takesOverAfterFreshStart() throws {
    let page = SampleObject("page", values: ["x": 1])
    let window = SampleObject("window", children: [page])
    let tree = RestorableTree(roots: [window])
    try tree.startFresh()
    #expect(try tree.setAside(page))
    window.children = []
    _ = try tree.saved()
    let saved = ArchiveTree(header: .sample, nodes: [ArchiveNode("window", state: ["w": 2])])
    _ = try tree.restore(from: ArchiveReader(saved.encoded()), with: Resolver())
    let again = SampleObject("page")
    window.children = [again]
    #expect(tree.restoreState(of: again) == .data && again.values == ["x": 1])
  }

  @Test("discarding state and ending a registration ask for a save")
  func asksForSaves() throws {
    let app = try App(waiting: [ArchiveNode("panel", state: ["x": 1])])
    let count = Lock(0)
    app.tree.changes = ChangeTracking(signal: ChangeSignal { count.withLock { $0 += 1 } })
    #expect(!app.tree.discardState(at: "window/sidebar/none"))
    #expect(count.withLock(\.self) == 0)
    #expect(app.tree.discardState(at: "window/sidebar/panel"))
    #expect(count.withLock(\.self) == 1)
    let panel = SampleObject("other")
    app.tree.register(panel, at: "other")
    app.tree.unregister(panel)
    #expect(count.withLock(\.self) == 2)
  }

  @Test("what was unregistered while the app was about to end is gone if it goes on")
  func unregistersWhileEnding() throws {
    let (panel, again) = (SampleObject("panel", values: ["x": 1]), SampleObject("again", values: ["x": 2]))
    let tree = RestorableTree(roots: [SampleObject("window")])
    try tree.startFresh()
    tree.register(panel, at: "panel")
    tree.register(again, at: "again")
    tree.beginEnding()
    tree.unregister(panel)
    tree.unregister(again)
    tree.register(again, at: "again")
    #expect(try tree.saved().state("panel") == ["x": 1])
    tree.cancelEnding()
    let saved = try tree.saved()
    #expect(try saved.node(at: "panel") == nil && saved.state("again") == ["x": 2])
  }

  private final class Tab: Restorable {
    static let restorationType = "Tab", tracksChanges = true
    let restorationIdentifier: String?
    @Restored var text = ""
    @RestoredChildren var tabs: [Tab] = []
    var restorationChildren: [any Restorable] { tabs }
    init(_ identifier: String) { restorationIdentifier = identifier }
  }

  @Test("what left while the app was about to end, and was saved as still there, is gone in the next save if the app goes on")
  func leavesWhileEnding() throws {
    let (window, tab) = (Tab("window"), Tab("tab"))
    window.tabs = [tab]
    let tree = RestorableTree(roots: [window])
    try tree.startFresh()
    let options = PreservationOptions(encodesOnlyChanges: true)
    _ = try tree.saved(options: options)
    tree.beginEnding()
    window.tabs = []
    #expect(try tree.saved(options: options).node(at: "window/tab") != nil)
    tree.cancelEnding()
    #expect(try tree.saved(options: options).node(at: "window/tab") == nil)
    withExtendedLifetime(tab) {}
  }
}
