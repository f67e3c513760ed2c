import EngineKit
import Foundation
import StateRestoration
import Testing

/// Behaviours 66, of objects, and 67.
@Suite struct ClosingTests {
  /// A window of three panels.
  ///
  /// The first and the last belong to plug-ins, and the last has a node below it.
  private static func archive() throws -> ArchiveReader {
    try RestorableTree.saved([
      SampleObject(
        "window", values: ["w": 1],
        children: [
          List("calendar", values: ["x": 1]), SampleObject("list", values: ["x": 2]),
          List("mail", values: ["x": 3], children: [SampleObject("draft", values: ["y": 1])]),
        ]), SampleObject("other", values: ["o": 1], children: [List("clock", values: ["x": 4])]),
    ])
  }

  private static func restored(_ roots: [any Restorable]) throws -> RestorableTree {
    let application = RestorableTree(roots: roots)
    _ = try application.restore(from: archive(), with: Resolver())
    return application
  }

  @Test("66: closing a live parent deletes the state that waits below it, and nothing else", arguments: [false, true])
  func behaviour66ClosesParents(_ savesBefore: Bool) throws {
    let other = SampleObject("other")
    let application = try Self.restored([SampleObject("window", children: [SampleObject("list")]), other])
    if savesBefore { #expect(try application.saved().paths().count == 7) }
    application.roots = [other]
    let preservation = try application.preserve(header: .sample)
    #expect(try ArchiveReader(#require(try preservation.archive)).paths() == ["other", "other/clock"])
    let closed: [RestorationPath] = ["window/calendar", "window/mail", "window/mail/draft"]
    #expect(preservation.report.notes.filter { $0.kind == .discarded }.map(\.path) == closed)
    #expect(preservation.report.notes(at: "window/mail/draft").first?.message == "the object at window was closed; its state is dropped")
    #expect(!preservation.report.isDegraded)
    let report = try #require(application.report)
    for path in closed {
      #expect(report.node(at: path)?.outcome == .skipped(.closed) && report.node(at: path)?.isCarriedOver == false)
    }
    #expect(report.why("window/mail") == "skipped: the object above it, or at its path, was closed; its state is discarded")
    // Discarding is reported once, and a reopened window finds no state.
    application.roots.append(SampleObject("window", values: ["w": 2]))
    let again = try application.preserve(header: .sample)
    #expect(again.report.notes.map(\.kind) == [.carriedOver])
    #expect(try ArchiveReader(#require(try again.archive)).paths() == ["other", "other/clock", "window"])
    #expect(application.register(List("mail"), at: "window/mail") == .none)
  }

  @Test("66: closing an object that appeared at the path of waiting state discards that state")
  func behaviour66ClosesObjectsThatTookNothing() throws {
    let window = SampleObject("window")
    let application = try Self.restored([window])
    window.children = [List("mail", values: ["x": 9])]
    #expect(try application.preserve(header: .sample).report.notes(at: "window/mail").map(\.kind) == [.superseded])
    window.children = []
    let preservation = try application.preserve(header: .sample)
    #expect(preservation.report.notes(at: "window/mail").map(\.kind) == [.discarded])
    #expect(
      try ArchiveReader(#require(try preservation.archive)).paths() == [
        "window", "window/calendar", "window/list", "other", "other/clock",
      ])
  }

  @Test("66: closing a registered object, also a late one, discards the state that waits below it", arguments: [false, true])
  func behaviour66ClosesRegistered(_ isLate: Bool) throws {
    let application = RestorableTree()
    var window: SampleObject? = SampleObject("window")
    if let window, !isLate { application.register(window) }
    _ = try application.restore(from: Self.archive(), with: Resolver())
    if let window, isLate { #expect(application.register(window) == .data) }
    #expect(try application.saved().paths().count == 7)
    if let window, isLate { application.unregister(window) }
    window = nil
    #expect(try application.saved().paths() == ["other", "other/clock"])
  }

  @Test("66: an object that was moved, never adopted or never present is not closed")
  func behaviour66KeepsWhatIsNotClosed() throws {
    let window = SampleObject("window"), other = SampleObject("other")
    let moved = try Self.restored([window, other])
    moved.roots = [other]
    other.children = [window]
    #expect(try moved.saved().state("other/window/mail") == ["x": 3])
    // The factory creates a window that the app never adds to its tree.
    let application = RestorableTree(roots: [other])
    _ = try application.restore(from: Self.archive(), with: Resolver { Factory(path: "window") { _ in SampleObject("window") } })
    #expect(try application.saved().state("window/mail") == ["x": 3])
    #expect(try application.saved().state("window/mail/draft") == ["y": 1])
    let never = try Self.restored([])
    for _ in 1...2 { #expect(try never.saved().paths().count == 7) }
  }

  @Test("66: nothing is closed during restoring")
  func behaviour66DuringRestoring() throws {
    let window = SampleObject("window")
    let application = RestorableTree(roots: [window])
    var during: [String] = []
    window.decoding = { _ in
      application.roots = []
      during = try application.saved().paths()
      application.roots = [window]
    }
    _ = try application.restore(from: Self.archive(), with: Resolver())
    #expect(during.contains("window/mail/draft"))
    #expect(try application.saved().paths().contains("window/mail/draft"))
  }

  @Test("67, R-3.5-5: carried-over state keeps its place among its siblings, launch after launch")
  func behaviour67KeepsPlaces() throws {
    var archive = try Self.archive()
    for _ in 1...3 {
      let application = RestorableTree(roots: [SampleObject("window", children: [SampleObject("list")]), SampleObject("other")])
      _ = try application.restore(from: archive, with: Resolver())
      archive = try application.saved()
      #expect(
        try archive.paths() == [
          "window", "window/calendar", "window/list", "window/mail", "window/mail/draft", "other", "other/clock",
        ])
      // The bytes equal those of the same tree written in order.
      #expect(try ArchiveTree(decoding: archive).encoded() == application.preserve(header: .sample).archive)
    }
    // The plug-in is available again, and the window gets its panels in order.
    let window = SampleObject("window", children: [SampleObject("list")])
    window.decoding = { coder in window.children = try coder.restoredChildren() }
    _ = try RestorableTree(roots: [window]).restore(
      from: archive, with: Resolver { Factory(type: "List") { List($0.identifier) } })
    #expect(window.children.map(\.restorationIdentifier) == ["calendar", "list", "mail"])
  }

  /// The children that a parent saves, given its previously saved children and its live ones.
  private static func order(saved: [String], live: [String]) throws -> [String] {
    let archive = try RestorableTree.saved([SampleObject("p", children: saved.map { SampleObject($0, values: ["x": 1]) })])
    let parent = SampleObject("p")
    let application = RestorableTree(roots: [parent])
    parent.children = saved.filter { $0.lowercased() == $0 }.map { SampleObject($0) }
    _ = try application.restore(from: archive, with: Resolver())
    let known = parent.children
    parent.children = live.map { name in known.first { $0.restorationIdentifier == name } ?? SampleObject(name, values: ["x": 2]) }
    let tree = try ArchiveTree(decoding: application.saved())
    return try #require(tree.nodes.first).children.map(\.identifier)
  }

  @Test("67: its place is after the nearest earlier sibling that still exists, or before all others")
  func behaviour67Rule() throws {
    // Upper-case siblings are waiting, lower-case ones are live.
    #expect(try Self.order(saved: ["a", "X", "b"], live: ["a", "b"]) == ["a", "X", "b"])
    #expect(try Self.order(saved: ["X", "a", "Y"], live: ["a"]) == ["X", "a", "Y"])
    #expect(try Self.order(saved: ["X", "Y", "a"], live: ["n", "a"]) == ["X", "Y", "n", "a"])
    #expect(try Self.order(saved: ["a", "X", "Y", "b"], live: ["b", "n", "a"]) == ["b", "n", "a", "X", "Y"])
    #expect(try Self.order(saved: ["a", "b", "X"], live: ["b", "a"]) == ["b", "X", "a"])
    #expect(try Self.order(saved: ["a", "b", "X", "c"], live: ["a", "c"]) == ["a", "X", "c"])
    #expect(try Self.order(saved: ["X"], live: ["n"]) == ["X", "n"])
  }

  @Test("67: registered objects, which are in no list of children, keep their places too; new ones come last")
  func behaviour67Registered() throws {
    let archive = try Self.archive()
    let list = SampleObject("list"), mail = List("mail"), new = SampleObject("new", values: ["x": 1])
    let window = SampleObject("window", children: [mail])
    let application = RestorableTree(roots: [window])
    for object in [new, list] {
      application.register(object, at: RestorationPath.application.appending("window").appending(object.restorationIdentifier ?? ""))
    }
    _ = try application.restore(from: archive, with: Resolver())
    #expect(
      try application.saved().paths() == [
        "window", "window/calendar", "window/list", "window/mail", "window/mail/draft", "window/new", "other", "other/clock",
      ])
  }

  @Test("67: an object without state keeps its place if a node below it needs it")
  func behaviour67KeepsPlacesOfEmptyParents() throws {
    let tree = ArchiveTree(nodes: [
      ArchiveNode("empty", children: [ArchiveNode("plug-in", state: ["x": 1])]), ArchiveNode("full", state: ["x": 1]),
    ])
    let application = RestorableTree(roots: [SampleObject("empty"), SampleObject("full")])
    _ = try application.restore(from: ArchiveReader(tree.encoded()), with: Resolver())
    #expect(try application.saved().paths() == ["empty", "empty/plug-in", "full"])
    // This also holds if an object registers below it, rather than state waiting there.
    let fresh = RestorableTree(roots: [SampleObject("empty"), SampleObject("full", values: ["x": 1])])
    try fresh.startFresh()
    let plugIn = SampleObject("plug-in", values: ["x": 1])
    fresh.register(plugIn, at: "empty/plug-in")
    #expect(try fresh.saved().paths() == ["empty", "empty/plug-in", "full"])
    withExtendedLifetime(plugIn) {}
  }

  @Test("67: placing siblings asks twice as many objects at most twice as often")
  func behaviour67Many() throws {
    #expect(try questionsForPlacing(5000) <= 2 * questionsForPlacing(2500))
  }

  /// Restores every second of the children of an object, saves them among the others, and returns the number of questions.
  private func questionsForPlacing(_ count: Int) throws -> Int {
    let (names, questions) = ((0..<count).map { "n\($0)" }, AskedObject.Questions())
    let archive = try RestorableTree.saved([SampleObject("p", children: names.map { SampleObject($0, values: ["x": 1]) })])
    let parent = AskedObject("p", questions)
    parent.children = names.enumerated().filter { $0.offset % 2 == 1 }.map { AskedObject($0.element, questions) }
    let application = RestorableTree(roots: [parent])
    _ = try application.restore(from: archive, with: Resolver())
    let tree = try ArchiveTree(decoding: application.saved())
    #expect(tree.nodes.first?.children.map(\.identifier) == names)
    return questions.count
  }

  @Test("66: closing an object below a waiting node discards the state that waits at the object's path")
  func behaviour66ClosesBelowWaitingNodes() throws {
    let window = SampleObject("window", children: [SampleObject("mail")])
    let application = RestorableTree(roots: [window])
    let resolver = try Resolver { Factory(path: "window", reusesLiveObject: false, deciding: { _ in .later }) }
    let report = try application.restore(from: Self.archive(), with: resolver)
    #expect(report.node(at: "window")?.outcome == .later && report.node(at: "window/mail")?.isCarriedOver == true)
    window.children = []
    let preservation = try application.preserve(header: .sample)
    #expect(preservation.report.notes(at: "window/mail").map(\.kind) == [.discarded])
    #expect(application.report?.node(at: "window/mail")?.outcome == .skipped(.closed))
    #expect(application.report?.node(at: "window/list")?.isCarriedOver == true)
  }

  @Test("59: state below a node whose quarantine has ended is still kept")
  func behaviour59EndsBelow() throws {
    let window = SampleObject("window", children: [SampleObject("list")])
    let application = RestorableTree(roots: [window])
    let options = RestorationOptions(quarantined: ["window"])
    let report = try application.restore(from: Self.archive(), with: Resolver(), options: options)
    #expect(report.node(at: "window/mail/draft")?.isCarriedOver == true)
    window.values["w"] = 2
    let preservation = try application.preserve(header: .sample)
    #expect(preservation.report.notes(at: "window").map(\.kind) == [.quarantineEnded])
    let saved = try ArchiveReader(#require(try preservation.archive)).paths().map { "\($0)" }
    let after = try #require(application.report)
    for node in after.nodes where node.isCarriedOver { #expect(saved.contains("\(node.path)"), "\(node.path)") }
    #expect(after.node(at: "window/mail/draft")?.isCarriedOver == true && after.node(at: "window")?.isCarriedOver == false)
  }

  @Test("60: a quarantined path follows aliases like its node, and affects no other node that an alias moves to an older name")
  func behaviour60FollowsAliases() throws {
    let archive = try RestorableTree.saved([
      SampleObject("old", children: [SampleObject("pane", values: ["v": 1])]), SampleObject("pane", values: ["v": 2]),
    ])
    let resolver = try Resolver {
      Alias("old", to: "new")
      Alias("old/pane", to: "pane")
      Alias("pane", to: "panes/first")
    }
    let application = RestorableTree(roots: [SampleObject("new")])
    let report = try application.restore(from: archive, with: resolver, options: RestorationOptions(quarantined: ["old/pane"]))
    #expect(report.node(at: "new/pane")?.outcome == .quarantined)
    #expect(report.node(at: "panes/first")?.outcome == .skipped(.noFactory))
  }

  @Test("90: state that an object did not take in is pinned when the object moves to another window, and so is what waits below it")
  func behaviour90Moves() throws {
    struct Bug: Error {}
    let archive = try RestorableTree.saved([
      SampleObject("draft", values: ["x": 1]), SampleObject("tab", values: ["x": 2], children: [SampleObject("plugin", values: ["x": 3])]),
    ])
    let draft = SampleObject("draft"), tab = SampleObject("tab"), window = RootList([draft, tab])
    draft.decoding = { _ in throw Bug() }
    let application = RestorableTree(roots: { window.objects })
    let report = try application.restore(from: archive, with: Resolver())
    #expect(report.node(at: "draft")?.isKept == true && report.node(at: "tab/plugin")?.isCarriedOver == true)
    #expect(try application.preserve(header: .sample).report.notes.allSatisfy { $0.kind == .carriedOver })
    // The user drags both to another window, which has an archive of its own.
    window.objects = []
    let moved = try application.preserve(header: .sample)
    #expect(moved.report.notes(at: "draft").map(\.kind) == [.superseded])
    #expect(moved.report.notes(at: "tab/plugin").map(\.kind) == [.superseded])
    #expect(application.report?.why("draft").contains("the file before is pinned") == true)
    #expect(try application.preserve(header: .sample).report.notes.isEmpty)
    withExtendedLifetime([draft, tab]) {}
  }

  private final class RootList {
    var objects: [SampleObject]
    init(_ objects: [SampleObject]) { self.objects = objects }
  }

  @Test("66: the state of a closed object is not saved again as the place of a registered object below it")
  func behaviour66Registered() throws {
    struct Bug: Error {}
    let saved = SampleObject("pane", values: ["x": 1], children: [SampleObject("list", values: ["x": 2])])
    let archive = try RestorableTree.saved([SampleObject("window", children: [saved])])
    let pane = SampleObject("pane"), list = SampleObject("list")
    pane.decoding = { _ in throw Bug() }
    let window = SampleObject("window", children: [pane])
    let application = RestorableTree(roots: [window])
    application.register(list, at: "window/pane/list")
    #expect(try application.restore(from: archive, with: Resolver()).node(at: "window/pane")?.isKept == true)
    window.children = []
    let preservation = try application.preserve(header: .sample)
    // The object lives on, perhaps in another window.
    #expect(preservation.report.notes(at: "window/pane").map(\.kind) == [.superseded])
    let next = try ArchiveReader(#require(try preservation.archive))
    #expect(try next.state("window/pane") == [:] && next.state("window/pane/list") == ["x": 2])
  }

  @Test("11, 66: a registered object that loses its path to another one was saved before: the file before is kept")
  func behaviour11Registered() throws {
    let window = SampleObject("window"), late = SampleObject("list", values: ["x": 1])
    let application = RestorableTree(roots: [window])
    try application.startFresh()
    application.register(late, at: "window/list")
    #expect(try application.saved().state("window/list") == ["x": 1])
    window.children = [SampleObject("list", values: ["x": 2])]
    let report = try application.preserve(header: .sample).report
    #expect(report.notes(at: "window/list").map(\.kind) == [.duplicate, .superseded] && report.isDegraded)
  }
}
