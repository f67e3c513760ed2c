import Foundation
import Observation
import ProcessKit
import StateRestorationTesting
import Testing

// The code of the guide "The life of an app", and that of scenes and loops, compiled and run.

@MainActor
private func oneObject(_ app: EditorApp) async throws {
  let restoration = try AppRestoration("org.example.notes", version: "42", roots: { app.windows }, delegate: app) {
    Factory(EditorWindow.self) { node in app.open(node.identifier) }
  }
  let launch = try restoration.launch()
  print(launch)
  await app.run()
  await restoration.end()
}

private func settings(_ path: String) -> AppConfiguration {
  var configuration = AppConfiguration(bundleIdentifier: "org.example.notes", bundleVersion: "42")
  configuration.isSafeMode = CommandLine.arguments.contains("--safe-mode")
  configuration.userInterfaceIdiom = .terminal
  configuration.launchInformation = ["document": path]
  let week = Duration.seconds(7 * 86_400)
  configuration.policy = .bundleIdentifier("org.example.notes").and(.maximumAge(week))
  return configuration
}

@MainActor
private func show(_ launch: AppLaunch, _ input: String) {
  print(launch)  // restored 41 of 43; 2 not: 1 without a factory, 1 failed; their state is kept
  print("\(launch.reason), after \(launch.lastExit.map { "\($0)" } ?? "no earlier launch")")  // recover, after killed
  if let report = launch.report { print(report) }  // each node and note, with its reason
  if let report = launch.report {
    print(report)
    print(report.why("main/list"))
    if let path = RestorationPath(input) { print(report.why(path)) }
  }
}

@MainActor
private func answer(_ line: String, _ restoration: AppRestoration) throws {
  guard let offer = try restoration.offers().first else { return }
  switch line {
  case "accept": print(try restoration.restore(offer).summary)
  case "decline": try restoration.decline(offer)
  default: break  // offered again at the next launch
  }
}

@MainActor
private func count(_ configuration: AppConfiguration) throws -> AppRestoration {
  let counter = Counter()
  let restoration = try AppRestoration(configuration, roots: { [counter] })
  let launch = try restoration.launch()
  show(launch, "counter")
  return restoration
}

@MainActor
private func block(_ restoration: AppRestoration, _ edit: (String) -> Void) {
  while true {
    restoration.turn()
    guard let line = readLine() else { break }
    edit(line)
  }
  do { try restoration.endNow() } catch { print("not saved: \(error)") }
}

@MainActor
private func quit(_ app: EditorApp, _ restoration: AppRestoration) async {
  restoration.beginEnding()
  app.windows = []  // as a framework may do
  await restoration.end()
}

@MainActor @Observable
final class Outline: @MainActor ObservableRestorable {
  let restorationIdentifier: String? = "outline"
  var selection = 0
  var filter = ""
  static let restoredProperties: [ObservedProperty<Outline>] = [.init("selection", \.selection), .init("filter", \.filter)]
}

struct Shelf {
  var row = 0
}

@MainActor
final class Bookshelf: @MainActor Restorable {
  static let tracksChanges = true
  let restorationIdentifier: String? = "bookshelf"
  @Restored var filter = ""
  @RestoredChildren var books: [any Restorable] = []
  var restorationChildren: [any Restorable] { books }

  private(set) var shelf = Shelf()
  func encodeRestorableState(with coder: StateEncoder) throws {
    try encodeRestoredProperties(with: coder)
    try coder.encode(shelf.row, forKey: "row")
  }
  func scroll(to row: Int) {
    shelf.row = row
    setNeedsSave()
  }
}

@MainActor private final class SceneWindow: @MainActor Restorable {
  let restorationIdentifier: String? = "window"
  @Restored var page = 0
}

@MainActor private final class SceneApp {
  var scenes: [AppScene] = []
}

@MainActor
private func openScenes(_ app: SceneApp, _ restoration: AppRestoration) throws {
  for identifier in try restoration.scenesLeftOpen() {
    let window = SceneWindow()
    let scene = try restoration.openScene(identifier) { [window] }
    app.scenes.append(scene)
  }
}

@MainActor
private func reopenLastWindow(_ app: SceneApp, _ restoration: AppRestoration) throws {
  guard let closed = try restoration.recentlyClosedScenes().first else { return }
  let window = SceneWindow()
  app.scenes.append(try restoration.reopenScene(closed) { [window] })
}

@MainActor
private func hasPages(_ state: StoredState, _ restoration: AppRestoration) throws -> Bool {
  guard state.archive.scene != nil else { return false }
  let window = try restoration.contents(of: state).decoder(at: "window")
  return try window.decode(Int.self, forKey: "page", default: 0) > 0
}

@MainActor
private func restorePreviousSession(_ app: SceneApp, _ restoration: AppRestoration) async throws {
  let sessions = try restoration.earlierSessions()
  guard let session = try sessions.first(where: { try $0.states.contains { try hasPages($0, restoration) } }) else { return }
  for identifier in try await restoration.restore(session) {
    let window = SceneWindow()
    app.scenes.append(try restoration.openScene(identifier) { [window] })
  }
}

@MainActor
private func report(_ restoration: AppRestoration) {
  restoration.handle(.enteredBackground)
  restoration.handle(.storage(isAvailable: false))
  restoration.handle(.memoryLow)
}

@Suite struct LifeOfAnAppGuideTests {
  @Test("the bookshelf of the guide keeps its promise")
  @MainActor
  func keepsItsPromise() throws {
    let bookshelf = Bookshelf()
    let tree = RestorableTree(roots: [bookshelf])
    try tree.startFresh()
    let options = PreservationOptions(encodesOnlyChanges: true, verifiesChanges: true)
    func capture() throws -> SaveDecision { try tree.preserve(header: ArchiveHeader(), options: options).decision }
    #expect(try capture() == .save)
    bookshelf.scroll(to: 4)
    #expect(try capture() == .save)
    bookshelf.filter = "swift"
    #expect(try capture() == .save)
    bookshelf.books = [Bookshelf()]
    #expect(try capture() == .save)
  }

  @Test("the session of an emptied window is passed over, and the one before restored")
  @MainActor
  func findsSessions() async throws {
    let folder = try TemporaryFolder()
    var configuration = AppConfiguration(bundleIdentifier: "org.example.scenes", bundleVersion: "1", folder: folder.url("store").path)
    configuration.handlesSignals = false
    var restoration: AppRestoration?
    var app = SceneApp()
    func launched() throws -> AppRestoration {
      app = SceneApp()
      let restoration = try AppRestoration(configuration, roots: { [] })
      try restoration.launch()
      try openScenes(app, restoration)
      return restoration
    }
    func window() -> SceneWindow? { app.scenes.first?.tree.roots.first as? SceneWindow }
    restoration = try launched()
    let first = SceneWindow()
    app.scenes.append(try #require(try restoration?.openScene("one") { [first] }))
    first.page = 3
    restoration = try restart(&restoration, after: .quit) { try launched() }
    #expect(window()?.page == 3)
    window()?.page = 0  // by accident
    restoration = try restart(&restoration, after: .quit) { try launched() }
    window()?.page = 1
    restoration = try restart(&restoration, after: .quit) { try launched() }
    let last = try #require(restoration)
    #expect(window()?.page == 1 && app.scenes.count == 1)
    #expect(try last.earlierSessions().map { try $0.states.contains { try hasPages($0, last) } } == [false, true])
    last.markStable()
    try await restorePreviousSession(app, last)
    #expect(window()?.page == 3 && app.scenes.count == 1)
    await last.end()
  }

  @Test("a loop that blocks answers an offer")
  @MainActor
  func answersOffers() throws {
    let folder = try TemporaryFolder()
    var configuration = AppConfiguration(bundleIdentifier: "org.example.counter", bundleVersion: "1", folder: folder.url("store").path)
    configuration.handlesSignals = false
    var restoration: AppRestoration? = try count(configuration)
    (restoration?.tree.roots.first as? Counter)?.count = 7
    configuration.restoresState = false
    let next = try restart(&restoration, after: .quit) { try count(configuration) }
    let counter = try #require(next.tree.roots.first as? Counter)
    #expect(counter.count == 0)
    try next.saveNow()
    try answer("later", next)
    #expect(counter.count == 0)
    try answer("accept", next)
    #expect(counter.count == 7)
    try next.endNow()
  }
}
