import Foundation
import StateRestorationTesting
import Testing

// The code of the guides "An app with one window", "An app with windows", "When a build changes" and "Objects in detail",
// compiled and run. `GuidePageTests` compares the two.

struct Note: Sendable {
  let id: UUID
}

struct Library {
  var notes: [Note] = []
  var isOpen = true

  func note(_ id: UUID) -> Note? { notes.first { $0.id == id } }
}

struct AppearanceSettings: Codable, Equatable {
  var isDark = false
}

final class Counter: Restorable {
  static let restorationType = "Counter", restorationSchemaVersion = 1

  let restorationIdentifier: String? = "counter"
  @Restored var count = 0
}

final class Appearance: CodableRestorable {
  let restorationIdentifier: String? = "appearance"
  var restorableState = AppearanceSettings()
}

final class NotesWindow: Restorable {
  static let restorationType = "Window", restorationSchemaVersion = 2

  let restorationIdentifier: String?
  let list = NoteList()
  var editors: [Editor] = []
  var front: Editor?
  var zoom = 1.0

  init(_ identifier: String) {
    restorationIdentifier = identifier
  }

  var restorationChildren: [any Restorable] { [list] + editors }

  func encodeRestorableState(with coder: StateEncoder) throws {
    try coder.encode(zoom, forKey: "zoom")
    try coder.encode(reference: front, forKey: "front")
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    editors = try coder.restoredChildren(of: Editor.self)
    zoom = try coder.decode(Double.self, forKey: "zoom", default: 1)
    front = try coder.decodeReferenceIfPresent(forKey: "front")
  }
}

final class Desk: Restorable {
  let restorationIdentifier: String? = "desk"
  var panels: [any Restorable] = []
  var drafts: [Draft] = []
  var restorationChildren: [any Restorable] { panels + drafts }

  func decodeRestorableState(with coder: StateDecoder) throws {
    drafts = try coder.restoredChildren(of: Draft.self)
    panels = try coder.restoredChildren(of: (any Restorable).self).filter { !($0 is Draft) }
  }
}

struct Frame: Codable, Equatable {
  var x = 0.0, y = 0.0, width = 80.0, height = 24.0

  func fitted(into screen: Frame) -> Frame {
    let (width, height) = (min(width, screen.width), min(height, screen.height))
    return Frame(
      x: min(max(x, screen.x), screen.x + screen.width - width), y: min(max(y, screen.y), screen.y + screen.height - height),
      width: width, height: height)
  }
}

final class MainWindow: Restorable {
  let restorationIdentifier: String? = "main"
  @Restored var frame = Frame()

  func shown(on screen: Frame) -> Frame { frame.fitted(into: screen) }
}

final class Scratchpad: Restorable {
  let restorationIdentifier: String? = "scratchpad"
  let restorationReasons: Set<RestorationReason> = [.recover]
  @Restored var text = ""
}

enum Comeback {
  case always, afterCrash, never
}

private func choose(_ comeback: Comeback, in configuration: inout AppConfiguration) {
  switch comeback {
  case .always: break
  case .afterCrash: configuration.policy = .reasons([.recover])
  case .never: configuration.restoresState = false
  }
}

final class SearchHistory: Restorable {
  let restorationIdentifier: String? = "history"
  var queries: [(text: String, hitCount: Int)] = []

  func encodeRestorableState(with coder: StateEncoder) throws {
    try coder.encodeArray(forKey: "queries") { elements in
      for query in queries {
        try elements.encodeDictionary { entry in
          try entry.encode(query.text, forKey: "text")
          try entry.encode(query.hitCount, forKey: "hitCount")
        }
      }
    }
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    guard coder.containsValue(forKey: "queries") else { return }
    queries = try coder.decodeArray(forKey: "queries") { elements in
      var queries: [(text: String, hitCount: Int)] = []
      while !elements.isAtEnd {
        queries.append(
          try elements.decodeDictionary { entry in
            (try entry.decode(String.self, forKey: "text"), try entry.decode(Int.self, forKey: "hitCount"))
          })
      }
      return queries
    }
  }
}

final class CalendarPanel: Restorable {
  let restorationIdentifier: String? = "calendar"
  @Restored var month = 1
}

func didLogIn(_ tree: RestorableTree) -> CalendarPanel {
  let panel = CalendarPanel()
  tree.register(panel, at: "main/calendar")
  return panel
}

func open(_ note: Note, in tree: RestorableTree, loading: @escaping @Sendable (Note) async -> Void) -> Task<Void, Never> {
  let activity = tree.activity
  activity.extendStateRestoration()
  return Task {
    await loading(note)
    activity.completeStateRestoration()
  }
}

final class PluginPanel: Restorable {
  let name: String
  @Restored var isOpen = false

  init(_ name: String) {
    self.name = name
  }

  var restorationIdentifier: String? { name }
  var restorationProvider: ProviderReference? { ProviderReference(name: "plug-in", identifier: name) }
}

func makePluginResolver(for tree: RestorableTree) throws -> Resolver {
  try Resolver {
    Factory(provider: "plug-in") { node in
      guard let name = node.provider?.identifier else { return nil }
      let panel = PluginPanel(name)
      tree.roots.append(panel)
      return panel
    }
  }
}

func makeResolver(for tree: RestorableTree, library: Library) throws -> Resolver {
  try Resolver {
    Factory(NotesWindow.self) { node in
      let window = NotesWindow(node.identifier)
      tree.roots.append(window)
      return window
    }
    Factory(path: "*/*") { node in
      guard library.isOpen else { return .later }
      guard let note = library.note(try node.decode(UUID.self, forKey: "note")) else { return .gone }
      return .object(Editor(note))
    }
  }
}

func goBack(in stack: ArticleStack, of tree: RestorableTree) throws {
  guard let page = stack.pages.last else { return }
  try tree.setAside(page)
  stack.pages.removeLast()
}

func goForward(to identifier: String, in stack: ArticleStack, of tree: RestorableTree) {
  let page = ArticlePage(identifier)
  stack.pages.append(page)
  tree.restoreState(of: page)
}

func closeTab(at path: RestorationPath, in tree: RestorableTree) {
  tree.discardState(at: path)
}

class Panel: RestorableObject {
  override class var restorationType: String { "Panel" }
  @Restored var isOpen = true
}

final class ColorPanel: Panel {
  override class var restorationType: String { "ColorPanel" }
  @Restored var color = "red"
}

final class AppDelegate {
  let applicationSchemaVersion = 1
  @Restored var theme = "light"
  @Restored("lastFolder") var folder = "/"
  var isDemo = false
}

extension AppDelegate: RestorationDelegate {
  func shouldSaveState(to coder: StateEncoder) -> SaveDecision {
    isDemo ? .keepPrevious : .save
  }

  func shouldRestoreState(from coder: StateDecoder, launch: LaunchContext) -> RestoreDecision {
    launch.information["document"] == nil ? .restore : .notNow
  }
}

final class Editor: Restorable {
  static let restorationType = "Editor"

  let note: Note
  var selectedLine = 0

  init(_ note: Note) {
    self.note = note
  }

  var restorationIdentifier: String? { "editor-\(note.id.uuidString)" }

  func encodeRestorableState(with coder: StateEncoder) throws {
    try coder.encode(note.id, forKey: "note")
    try coder.encode(selectedLine, forKey: "line")
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    selectedLine = try coder.decode(Int.self, forKey: "line", default: 0)
  }
}

final class Draft: Restorable {
  static let restorationType = "Draft", restorationSchemaVersion = 1

  let restorationIdentifier: String?
  @Restored var text = ""
  @Restored var file: String?

  init(_ identifier: String = UUID().uuidString) {
    restorationIdentifier = identifier
  }
}

final class ArticlePage: Restorable {
  static let restorationType = "Page", restorationSchemaVersion = 1

  let restorationIdentifier: String?
  @Restored var article = ""
  @Restored var scrollPosition = 0.0

  init(_ identifier: String) {
    restorationIdentifier = identifier
  }
}

final class ArticleStack: Restorable {
  static let restorationType = "Stack", restorationSchemaVersion = 1

  let restorationIdentifier: String? = "stack"
  var pages: [ArticlePage] = []
  var restorationChildren: [any Restorable] { pages }

  func push(_ article: String) {
    let page = ArticlePage("page-\(pages.count)")
    page.article = article
    pages.append(page)
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    pages = try coder.restoredChildren(of: ArticlePage.self, endsAtGap: true)
  }
}

final class FileEditor: Restorable {
  static let restorationType = "Editor", restorationSchemaVersion = 2

  let restorationIdentifier: String?
  @Restored var text = ""
  @Restored var file = ""

  init(_ identifier: String) {
    restorationIdentifier = identifier
  }
}

final class Player: Restorable {
  static let restorationType = "Player", restorationSchemaVersion = 2

  let restorationIdentifier: String?
  @Restored var position = 0.0
  @Restored var queue: [String] = []

  init(_ identifier: String) {
    restorationIdentifier = identifier
  }
}

/// An app with a store and scenes.
final class NotesApp: RestorationDelegate {
  let windows: [NotesWindow] = [NotesWindow("main")]
  var documents: [String: ArticleStack] = [:]

  @ResolverBuilder var registrations: ResolverBuilder.Part {
    Factory(ArticlePage.self) { ArticlePage($0.identifier) }
  }

  func openScene(_ identifier: String, of restoration: AppRestoration) throws {
    let stack = ArticleStack()
    documents[identifier] = stack
    _ = try restoration.openScene(identifier) { [stack] }
  }

  func launched(_ configuration: AppConfiguration) throws -> AppRestoration {
    let restoration = try AppRestoration(configuration, roots: { [self] in windows }, delegate: self) { registrations }
    try restoration.launch(isolation: nil)
    for identifier in try restoration.savedScenes() { try openScene(identifier, of: restoration) }
    return restoration
  }
}

final class NoteList: Restorable {
  let restorationIdentifier: String? = "list"
  var notes: [Note] = []
  var selected: Note?

  func encodeRestorableState(with coder: StateEncoder) throws {
    try coder.encode(selected?.id, forKey: "selected")
    try coder.encode(notes.firstIndex { $0.id == selected?.id }, forKey: "row")
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    let id = try coder.decodeIfPresent(UUID.self, forKey: "selected")
    let row = try coder.decodeIfPresent(Int.self, forKey: "row")
    selected = notes.first { $0.id == id } ?? row.flatMap { notes.indices.contains($0) ? notes[$0] : nil }
  }
}

/// The code of the guides works.
@Suite struct ObjectGuideTests {
  private func count(_ savedBytes: inout Data?, now: Date) throws -> Int {
    let counter = Counter()
    let tree = RestorableTree(roots: [counter])
    if let data = savedBytes {
      print(try tree.restore(from: ArchiveReader(data), with: Resolver()).summary)
    } else {
      try tree.startFresh()
    }

    counter.count += 1
    let preservation = try tree.preserve(header: ArchiveHeader(bundleVersion: "1", timestamp: now))
    if let bytes = try preservation.archive { savedBytes = bytes }
    return counter.count
  }

  @Test("the counter keeps counting across process deaths")
  func counts() throws {
    var data: Data?
    for expected in 1...3 {
      #expect(try count(&data, now: Date(timeIntervalSinceReferenceDate: 0)) == expected)
    }
  }

  @Test("windows, editors and selections are restored")
  func restoresWindows() throws {
    let notes = [Note(id: UUID()), Note(id: UUID())]
    let library = Library(notes: notes)
    let window = NotesWindow("main")
    window.zoom = 2
    window.editors = notes.map { Editor($0) }
    window.editors[1].selectedLine = 9
    window.front = window.editors[1]
    var tree: RestorableTree? = RestorableTree(roots: [window])
    try tree?.startFresh()
    let restart = try restart(&tree, header: ArchiveHeader()) {
      let tree = RestorableTree()
      return RestartedTree(tree, resolver: try makeResolver(for: tree, library: library))
    }
    let expected: ExpectedReport = ["main": .restored, "main/list": .located]
    #expect(expected.differences(from: restart.restoration).count == 2)
    let back = try #require(restart.tree.roots.first as? NotesWindow)
    #expect(back.zoom == 2 && back.editors.map(\.note.id) == notes.map(\.id) && back.front === back.editors.last)
    #expect(back.editors.map(\.selectedLine) == [0, 9])
    #expect(restart.restoration.summary == "restored 4 of 4")
  }

  private func archiveOfTwoNotes() throws -> (ArchiveReader, [Note]) {
    let notes = [Note(id: UUID()), Note(id: UUID())]
    let window = NotesWindow("main")
    window.editors = notes.map { Editor($0) }
    let tree = RestorableTree(roots: [window])
    try tree.startFresh()
    return (try ArchiveReader(#require(try tree.preserve(header: ArchiveHeader()).archive)), notes)
  }

  @Test("65: the editor of a deleted note is gone for good; while the library is closed, all editors wait")
  func behaviour65ForgetsDeletedNotes() throws {
    let (archive, notes) = try archiveOfTwoNotes()
    let tree = RestorableTree()
    let report = try tree.restore(from: archive, with: makeResolver(for: tree, library: Library(notes: [notes[1]])))
    #expect(report.summary == "restored 3 of 4; 1 not: 1 gone")
    let saved = try ArchiveReader(#require(try tree.preserve(header: ArchiveHeader()).archive))
    #expect(saved.nodeCount == 3)

    let waiting = RestorableTree()
    let second = try waiting.restore(from: archive, with: makeResolver(for: waiting, library: Library(notes: notes, isOpen: false)))
    #expect(second.summary == "restored 2 of 4; 2 not: 2 waiting; their state is kept")
    closeTab(at: try #require(second.nodes.last).path, in: waiting)
    #expect(try ArchiveReader(#require(try waiting.preserve(header: ArchiveHeader()).archive)).nodeCount == 3)
  }

  @Test("66: closing a window discards the editors that wait in it")
  func behaviour66ClosesWindows() throws {
    let (archive, notes) = try archiveOfTwoNotes()
    let tree = RestorableTree()
    _ = try tree.restore(from: archive, with: makeResolver(for: tree, library: Library(notes: notes, isOpen: false)))
    tree.roots = []
    #expect(try ArchiveReader(#require(try tree.preserve(header: ArchiveHeader()).archive)).nodeCount == 0)
  }

  @Test("67: an editor that waited is restored in its place")
  func behaviour67KeepsPlaces() throws {
    let (archive, notes) = try archiveOfTwoNotes()
    let tree = RestorableTree()
    let resolver = try Resolver {
      Factory(type: "Window") { node in
        let window = NotesWindow(node.identifier)
        tree.roots.append(window)
        return window
      }
      Factory(type: "Editor") { node in
        let id = try node.decode(UUID.self, forKey: "note")
        return id == notes[1].id ? Editor(notes[1]) : nil
      }
    }
    _ = try tree.restore(from: archive, with: resolver)
    let saved = try ArchiveReader(#require(try tree.preserve(header: ArchiveHeader()).archive))
    let next = RestorableTree()
    _ = try next.restore(from: saved, with: makeResolver(for: next, library: Library(notes: notes)))
    #expect((next.roots.first as? NotesWindow)?.editors.map(\.note.id) == notes.map(\.id))
  }

  @Test("68: the delegate's properties are restored; renamed ones under their new names, new ones with their defaults")
  func behaviour68EvolvesApplicationState() throws {
    let archive = try ArchiveReader(ArchiveTree(applicationState: ["colors": "dark"]).encoded())
    let delegate = AppDelegate()
    let tree = RestorableTree(delegate: delegate)
    let report = try tree.restore(
      from: archive, with: Resolver { Upgrade(applicationStateFrom: 0, to: 1) { state in state.rename("colors", to: "theme") } })
    #expect(report.application == .restored && delegate.theme == "dark" && delegate.folder == "/")
    delegate.isDemo = true
    #expect(try tree.preserve(header: ArchiveHeader()).decision == .keepPrevious)
  }

  @Test("73: overrides in a subclass of the base class take effect")
  func behaviour73Overrides() throws {
    let panel = ColorPanel(restorationIdentifier: "colors")
    panel.color = "blue"
    panel.isOpen = false
    let tree = RestorableTree(roots: [panel])
    try tree.startFresh()
    let archive = try ArchiveReader(#require(try tree.preserve(header: ArchiveHeader()).archive))
    #expect(try archive.node(at: "colors")?.type == "ColorPanel")
    let next = ColorPanel(restorationIdentifier: "colors")
    _ = try RestorableTree(roots: [next]).restore(from: archive, with: Resolver())
    #expect(next.color == "blue" && !next.isOpen)
  }

  @Test("a selection falls back to its row")
  func selects() throws {
    let notes = (0..<3).map { _ in Note(id: UUID()) }
    let list = NoteList()
    list.notes = notes
    list.selected = notes[1]
    let tree = RestorableTree(roots: [list])
    try tree.startFresh()
    let archive = try ArchiveReader(#require(try tree.preserve(header: ArchiveHeader()).archive))
    for remaining in [notes, [notes[0], notes[2]]] {
      let next = NoteList()
      next.notes = remaining
      _ = try RestorableTree(roots: [next]).restore(from: archive, with: Resolver())
      #expect(next.selected?.id == remaining[1].id)
    }
  }

  @Test("renamed objects and keys are found")
  func upgrades() throws {
    let saved = ArchiveTree(nodes: [
      ArchiveNode(
        "main", type: "Window", schemaVersion: 1, state: ["scale": 1.5, "unused": 1],
        children: [ArchiveNode("sidebar", state: ["row": 0]), ArchiveNode("welcome")])
    ])
    let archive = try ArchiveReader(saved.encoded())
    let window = NotesWindow("main")
    window.list.notes = [Note(id: UUID())]
    let tree = RestorableTree(roots: [window])
    let goldenArchives = FileManager.default.temporaryDirectory.appendingPathComponent("guide-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: goldenArchives, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: goldenArchives) }
    try saved.encoded().write(to: goldenArchives.appendingPathComponent("1.rsta"))
    let resolver = try Resolver {
      Alias("main/sidebar", to: "main/list")
      Tombstone("main/welcome")
      Upgrade(type: "Window", from: 1, to: 2) { state in
        state.rename("scale", to: "zoom")
        state.remove("unused")
      }
      Upgrade(applicationStateFrom: 0, to: 1) { state in state.rename("colors", to: "theme") }
    }
    let coverage = try ArchiveCoverage(ofArchivesIn: goldenArchives) { _ in
      RestartedTree(RestorableTree(roots: [NotesWindow("main")]), resolver: resolver)
    }
    #expect(coverage.gaps == [])
    let report = try tree.restore(from: archive, with: resolver)
    #expect(report.summary == "restored 2 of 3; 1 not: 1 with a tombstone")
    #expect(window.zoom == 1.5 && window.list.selected != nil)
  }

  /// Restores the nodes, and returns the objects that their factories have made, by identifier.
  private func restore(_ nodes: [ArchiveNode], with resolver: Resolver) throws -> (RestorationReport, [String: any Restorable]) {
    final class Root: Restorable {
      static let restorationType = "Root"
      let restorationIdentifier: String? = "root"
      var children: [any Restorable] = []
      var restorationChildren: [any Restorable] { children }
      func decodeRestorableState(with coder: StateDecoder) throws { children = try coder.restoredChildren() }
    }
    let root = Root()
    let archive = try ArchiveReader(ArchiveTree(nodes: [ArchiveNode("root", type: "Root", children: nodes)]).encoded())
    let report = try RestorableTree(roots: [root]).restore(from: archive, with: resolver)
    return (report, Dictionary(root.children.map { ($0.restorationIdentifier ?? "", $0) }) { first, _ in first })
  }

  @Test("a renamed type is restored")
  func renamesTypes() throws {
    let resolver = try Resolver {
      Alias(type: "Editor", to: "Draft")
      Factory(Draft.self) { node in Draft(node.identifier) }
    }
    let (report, objects) = try restore([ArchiveNode("d", type: "Editor", schemaVersion: 1, state: ["text": "Dear Ann"])], with: resolver)
    #expect((objects["d"] as? Draft)?.text == "Dear Ann" && report.summary == "restored 2 of 2")
  }

  @Test("a split type is restored as two")
  func splitsTypes() throws {
    let resolver = try Resolver {
      Upgrade(type: "Editor", from: 1, to: 2) { state in
        if state["file"] == nil { state.changeType(to: "Draft", schemaVersion: 1) }
      }
      Factory(FileEditor.self) { node in FileEditor(node.identifier) }
      Factory(Draft.self) { node in Draft(node.identifier) }
    }
    let (report, objects) = try restore(
      [
        ArchiveNode("a", type: "Editor", schemaVersion: 1, state: ["text": "Dear Ann"]),
        ArchiveNode("b", type: "Editor", schemaVersion: 1, state: ["text": "Dear Bob", "file": "bob.txt"]),
      ], with: resolver)
    #expect((objects["a"] as? Draft)?.text == "Dear Ann" && (objects["b"] as? FileEditor)?.file == "bob.txt")
    #expect(report.summary == "restored 3 of 3")
  }

  @Test("values that change their type are converted")
  func convertsValues() throws {
    let resolver = try Resolver {
      Upgrade(type: "Player", from: 1, to: 2) { state in
        state.transform("position") { value in
          guard case .integer(let seconds) = value else { return value }
          return .float(Double(seconds.converted(to: Int.self) ?? 0))
        }
        if case .string(let name) = state["track"] { state.set("queue", to: [.string(name)]) }
        state.remove("track")
      }
      Factory(Player.self) { node in Player(node.identifier) }
    }
    let state: ArchiveDictionary = ["position": 90, "track": "Prelude"]
    let (report, objects) = try restore([ArchiveNode("p", type: "Player", schemaVersion: 1, state: state)], with: resolver)
    let player = try #require(objects["p"] as? Player)
    #expect(player.position == 90 && player.queue == ["Prelude"] && report.summary == "restored 2 of 2")
  }

  @Test("the same article twice in a stack, and a page that leaves and returns")
  func restoresStacks() throws {
    let stack = ArticleStack()
    var tree: RestorableTree? = RestorableTree(roots: [stack])
    try tree?.startFresh()
    for article in ["Swift", "Actor", "Swift"] { stack.push(article) }
    stack.pages[2].scrollPosition = 7
    try goBack(in: stack, of: #require(tree))
    var second = ArticleStack()
    let restart = try restart(&tree) {
      second = ArticleStack()
      let resolver = try Resolver { Factory(ArticlePage.self) { ArticlePage($0.identifier) } }
      return RestartedTree(RestorableTree(roots: [second]), resolver: resolver)
    }
    #expect(second.pages.map(\.article) == ["Swift", "Actor"])
    goForward(to: "page-2", in: second, of: restart.tree)
    #expect(second.pages.last?.article == "Swift" && second.pages.last?.scrollPosition == 7)
  }

  @Test("a draft keeps its state when it is saved as a file")
  func keepsIdentifiers() throws {
    let draft = Draft()
    let tree = RestorableTree(roots: [draft])
    try tree.startFresh()
    draft.text = "Dear Ann"
    draft.file = "ann.txt"
    let archive = try ArchiveReader(#require(try tree.preserve(header: ArchiveHeader()).archive))
    let next = Draft(try #require(draft.restorationIdentifier))
    _ = try RestorableTree(roots: [next]).restore(from: archive, with: Resolver())
    #expect(next.text == "Dear Ann" && next.file == "ann.txt")
  }

  @Test("an app with scenes is restarted, and its stores are covered")
  func restartsApps() throws {
    let releases = FileManager.default.temporaryDirectory.appendingPathComponent("guide-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: releases) }
    var configuration = AppConfiguration(
      bundleIdentifier: "org.example.notes", bundleVersion: "1.4", folder: releases.appendingPathComponent("1.4").path)
    configuration.handlesSignals = false
    let first = NotesApp()
    var restoration: AppRestoration? = try first.launched(configuration)
    try first.openScene("swift", of: #require(restoration))
    first.documents["swift"]?.push("Actor")
    first.windows[0].zoom = 2
    try restoration?.saveNow()
    let app = NotesApp()
    let next = try restart(&restoration, after: .kill) {
      try app.launched(configuration)
    }
    #expect(app.windows[0].zoom == 2 && app.documents["swift"]?.pages.map(\.article) == ["Actor"])
    restoration = next
    #expect(throws: CancellationError.self) { try restart(&restoration, after: .quit) { throw CancellationError() } }
    let coverage = try ArchiveCoverage(ofStoresIn: releases) { configuration in
      let app = NotesApp()
      let restoration = try AppRestoration(configuration, roots: { app.windows }, delegate: app) { app.registrations }
      try restoration.launch()
      for identifier in try restoration.savedScenes() { try app.openScene(identifier, of: restoration) }
      return restoration
    }
    #expect(coverage.gaps == [])
  }

  private func hide(_ accountName: String, with coder: StateEncoder) throws {
    try coder.encode(accountName, forKey: "account", isSensitive: true)
  }

  @Test("a sensitive value is marked")
  func marks() throws {
    let writer = ArchiveWriter()
    try writer.encodeApplicationState { try hide("me", with: $0) }
    let state = try ArchiveReader(writer.finish()).application().state()
    #expect(state.entry(forKey: "account")?.isSensitive == true)
  }

  @Test("a list that was encoded element by element is restored")
  func restoresHistory() throws {
    let history = SearchHistory()
    history.queries = [("swift", 3), ("archive", 0)]
    let tree = RestorableTree(roots: [history])
    try tree.startFresh()
    let archive = try ArchiveReader(#require(try tree.preserve(header: ArchiveHeader()).archive))
    let next = SearchHistory()
    _ = try RestorableTree(roots: [next]).restore(from: archive, with: Resolver())
    #expect(next.queries.map(\.text) == ["swift", "archive"] && next.queries.map(\.hitCount) == [3, 0])
  }

  @Test("restoration is extended until a document is loaded")
  func extendsRestoration() async {
    let tree = RestorableTree()
    let (gate, open) = AsyncStream<Never>.makeStream()
    let task = GuideTests.open(Note(id: UUID()), in: tree) { _ in for await _ in gate {} }
    #expect(tree.activity.count == 1)
    open.finish()
    await task.value
    #expect(tree.activity.count == 0)
  }

  @Test("a panel that registers late, and one that a plug-in makes, are restored")
  func restoresLateAndProvidedObjects() throws {
    let main = NotesWindow("main"), plugin = PluginPanel("clock")
    plugin.isOpen = true
    let tree = RestorableTree(roots: [main, plugin])
    try tree.startFresh()
    let calendar = didLogIn(tree)
    calendar.month = 11
    let archive = try withExtendedLifetime(calendar) {
      try ArchiveReader(#require(try tree.preserve(header: ArchiveHeader()).archive))
    }
    let next = RestorableTree(roots: [NotesWindow("main")])
    let report = try next.restore(from: archive, with: makePluginResolver(for: next))
    #expect((next.roots.last as? PluginPanel)?.isOpen == true)
    #expect(report.node(at: "main/calendar")?.outcome == .skipped(.noFactory))
    #expect(didLogIn(next).month == 11)
  }

  @Test("a whole state is restored")
  func restoresWholeStates() throws {
    let appearance = Appearance()
    appearance.restorableState.isDark = true
    let tree = RestorableTree(roots: [appearance])
    try tree.startFresh()
    let archive = try ArchiveReader(#require(try tree.preserve(header: ArchiveHeader()).archive))
    let next = Appearance()
    _ = try RestorableTree(roots: [next]).restore(from: archive, with: Resolver())
    #expect(next.restorableState.isDark)
  }

  @Test("children of several classes come back in their lists")
  func restoresSeveralClasses() throws {
    let desk = Desk()
    desk.panels = [ColorPanel(restorationIdentifier: "colors"), PluginPanel("clock")]
    desk.drafts = [Draft("one"), Draft("two")]
    var tree: RestorableTree? = RestorableTree(roots: [desk])
    try tree?.startFresh()
    let restart = try restart(&tree) {
      let resolver = try Resolver {
        Factory(ColorPanel.self) { ColorPanel(restorationIdentifier: $0.identifier) }
        Factory(Draft.self) { Draft($0.identifier) }
        Factory(provider: "plug-in") { PluginPanel($0.identifier) }
      }
      return RestartedTree(RestorableTree(roots: [Desk()]), resolver: resolver)
    }
    let next = try #require(restart.tree.roots.first as? Desk)
    #expect(next.panels.map(\.restorationIdentifier) == ["colors", "clock"] && next.drafts.map(\.restorationIdentifier) == ["one", "two"])
  }

  @Test("a frame fits the screen, and the chosen one is kept")
  func fitsFrames() throws {
    let window = MainWindow()
    window.frame = Frame(x: 150, y: -3, width: 120, height: 50)
    var tree: RestorableTree? = RestorableTree(roots: [window])
    try tree?.startFresh()
    let restart = try restart(&tree) { RestartedTree(RestorableTree(roots: [MainWindow()]), resolver: Resolver()) }
    let next = try #require(restart.tree.roots.first as? MainWindow)
    #expect(next.shown(on: Frame()) == Frame())
    #expect(next.shown(on: Frame(width: 200, height: 60)) == Frame(x: 80, y: 0, width: 120, height: 50))
    #expect(next.frame == window.frame)
  }

  @Test("a scratchpad, and an app whose user wants it so, come back only after a crash")
  func comesBackAfterCrashes() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("guide-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for (comeback, end, scratchpad, counts) in [
      (Comeback.always, ProcessEnd.quit, "", true), (.always, .kill, "x", true), (.afterCrash, .quit, "", false),
      (.afterCrash, .kill, "x", true), (.never, .kill, "", false),
    ] {
      var configuration = AppConfiguration(bundleIdentifier: "org.example.choice")
      configuration.folder = folder.appendingPathComponent("\(comeback)-\(end)").path
      configuration.handlesSignals = false
      choose(comeback, in: &configuration)
      var (pad, counter) = (Scratchpad(), Counter())
      func launched() throws -> AppRestoration {
        (pad, counter) = (Scratchpad(), Counter())
        let restoration = try AppRestoration(configuration, roots: { [pad, counter] })
        let launch = try restoration.launch(isolation: nil)
        if let report = launch.report { print(report.why("counter")) }
        return restoration
      }
      var restoration: AppRestoration? = try launched()
      (pad.text, counter.count) = ("x", 1)
      try restoration?.saveNow()
      restoration = try restart(&restoration, after: end) { try launched() }
      #expect(pad.text == scratchpad && (counter.count == 1) == counts, "\(comeback) \(end)")
      try restoration?.endNow()
    }
  }
}
