import EngineKit
import Foundation
@testable import StateRestoration
import Testing

/// Behaviours 76 to 90: a mistake of an app's own code costs no saved state.
///
/// Each test saves with a good build, restores and saves for some launches with a bad one, and restores with a good one.
@Suite struct KeptStateTests {
  // MARK: The app

  final class Draft: Restorable {
    static let restorationType = "Draft", restorationSchemaVersion = 1
    let restorationIdentifier: String?
    @Restored var text = ""
    @Restored var cursor = 0

    init(_ identifier: String, text: String = "", cursor: Int = 0) {
      restorationIdentifier = identifier
      (self.text, self.cursor) = (text, cursor)
    }
  }

  final class Window: Restorable {
    static let restorationType = "Window", restorationSchemaVersion = 1
    let restorationIdentifier: String? = "window"
    @Restored var title = ""
    var drafts: [any Restorable] = []
    var front: (any Restorable)?
    var decoding: ((Window, StateDecoder) throws -> Void)?
    var restorationChildren: [any Restorable] { drafts }

    init(title: String = "", drafts: [any Restorable] = []) {
      self.title = title
      self.drafts = drafts
    }

    func encodeRestorableState(with coder: StateEncoder) throws {
      try encodeRestoredProperties(with: coder)
      try coder.encode(reference: front, forKey: "front")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      if let decoding { return try decoding(self, coder) }
      drafts = try coder.restoredChildren()
      try decodeRestoredProperties(with: coder)
      front = try coder.decodeReferenceIfPresent(forKey: "front", as: (any Restorable).self)
    }
  }

  /// A window with two drafts; the second one is in front.
  private static func saved(by build: String = "1") throws -> ArchiveReader {
    let window = Window(title: "Mail", drafts: [Draft("a", text: "Dear Ann", cursor: 4), Draft("b", text: "Dear Bob", cursor: 5)])
    window.front = window.drafts[1]
    return try RestorableTree.saved([window])
  }

  private static func resolver() throws -> Resolver {
    try Resolver { Factory(Draft.self) { Draft($0.identifier) } }
  }

  /// Launches a build some times, each time saving what it restored, and returns the last archive.
  private static func launch(
    _ archive: ArchiveReader, _ count: Int, with resolver: Resolver, _ makeWindow: () -> Window,
    afterwards: (Window, RestorableTree) throws -> Void = { _, _ in }
  ) throws -> ArchiveReader {
    var archive = archive
    for _ in 0..<count {
      let window = makeWindow()
      let application = RestorableTree(roots: [window])
      _ = try application.restore(from: archive, with: resolver)
      try afterwards(window, application)
      archive = try application.saved()
    }
    return archive
  }

  /// Checks that the good build has everything back.
  private static func expectAll(
    _ archive: ArchiveReader, with resolver: Resolver? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let window = Window()
    let report = try RestorableTree(roots: [window]).restore(from: archive, with: resolver ?? Self.resolver())
    #expect(window.title == "Mail", sourceLocation: sourceLocation)
    let drafts = window.drafts.compactMap { $0 as? Draft }
    #expect(drafts.map(\.text) == ["Dear Ann", "Dear Bob"], sourceLocation: sourceLocation)
    #expect(drafts.map(\.cursor) == [4, 5], sourceLocation: sourceLocation)
    #expect(window.front === window.drafts.last, sourceLocation: sourceLocation)
    #expect(report.summary == "restored 3 of 3", sourceLocation: sourceLocation)
  }

  private struct Bug: Error {}

  // MARK: Failing decoding

  @Test("76: what a decode that throws did not take in is back with the build that decodes it", arguments: [1, 2, 10])
  func behaviour76Throws(_ launches: Int) throws {
    let archive = try Self.launch(
      Self.saved(), launches, with: Self.resolver(),
      {
        let window = Window()
        window.decoding = { window, coder in
          window.drafts = try coder.restoredChildren()
          throw Bug()
        }
        return window
      })
    try Self.expectAll(archive)
  }

  @Test("76: from the first change on the object's own state is saved, and the one before is reported at each save")
  func behaviour76Changes() throws {
    let window = Window(drafts: [])
    window.decoding = { _, _ in throw Bug() }
    let application = RestorableTree(roots: [window])
    let report = try application.restore(from: Self.saved(), with: Self.resolver())
    #expect(report.summary == "restored 0 of 3; 3 not: 1 failed, 2 not adopted; their state is kept")
    #expect(report.why("window") == "failed: Bug; its state is kept until the object at its path changes")
    #expect(report.node(at: "window")?.isKept == true && !report.isDegraded)
    var preservation = try application.preserve(header: .sample)
    #expect(preservation.report.notes.map(\.kind) == [.carriedOver, .carriedOver, .carriedOver])
    window.title = "New"
    for _ in 0..<2 {
      preservation = try application.preserve(header: .sample)
      #expect(preservation.report.notes(at: "window").map(\.kind) == [.superseded] && preservation.report.isDegraded)
    }
    let archive = try ArchiveReader(#require(try preservation.archive))
    #expect(try archive.decoder(at: "window").decode(String.self, forKey: "title") == "New")
    // What nobody has changed is still there.
    #expect(try archive.decoder(at: "window/a").decode(String.self, forKey: "text") == "Dear Ann")
    #expect(application.report?.isDegraded == true && application.report?.node(at: "window")?.isCarriedOver == false)
  }

  @Test("77: a property of the wrong type costs itself, not the others and not the children", arguments: [1, 2, 10])
  func behaviour77Properties(_ launches: Int) throws {
    var isRead = false
    let archive = try Self.launch(
      Self.saved(), launches, with: Self.resolver(),
      {
        let window = Window()
        window.decoding = { window, coder in
          // The natural order.
          let other = Mistaken()
          try coder.decodeRestoredProperties(of: other)
          window.drafts = try coder.restoredChildren()
          isRead = window.drafts.count == 2
        }
        return window
      })
    #expect(isRead)
    try Self.expectAll(archive)
  }

  final class Mistaken {
    @Restored var title = 7
  }

  @Test("77: a parent that throws before it asks for its children loses none of them, with edits of the others between")
  func behaviour77Children() throws {
    let archive = try Self.launch(
      Self.saved(), 3, with: Self.resolver(),
      {
        let window = Window()
        window.decoding = { _, coder in _ = try coder.decode(Bool.self, forKey: "title") }
        return window
      }, afterwards: { window, _ in window.drafts.append(Draft("new", text: "new")) })
    let window = Window()
    _ = try RestorableTree(roots: [window]).restore(from: archive, with: Self.resolver())
    #expect(window.title == "Mail")
    #expect(Set(window.drafts.compactMap { ($0 as? Draft)?.text }) == ["Dear Ann", "Dear Bob", "new"])
  }

  // MARK: Replaced and late objects

  @Test("78: the state of a child that its parent replaces while it decodes is kept beside the new one", arguments: [1, 2, 10])
  func behaviour78Replaced(_ launches: Int) throws {
    var sentence = ""
    let archive = try Self.launch(
      Self.saved(), launches, with: Resolver(),
      {
        let window = Window(drafts: [Draft("a"), Draft("b")])
        window.decoding = { window, coder in
          try window.decodeRestoredProperties(with: coder)
          // Rebuilt from a model.
          window.drafts = [Draft("a"), Draft("b")]
          window.front = try coder.decodeReference(forKey: "front", as: (any Restorable).self)
        }
        return window
      }, afterwards: { _, application in sentence = application.report?.why("window/a") ?? "" })
    #expect(sentence.contains("but not adopted") && sentence.contains("its state is kept until the object at its path changes"))
    try Self.expectAll(archive)
  }

  @Test("78: the state of a child that its parent drops while it decodes is kept, and reported; that of one closed later is not")
  func behaviour78Dropped() throws {
    var sentence = ""
    let archive = try Self.launch(
      Self.saved(), 2, with: Resolver(),
      {
        let window = Window(drafts: [Draft("a"), Draft("b")])
        window.decoding = { window, coder in
          try window.decodeRestoredProperties(with: coder)
          window.front = try coder.decodeReference(forKey: "front", as: (any Restorable).self)
          window.drafts = []
        }
        return window
      }, afterwards: { _, application in sentence = application.report?.why("window/a") ?? "" })
    #expect(sentence.contains("but not adopted") && sentence.contains("its state is carried over"), "\(sentence)")
    try Self.expectAll(archive)
    let closed = try Self.launch(archive, 1, with: Self.resolver(), { Window() }, afterwards: { window, _ in window.drafts.removeFirst() })
    #expect(try closed.paths() == ["window", "window/b"])
  }

  @Test("79: an object that joins later and registers gets its state; one that only joins is saved, and the state is reported")
  func behaviour79Late() throws {
    let resolver = try Resolver { Factory(Draft.self) { _ in nil } }
    func launched() throws -> (RestorableTree, Window) {
      let window = Window()
      let application = RestorableTree(roots: [window])
      _ = try application.restore(from: Self.saved(), with: resolver)
      return (application, window)
    }
    let (application, window) = try launched()
    let draft = Draft("a")
    window.drafts.append(draft)
    #expect(application.register(draft, at: "window/a") == .data && draft.text == "Dear Ann")
    let (other, second) = try launched()
    second.drafts.append(Draft("a"))
    #expect(try other.preserve(header: .sample).report.notes(at: "window/a").map(\.kind) == [.superseded])
  }

  @Test("90: kept state follows its object, and not a position in a list")
  func behaviour90Follows() throws {
    let archive = try RestorableTree.saved([
      Window(title: "Mail", drafts: [Draft("0", text: "first"), Draft("1", text: "second")])
    ])
    let window = Window()
    let application = RestorableTree(roots: [window])
    final class Failing: SampleObject {
      override class var restorationType: String { "Draft" }
      override class var restorationSchemaVersion: Int { 1 }
    }
    let resolver = try Resolver {
      Factory(type: "Draft") { node in
        let object = Failing(node.identifier)
        object.decoding = { _ in throw Bug() }
        return object
      }
    }
    _ = try application.restore(from: archive, with: resolver)
    // The first one is closed, and the second one moves to its place.
    window.drafts.removeFirst()
    (window.drafts.first as? SampleObject)?.restorationIdentifier = "0"
    let saved = try application.saved()
    #expect(try saved.state("window/0")?["text"] == "second" && saved.paths() == ["window", "window/0"])
  }

  // MARK: Types and versions

  @Test("80: the state of a renamed type is kept, and restored by an alias of the type", arguments: [1, 2, 10])
  func behaviour80Renamed(_ launches: Int) throws {
    let wrong = try Resolver { Factory(type: "Draft") { List($0.identifier) } }
    let archive = try Self.launch(Self.saved(), launches, with: wrong, { Window() })
    try Self.expectAll(archive)
    let report = try RestorableTree(roots: [Window()]).restore(
      from: archive,
      with: Resolver {
        Alias(type: "Draft", to: "List")
        Factory(type: "List") { List($0.identifier) }
      })
    #expect(report.node(at: "window/a")?.outcome != .notDecoded(.otherType))
  }

  @Test("80: an upgrade can change the type of a node, and upgrades of the new type follow")
  func behaviour80Split() throws {
    let archive = try RestorableTree.saved([Editor("note", values: ["x": 1]), Editor("list", values: ["rows": 3])])
    let resolver = try Resolver {
      Upgrade(type: "Editor", from: 2, to: 3) { state in if state["rows"] != nil { state.changeType(to: "List", schemaVersion: 0) } }
      Upgrade(type: "List", from: 0, to: 1) { $0.rename("rows", to: "count") }
    }
    var found: [String?] = []
    let application = RestorableTree(roots: [])
    let report = try application.restore(
      from: archive,
      with: Resolver {
        Upgrade(type: "Editor", from: 2, to: 3) { state in if state["rows"] != nil { state.changeType(to: "List", schemaVersion: 0) } }
        Upgrade(type: "List", from: 0, to: 1) { $0.rename("rows", to: "count") }
        Factory(path: "*") { node in
          found.append("\(node.type ?? "-").\(node.schemaVersion) \(try node.decoder().allKeys)")
          return nil
        }
      })
    #expect(found == ["Editor.3 [\"x\"]", "List.1 [\"count\"]"])
    #expect(report.node(at: "list")?.type == "List")
    #expect(ArchiveResolution(of: archive, with: resolver).nodes.map(\.type) == ["Editor", "List"])
  }

  @Test("80: upgrades that change a type round in a circle fail, and the state is kept")
  func behaviour80Circle() throws {
    let archive = try RestorableTree.saved([Editor("note", values: ["x": 1])])
    let application = RestorableTree(roots: [Editor("note")])
    let report = try application.restore(
      from: archive,
      with: Resolver {
        Upgrade(type: "Editor", from: 2, to: 3) { $0.changeType(to: "List", schemaVersion: 0) }
        Upgrade(type: "List", from: 0, to: 1) { $0.changeType(to: "Editor", schemaVersion: 2) }
      })
    #expect(report.node(at: "note")?.error?.contains("round in a circle") == true)
    #expect(try application.saved().state("note") == ["x": 1])
  }

  @Test("80: a node that was saved before its class had a type counts as version 0")
  func behaviour80Untyped() throws {
    let archive = try RestorableTree.saved([SampleObject("note", values: ["v": 1])])
    let note = Editor("note")
    let application = RestorableTree(roots: [note])
    let report = try application.restore(
      from: archive, with: Resolver { Upgrade(type: "Editor", from: 0, to: 2) { $0.rename("v", to: "w") } })
    #expect(note.values == ["w": 1] && report.summary == "restored 1 of 1")
  }

  @Test("81: a version without an upgrade is said, and the state is kept; a decode that asks for the version reads it by itself")
  func behaviour81Speaks() throws {
    let archive = try RestorableTree.saved([Editor("note", values: ["x": 1])])
    final class Newer: SampleObject {
      override class var restorationType: String { "Editor" }
      override class var restorationSchemaVersion: Int { 3 }
    }
    let note = Newer("note")
    let application = RestorableTree(roots: [note])
    let report = try application.restore(from: archive, with: Resolver())
    #expect(report.summary == "restored 0 of 1; 1 not: 1 without an upgrade; its state is kept")
    #expect(
      report.why("note")
        == "found as an existing object and restored, without an upgrade: saved with schema version 2, and no upgrade leads to version 3; add Upgrade(type: \"Editor\", from: 2, to: 3) { state in … }; its state is kept until the object at its path changes"
    )
    #expect(note.values == ["x": 1] && note.finished == [.failed])
    #expect(try application.saved().node(at: "note")?.schemaVersion == 2)
    let asking = Newer("note")
    asking.decoding = { coder in if coder.schemaVersion == 2 { asking.values["x"] = try coder.decode(Int.self, forKey: "x") } }
    let second = try RestorableTree(roots: [asking]).restore(from: archive, with: Resolver())
    #expect(second.summary == "restored 1 of 1")
  }

  @Test("81: upgrades that do not lead to the version of the class are a mistake of the registration")
  func behaviour81Registration() throws {
    // The version was not raised.
    #expect {
      try Resolver { Upgrade(Draft.self, from: 1, to: 2) { _ in } }
    } throws: { error in
      "\(error)".contains("the upgrades of type \"Draft\" lead to version 2, and the restorationSchemaVersion of its class is 1")
    }
    #expect(throws: ResolverError.self) {
      try Resolver {
        Factory(Draft.self) { Draft($0.identifier) }
        Upgrade(type: "Draft", from: 0, to: 3) { _ in }
      }
    }
    _ = try Resolver { Upgrade(Draft.self, from: 0, to: 1) { _ in } }
  }

  // MARK: References

  @Test("82: a reference survives the absence of its target", arguments: [1, 2, 10])
  func behaviour82References(_ launches: Int) throws {
    // The plug-in of the drafts is missing.
    let archive = try Self.launch(Self.saved(), launches, with: Resolver(), { Window() })
    try Self.expectAll(archive)
    // Quarantined.
    let window = Window()
    let application = RestorableTree(roots: [window])
    _ = try application.restore(from: archive, with: Self.resolver(), options: RestorationOptions(quarantined: ["window/b"]))
    #expect(window.front == nil)
    try Self.expectAll(application.saved())
    // What is discarded is referred to no more.
    let other = RestorableTree(roots: [Window()])
    _ = try other.restore(from: archive, with: Resolver())
    #expect(other.discardState(at: "window/b"))
    #expect(try other.saved().decoder(at: "window").decodePath(forKey: "front") == nil)
  }

  // MARK: Aliases

  /// The new build had saved "new" with children; the old build carried that over, and saved "old" after it.
  private static func twoNodes(_ children: [ArchiveNode] = []) throws -> ArchiveReader {
    let origin = ArchiveOrigin(bundleVersion: "2", timestamp: Date(timeIntervalSinceReferenceDate: 1))
    let nodes = [ArchiveNode("new", origin: origin, state: ["x": 1], children: children), ArchiveNode("old", state: ["x": 2])]
    return try ArchiveReader(ArchiveTree(header: .sample, nodes: nodes).encoded())
  }

  @Test("84: of two nodes for one path the one that a live object has saved last wins, and the other is reported")
  func behaviour84Newest() throws {
    let object = SampleObject("new")
    let application = RestorableTree(roots: [object])
    let report = try application.restore(from: Self.twoNodes(), with: Resolver { Alias("old", to: "new") })
    #expect(object.values == ["x": 2])
    #expect(report.nodes.map(\.outcome) == [.skipped(.superseded), .located])
    #expect(try application.preserve(header: .sample).report.notes(at: "new").map(\.kind) == [.superseded])
  }

  @Test("84, 79: paths below the node that lost its own are kept beside the objects there, and restored late", arguments: [false, true])
  func behaviour84Below(_ setsAside: Bool) throws {
    let page = SampleObject("page"), other = SampleObject("other", values: ["z": 1]), deep = SampleObject("deep")
    let object = SampleObject("new", children: [page, other]), late = SampleObject("late", children: [deep])
    let archive = try Self.twoNodes([
      ArchiveNode("page", state: ["y": 1]), ArchiveNode("late", state: ["y": 2], children: [ArchiveNode("deep", state: ["y": 3])]),
    ])
    let application = RestorableTree(roots: [object])
    let report = try application.restore(from: archive, with: Resolver { Alias("old", to: "new") })
    #expect(report.node(at: "new/page")?.isKept == true)
    if setsAside {
      #expect(try application.setAside(other))
      object.children.removeLast()
    }
    #expect(try application.saved().state("new/page") == ["y": 1])
    page.values = ["y": 4]
    let preservation = try application.preserve(header: .sample)
    #expect(preservation.report.notes(at: "new/page").map(\.kind) == [.superseded])
    #expect(try ArchiveReader(#require(try preservation.archive)).state("new/page") == ["y": 4])
    object.children.append(late)
    #expect(application.restoreState(of: late) == .data && late.values == ["y": 2] && deep.values == ["y": 3])
  }

  @Test("a stack that ends at a gap goes on after a page that was set aside")
  func setAsideIsNoGap() throws {
    final class Stack: Restorable {
      let restorationIdentifier: String? = "stack"
      var pages: [Draft] = []
      var restorationChildren: [any Restorable] { pages }
      func decodeRestorableState(with coder: StateDecoder) throws { pages = try coder.restoredChildren(endsAtGap: true) }
    }
    let stack = Stack()
    stack.pages = ["list", "ann", "bob"].map { Draft($0, text: $0) }
    let application = RestorableTree(roots: [stack])
    try application.startFresh()
    #expect(try application.setAside(stack.pages[1]))
    stack.pages.remove(at: 1)
    let again = Stack()
    let resolver = try Resolver { Factory(type: "Draft") { Draft($0.identifier) } }
    _ = try RestorableTree(roots: [again]).restore(from: application.saved(), with: resolver)
    #expect(again.pages.map(\.text) == ["list", "bob"])
  }

  @Test("state that an object which comes late does not take in is reported")
  func reportsLateFailures() throws {
    let application = RestorableTree(roots: [SampleObject("root")])
    var lines: [String] = []
    application.reportKept = { lines.append($0) }
    _ = try application.restore(from: ArchiveReader.ofPlugin(), with: Resolver())
    let plugin = List("plugin")
    plugin.decoding = { _ in throw Bug() }
    #expect(application.register(plugin, at: "root/plugin") == .failed)
    #expect(lines.count == 1 && lines[0].hasPrefix("saved state was not taken in, and is kept: root/plugin: failed: "))
  }

  @Test("@Restored properties that the encoding of a class leaves out are reported, once for the class")
  func reportsPropertiesNotEncoded() throws {
    class Panel: RestorableObject { @Restored var width = 3 }
    final class Forgetful: Panel {
      @Restored var draft = ""
      @Restored("k") var kept = 0
      override func encodeRestorableState(with coder: StateEncoder) throws { try coder.encode(kept, forKey: "k") }
    }
    final class Careful: Panel {
      override func encodeRestorableState(with coder: StateEncoder) throws {
        try coder.encode(1, forKey: "own")
        try super.encodeRestorableState(with: coder)
      }
    }
    final class ByHand: Panel {
      override func encodeRestorableState(with coder: StateEncoder) throws { try coder.encode(width, forKey: "width") }
    }
    let roots = ["a", "b"].map { Forgetful(restorationIdentifier: $0) }
    let others = [Careful(restorationIdentifier: "c"), ByHand(restorationIdentifier: "d"), Panel(restorationIdentifier: "e")]
    let application = RestorableTree(roots: roots + others)
    try application.startFresh()
    let expected =
      "a: Forgetful.encodeRestorableState(with:) leaves out its @Restored \"width\", \"draft\": "
      + "call super there, or encodeRestoredProperties(with:)"
    for _ in 0..<2 { #expect(try application.preserve(header: .sample).report.notes.map(\.description) == [expected]) }
  }

  @Test("children in a @RestoredChildren property that restorationChildren does not return are reported")
  func reportsChildrenNotReturned() throws {
    final class Window: Restorable {
      let restorationIdentifier: String? = "window"
      @RestoredChildren var tabs: [Draft] = []
    }
    let window = Window()
    let application = RestorableTree(roots: [window])
    try application.startFresh()
    #expect(try application.preserve(header: .sample).report.notes.isEmpty)
    window.tabs = [Draft("a")]
    let notes = try application.preserve(header: .sample).report.notes(at: "window")
    #expect(
      notes.map(\.description)
        == ["window: its @RestoredChildren are not saved: return them in restorationChildren of Window too"])
  }

  // MARK: Application state

  @Test("89: failed application state is kept until the delegate's state changes")
  func behaviour89Failed() throws {
    let good = SampleDelegate()
    good.encoding = { try $0.encode("dark", forKey: "theme") }
    let archive = try RestorableTree.saved([], delegate: good)
    let bad = SampleDelegate()
    bad.decoding = { _ in throw Bug() }
    let application = RestorableTree(delegate: bad)
    let report = try application.restore(from: archive, with: Resolver())
    #expect(report.summary == "restored 0 of 1; 1 not: the application state; its state is kept")
    let saved = try application.saved()
    #expect(try saved.application().state()["theme"] == .string("dark"))
    bad.encoding = { try $0.encode("light", forKey: "theme") }
    let preservation = try application.preserve(header: .sample)
    #expect(preservation.report.notes(at: .application).map(\.kind) == [.superseded])
    #expect(try ArchiveReader(#require(try preservation.archive)).application().state()["theme"] == .string("light"))
  }

  @Test("89: the delegate decides even if its state is quarantined, which the summary counts")
  func behaviour89Quarantined() throws {
    let delegate = SampleDelegate()
    delegate.encoding = { try $0.encode("dark", forKey: "theme") }
    let archive = try RestorableTree.saved([SampleObject("a", values: ["x": 1])], delegate: delegate)
    var keys: [[String]] = []
    delegate.restoring = { coder, _ in
      keys.append(coder.allKeys)
      return .restore
    }
    let application = RestorableTree(roots: [SampleObject("a")], delegate: delegate)
    let report = try application.restore(from: archive, with: Resolver(), options: RestorationOptions(quarantined: [.application]))
    #expect(keys == [[]])
    #expect(report.summary == "restored 1 of 2; 1 not: the application state; its state is kept")
  }

  // MARK: Ages

  @Test("88: a timestamp in the future is no age")
  func behaviour88Future() throws {
    let archive = try RestorableTree.saved([SampleObject("a", values: ["x": 1])], header: .at(build: "1", seconds: 1e9))
    let now = Date(timeIntervalSinceReferenceDate: 0)
    let report = try RestorableTree(roots: [SampleObject("a")]).restore(
      from: archive, with: Resolver(), options: .init(launch: LaunchContext(now: now), policy: .maximumAge(.seconds(60))))
    #expect(report.decision == .restore)
  }

  // MARK: Leaving and coming back

  @Test("86: a tab that moves to another window while the app ends is saved there alone")
  func behaviour86Moved() throws {
    let tab = SampleObject("tab", values: ["x": 1])
    let (left, right) = (SampleObject("window", children: [tab]), SampleObject("window"))
    let trees = [left, right].map { RestorableTree(roots: [$0]) }
    for (tree, other) in zip(trees, trees.reversed()) {
      tree.others = { [unowned other] in [(.application, other)] }
      try tree.startFresh()
      tree.beginEnding()
    }
    left.children = []
    right.children = [tab]
    let saved = try trees.map { try $0.saved().node(at: "window/tab") }
    #expect(saved[0] == nil && saved[1] != nil)
    // The other window is disconnected, and this one is captured once more.
    trees[0].others = { [] }
    left.values["y"] = 1
    #expect(try trees[0].saved().node(at: "window/tab") == nil)
  }

  @Test("86: what two windows have had before the app ends is saved in both", arguments: [false, true])
  func behaviour86Shared(_ isEmptied: Bool) throws {
    let tab = SampleObject("tab", values: ["x": 1])
    let windows = (0..<2).map { _ in SampleObject("window", children: [tab]) }
    let trees = windows.map { RestorableTree(roots: [$0]) }
    for (tree, other) in zip(trees, trees.reversed()) {
      tree.others = { [unowned other] in [(.application, other)] }
      try tree.startFresh()
    }
    for tree in trees { tree.beginEnding() }
    if isEmptied { windows[0].children = [] }
    #expect(try trees.map { try $0.saved().node(at: "window/tab") != nil } == [true, true])
  }

  @Test("86: what goes away after the app said that it is ending is saved as still there; what is added then is saved too")
  func behaviour86Ending() throws {
    let window = Window(title: "Mail", drafts: [Draft("a", text: "Dear Ann", cursor: 4), Draft("b", text: "Dear Bob", cursor: 5)])
    window.front = window.drafts[1]
    let application = RestorableTree(roots: [window])
    try application.startFresh()
    application.beginEnding()
    application.roots = []
    window.drafts = []
    try Self.expectAll(application.saved())
    window.drafts = [Draft("c", text: "new")]
    #expect(try application.saved().paths() == ["window", "window/a", "window/b", "window/c"])
    application.cancelEnding()
    #expect(try application.saved().paths() == [])
  }

  @Test("86: an object that moves while the app ends is saved once")
  func behaviour86Moves() throws {
    let first = SampleObject("1", children: [SampleObject("x", values: ["v": 1])]), second = SampleObject("2")
    let application = RestorableTree(roots: [first, second])
    try application.startFresh()
    application.beginEnding()
    second.children = first.children
    first.children = []
    #expect(try application.saved().paths() == ["2", "2/x"])
  }

  @Test("R-3.5-7: an object that is set aside comes back with its state, in the same process and after restarts", arguments: [0, 1, 2, 10])
  func setsAside(_ launches: Int) throws {
    let window = Window(title: "Mail", drafts: [Draft("a", text: "Dear Ann", cursor: 4), Draft("b", text: "Dear Bob", cursor: 5)])
    var application = RestorableTree(roots: [window])
    try application.startFresh()
    #expect(try application.setAside(window.drafts[1]))
    window.drafts.removeLast()
    var archive = try application.saved()
    #expect(try archive.paths() == ["window", "window/a", "window/b"])
    var current = window
    for _ in 0..<launches {
      current = Window()
      application = RestorableTree(roots: [current])
      let report = try application.restore(from: archive, with: Self.resolver())
      #expect(report.node(at: "window/b")?.outcome == .later && current.drafts.count == 1)
      archive = try application.saved()
    }
    let back = Draft("b")
    current.drafts.append(back)
    #expect(application.restoreState(of: back) == .data)
    #expect(back.text == "Dear Bob" && back.cursor == 5)
    #expect(application.restoreState(of: back) == .none)
    let saved = try application.saved()
    #expect(try saved.node(at: "window/b")?.attributes().isEmpty == true)
    // Closed now.
    current.drafts.removeLast()
    #expect(try application.saved().paths() == ["window", "window/a"])
  }

  @Test("what is set aside below an object goes with it; closing the one above deletes it; one that stays was not set aside")
  func setsAsideTrees() throws {
    let pane = SampleObject("pane", values: ["p": 1], children: [List("list", values: ["l": 1])])
    let window = SampleObject("window", children: [pane])
    let application = RestorableTree(roots: [window])
    try application.startFresh()
    #expect(try application.setAside(pane))
    #expect(try application.saved().node(at: "window/pane")?.hasAttributes == false)
    #expect(try application.setAside(pane))
    window.children = []
    #expect(try application.saved().paths() == ["window", "window/pane", "window/pane/list"])
    let again = SampleObject("pane", children: [List("list")])
    window.children = [again]
    #expect(application.restoreState(of: again) == .data)
    #expect(again.values == ["p": 1] && (again.children.first as? List)?.values == ["l": 1])
    #expect(try application.setAside(again))
    window.children = []
    _ = try application.saved()
    application.roots = []
    #expect(try application.saved().paths() == [])
    #expect(try !application.setAside(SampleObject("elsewhere")))
    #expect(application.report == nil)
  }

  // MARK: Running apps

  @Test("83: an archive restored into a running app keeps the children that it lacks, after its own")
  func behaviour83Merges() throws {
    let window = Window(drafts: [])
    let application = RestorableTree(roots: [window])
    try application.startFresh()
    window.drafts = [Draft("a", text: "newer"), Draft("z", text: "newest")]
    _ = try application.restore(
      from: Self.saved(), with: Self.resolver(), options: RestorationOptions(), isAgain: true)
    #expect(window.drafts.compactMap { ($0 as? Draft)?.text } == ["Dear Ann", "Dear Bob", "newest"])
  }

  @Test("88, R-3.5-6, R-3.5-8: a clock that is wrong once ends nothing; two launches in a row end what is too old, and say so")
  func behaviour88Clock() throws {
    let day = 86_400.0
    func launch(_ archive: ArchiveReader, days: Double) throws -> (ArchiveReader, PreservationReport, RestorationReport) {
      let application = RestorableTree(roots: [])
      let now = Date(timeIntervalSinceReferenceDate: days * day)
      let report = try application.restore(from: archive, with: Resolver(), options: .init(launch: LaunchContext(now: now)))
      let preservation = try application.preserve(header: .at(build: "1", seconds: days * day))
      return (try ArchiveReader(#require(try preservation.archive)), preservation.report, report)
    }
    let start = try RestorableTree.saved([SampleObject("a", values: ["x": 1])], header: .at(build: "1", seconds: 0))
    // Two years ahead, once, and then right again.
    var archive = start
    for days in [730.0, 1, 730, 2, 731, 3] { archive = try launch(archive, days: days).0 }
    #expect(try archive.state("a") == ["x": 1] && archive.node(at: "a")?.hasAttributes == false)
    // Ten years behind, once, while the object was there.
    var header = ArchiveHeader.at(build: "1", seconds: -3650 * day)
    header.laterSave = Date(timeIntervalSinceReferenceDate: 0)
    var behind = try RestorableTree.saved([SampleObject("a", values: ["x": 1])], header: header)
    for days in [1.0, 2, 3] { behind = try launch(behind, days: days).0 }
    #expect(try behind.state("a") == ["x": 1])
    let late = try launch(archive, days: 400)
    #expect(try late.0.node(at: "a") != nil && !late.1.isDegraded)
    let last = try launch(late.0, days: 401)
    #expect(last.2.node(at: "a")?.outcome == .skipped(.expired) && last.2.isDegraded)
    #expect(try last.0.node(at: "a") == nil)
  }

  // MARK: Mistakes that the report explains

  @Test("a class whose encodeRestorableState(with:) has another name is noted at the next launch, once for each type")
  func notesEmptyStates() throws {
    class Mistyped: Restorable {
      class var restorationType: String { "Mistyped" }
      let restorationIdentifier: String?
      var text = ""
      init(_ identifier: String) { restorationIdentifier = identifier }
      func encodeRestorableStates(with coder: StateEncoder) throws { try coder.encode(text, forKey: "text") }
      func decodeRestorableState(with coder: StateDecoder) throws {
        text = try coder.decode(String.self, forKey: "text", default: "")
        _ = try coder.decodeIfPresent(Int.self, forKey: "cursor")
      }
    }
    final class Silent: Restorable {
      let restorationIdentifier: String? = "silent"
    }
    let roots: [any Restorable] = [Mistyped("a"), Mistyped("b"), Silent(), Draft("draft")]  // nothing is saved of Silent
    let report = try RestorableTree(roots: roots).restore(from: RestorableTree.saved(roots), with: Resolver())
    #expect(report.notes.map(\.kind) == [.emptyState] && !report.isDegraded)
    #expect(report.summary == "restored 3 of 3")
    #expect(
      report.notes.first?.description
        == "a: nothing was saved of its state, but it reads \"cursor\", \"text\"; was it saved by a class whose "
        + "encodeRestorableState(with:) has another name?")
  }

  @Test("a class whose decodeRestorableState(with:) has another name is noted, once for each type, unless its factory reads the state")
  func notesUnreadStates() throws {
    class Mistyped: Restorable {
      class var restorationType: String { "Mistyped" }
      let restorationIdentifier: String?
      var text = ""
      init(_ identifier: String) { restorationIdentifier = identifier }
      func encodeRestorableState(with coder: StateEncoder) throws { try coder.encode(text, forKey: "text") }
      func decodeRestorableStates(with coder: StateDecoder) throws { text = try coder.decode(String.self, forKey: "text") }
    }
    final class Made: Mistyped {
      override class var restorationType: String { "Made" }
    }
    final class Keeping: Restorable {
      static let keepsUnknownKeys = true
      static let restorationType = "Keeping"
      let restorationIdentifier: String? = "keeping"
      func encodeRestorableState(with coder: StateEncoder) throws { try coder.encode(1, forKey: "x") }
    }
    let saved = try RestorableTree.saved([Mistyped("a"), Mistyped("b"), Made("made"), Draft("draft"), Keeping()])
    let made = Made("made")
    var roots: [any Restorable] = [Mistyped("a"), Mistyped("b"), Draft("draft"), Keeping()]
    let resolver = try Resolver {
      Factory(type: "Made") { node in
        made.text = try node.decode(String.self, forKey: "text")
        roots.append(made)
        return made
      }
    }
    let report = try RestorableTree(roots: { roots }).restore(from: saved, with: resolver)
    #expect(report.notes.map(\.kind) == [.unread] && !report.isDegraded)
    #expect(report.summary == "restored 5 of 5")
    #expect(
      report.notes.first?.description
        == "a: nothing has read the saved key \"text\"; has the decodeRestorableState(with:) of its class another name?")
  }

  @Test("77: a property whose type has changed names the upgrade to add")
  func namesUpgrade() throws {
    final class NewDraft: Restorable {
      static let restorationType = "Draft", restorationSchemaVersion = 1
      let restorationIdentifier: String? = "a"
      @Restored var text = 0
    }
    let report = try RestorableTree(roots: [NewDraft()]).restore(from: RestorableTree.saved([Draft("a", text: "Ann")]), with: Resolver())
    let upgrade = "Upgrade(type: \"Draft\", from: 1, to: 2) { state in state.transform(\"text\") { … } }"
    #expect(report.why("a").contains("; if its type has changed, add \(upgrade); its state is kept"))
  }

  @Test("77: a value that lacks a field names the call that takes a default")
  func namesDefault() throws {
    struct Old: Codable { let x: Int }
    struct New: Codable { let x, y: Int }
    let saved = SampleObject("a"), object = SampleObject("a")
    saved.encoding = { try $0.encode(Old(x: 1), forKey: "size") }
    object.decoding = { _ = try $0.decode(New.self, forKey: "size") }
    let report = try RestorableTree(roots: [object]).restore(from: RestorableTree.saved([saved]), with: Resolver())
    let remedy = "; if an older build has saved the value without it, give the type an init(from:) that uses decodeIfPresent; "
    #expect(report.why("a").contains(remedy))
  }

  @Test("76: an object beside which state is kept, and which cannot be encoded, is reported at every save")
  func reportsUnencodableBesideKeptState() throws {
    struct Refusal: Error {}
    let archive = try Self.saved()
    let window = Window()
    window.decoding = { _, _ in throw Refusal() }
    let (delegate, draft) = (SampleDelegate(), SampleObject("window"))
    draft.decoding = { _ in throw Refusal() }
    let tree = RestorableTree(roots: [draft], delegate: delegate)
    _ = try tree.restore(from: archive, with: Self.resolver())
    tree.endFirstTurn()
    draft.encoding = { _ in throw Refusal() }
    for _ in 0..<2 {
      let preservation = try tree.preserve(header: .sample)
      #expect(preservation.report.notes(at: "window").contains { $0.kind == .keptPrevious && $0.message.contains("is not saved: Refusal") })
      let saved = try ArchiveReader(#require(try preservation.archive))
      #expect(try saved.node(at: "window")?.type == "Window")
    }
  }

  @Test("79: state beside an object that only restoring has kept alive is not replaced by the next object at its path")
  func keepsStateBesideDropped() throws {
    let archive = try RestorableTree.saved([SampleObject("window", children: [SampleObject("panel", values: ["x": 1])])])
    let tree = RestorableTree(roots: [SampleObject("window")])
    var panel: SampleObject? = SampleObject("panel")
    tree.register(try #require(panel), at: "window/panel")
    // The app lets it go while the engine looks at it.
    panel?.encoding = { _ in panel = nil }
    _ = try tree.restore(from: archive, with: Resolver(), options: RestorationOptions(quarantined: ["window/panel"]))
    #expect(panel == nil)
    let next = SampleObject("panel")
    tree.register(next, at: "window/panel")
    #expect(try tree.saved().node(at: "window/panel")?.state() == ["x": 1])
    next.values["x"] = 2
    #expect(try tree.saved().node(at: "window/panel")?.state() == ["x": 2])
  }

  @Test("76: an object whose saved state is damaged is saved as it is, with its type, and the file is pinned", arguments: [false, true])
  func savesBesideDamage(_ hasChild: Bool) throws {
    let draft = TypedTab("tab", children: hasChild ? [SampleObject("pane", values: ["y": 2])] : [])
    draft.encoding = { try $0.encode(String(repeating: "x", count: 20_000), forKey: "text") }
    let tree = RestorableTree(roots: [draft])
    try tree.startFresh()
    var bytes = [UInt8](try #require(try tree.preserve(header: .sample).archive))
    bytes[10_000] ^= 0xFF
    let tab = TypedTab("tab", values: ["own": 1], children: hasChild ? [SampleObject("pane")] : [])
    let next = RestorableTree(roots: [tab])
    let report = try next.restore(from: ArchiveReader(inspecting: bytes), with: Resolver())
    #expect(report.node(at: "tab")?.outcome == .failed, "\(report)")
    let preservation = try next.preserve(header: .sample)
    #expect(preservation.report.notes(at: "tab").contains { $0.kind == .superseded })
    let saved = try ArchiveReader(#require(try preservation.archive))
    #expect(try saved.node(at: "tab")?.type == "Tab" && saved.state("tab") == ["own": 1])
    if hasChild { #expect(try saved.node(at: "tab/pane")?.state() == ["y": 2]) }
  }

  @Test("78: the child of a late object that throws is kept, also if the object came while others were told that they have no state")
  func keepsTheChildrenOfLateObjects() throws {
    struct Refusal: Error {}
    final class Greeter: SampleObject {
      var told: (() -> Void)?
      override func applicationFinishedRestoringState(_ state: RestoredState) { told?() }
    }
    let archive = try RestorableTree.saved([SampleObject("panel", children: [TypedTab("tab", values: ["x": 1])])])
    let (greeter, panel) = (Greeter("greeter"), SampleObject("panel"))
    panel.decoding = { _ in throw Refusal() }
    let tree = RestorableTree(roots: [greeter])
    greeter.told = { tree.register(panel, at: "panel") }
    let resolver = try Resolver {
      Factory(path: "panel") { _ -> FactoryResult in .later }
      Factory(type: "Tab") { TypedTab($0.identifier) }
    }
    let report = try tree.restore(from: archive, with: resolver)
    #expect(report.node(at: "panel")?.outcome == .failed && report.node(at: "panel/tab")?.outcome == .notAdopted, "\(report)")
    #expect(try tree.saved().node(at: "panel/tab")?.state() == ["x": 1])
  }

  @Test("a coder that is used after restoring, and a registration before state is refused, keep no object alive", arguments: [false, true])
  func keepsNothingAlive(_ isRefused: Bool) throws {
    let archive = try RestorableTree.saved([SampleObject("window", values: ["x": 1]), SampleObject("panel", values: ["x": 1])])
    let (window, delegate) = (SampleObject("window"), SampleDelegate())
    var coder: StateDecoder?
    window.decoding = { coder = $0 }
    let tree = RestorableTree(roots: [window], delegate: delegate)
    var panel: SampleObject? = SampleObject("panel", values: ["x": 2])
    weak var leftPanel: SampleObject?
    leftPanel = panel
    if !isRefused { tree.register(try #require(panel), at: "panel") }
    delegate.restoring = { _, _ in
      if isRefused { panel.map { _ = tree.register($0, at: "panel") } }
      return isRefused ? .notNow : .restore
    }
    _ = try tree.restore(from: archive, with: Resolver())
    // What follows is written by apps that show a part of their state later.
    if let coder { #expect(try coder.restoredObject(at: "panel", forKey: "front") === panel) }
    let saved = try withExtendedLifetime(panel) { try tree.saved() }
    #expect(try saved.node(at: "panel") != nil)
    panel = nil
    #expect(leftPanel == nil)
    #expect(try tree.saved().node(at: "panel") == nil)
  }

  @Test("28: an object that asks for its state is told that there is none, at a first start too", arguments: [false, true])
  func tellsAtAFirstStart(_ hasState: Bool) throws {
    let tree = RestorableTree(roots: [SampleObject("window")])
    if hasState {
      _ = try tree.restore(from: RestorableTree.saved([SampleObject("late", values: ["x": 1])]), with: Resolver())
    } else {
      try tree.startFresh()
    }
    let late = SampleObject("late")
    // It has no place yet, so what waits at the top is not its own.
    #expect(tree.restoreState(of: late) == .none && late.finished == [.none])
  }

  @Test("31: what is adopted in a later turn is restored in the report, and no loss")
  func adoptedLater() throws {
    let archive = ArchiveTree(header: .sample, nodes: [ArchiveNode("tab", type: "Tab", state: ["x": 1])])
    var made: SampleObject?
    let tree = RestorableTree()
    let resolver = try Resolver {
      Factory(type: "Tab") { node in
        let tab = TypedTab(node.identifier)
        made = tab
        return tab
      }
    }
    let report = try tree.restore(from: ArchiveReader(archive.encoded()), with: resolver)
    #expect(report.node(at: "tab")?.outcome == .notAdopted && !report.isDegraded)
    tree.roots = [try #require(made)]
    _ = try tree.saved()
    #expect(tree.report?.node(at: "tab")?.outcome == .restored && tree.report?.isDegraded == false)
  }

  private final class TypedTab: SampleObject {
    override class var restorationType: String { "Tab" }
  }
}
