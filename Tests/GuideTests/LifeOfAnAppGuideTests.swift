import Foundation
import Observation
import StateRestoration
import Testing

// The code of the guide "The life of an app", compiled.

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
private func answer(_ app: EditorApp, _ restoration: AppRestoration, _ launch: AppLaunch) async throws {
  for offer in launch.offers {
    switch await app.ask(offer) {
    case .restore(let unwanted): try await restoration.restore(offer, without: unwanted)
    case .decline: try restoration.decline(offer)
    case .later: break
    }
  }
}

@MainActor
private func block(_ restoration: AppRestoration, _ edit: (String) -> Void) throws {
  while true {
    restoration.turn()
    guard let line = readLine() else { break }
    edit(line)
  }
  try restoration.endNow()
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
private func restorePreviousSession(_ app: SceneApp, _ restoration: AppRestoration) async throws {
  let sessions = try restoration.earlierSessions()
  guard let session = sessions.first(where: { $0.states.contains { $0.archive.scene != nil } }) else { return }
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
  @Test("every line of Swift in the guide is compiled here")
  func isTheSameText() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let guide = try String(
      contentsOf: root.appendingPathComponent("Sources/StateRestoration/StateRestoration.docc/TheLifeOfAnApp.md"), encoding: .utf8)
    let source = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
    let blocks = guide.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    #expect(blocks.count == 12)
    for block in blocks {
      let indented = block.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "  " + $0 }
      #expect(source.contains(indented.joined(separator: "\n")) || source.contains(block), "\(block)")
    }
  }

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
}
