import Foundation
import ProcessKit
import StateRestoration
import Testing

// README sample begins.
@MainActor final class EditorWindow: @MainActor Restorable {
  static let restorationType = "Editor", restorationSchemaVersion = 2
  let restorationIdentifier: String?
  @Restored var scrollOffset = 0.0  // key "scrollOffset"
  @Restored("draft") var text = ""

  init(_ identifier: String) { restorationIdentifier = identifier }
}

@MainActor final class EditorApp {
  var windows: [EditorWindow] = []
  var isPrivate = false

  func open(_ identifier: String) -> EditorWindow {
    windows.append(EditorWindow(identifier))
    return windows[windows.count - 1]
  }
}

extension EditorApp: @MainActor RestorationDelegate {  // in an extension, mistyped names are noticed
  func shouldSaveState(to coder: StateEncoder) -> SaveDecision {
    isPrivate ? .keepPrevious : .save
  }

  func shouldRestoreState(from coder: StateDecoder, launch: LaunchContext) -> RestoreDecision {
    launch.information["document"] == nil ? .restore : .notNow  // opened for a document: offered later
  }
}

@MainActor func run(_ app: EditorApp, _ configuration: AppConfiguration) async throws {
  let restoration = try AppRestoration(configuration, roots: { app.windows }, delegate: app) {
    Factory(EditorWindow.self) { node in app.open(node.identifier) }
    Alias("panes", to: "editors")  // renamed in this build
    Tombstone("welcome")  // gone on purpose
    Upgrade(EditorWindow.self, from: 1, to: 2) { state in state.rename("offset", to: "scrollOffset") }
  }
  let launch = try restoration.launch()  // restored before the first frame
  print(launch)  // restored 41 of 43; 2 not: …
  print(launch.report?.why("editor-2") ?? "")  // restored by type "Editor" after upgrade 1 -> 2
  Task {  // beside the running app: restoring an offer waits until the app is stable
    for offer in launch.offers {
      do {
        switch await app.ask(offer) {
        case .restore(let unwanted): try await restoration.restore(offer, without: unwanted)
        case .decline: try restoration.decline(offer)
        case .later: break  // offered again at the next launch
        }
      } catch { print(error) }
    }
  }
  await app.run()  // changes are saved automatically
  await restoration.end()
}
// README sample ends.

/// A user's response to an offer.
enum OfferAnswer {
  case restore(without: Set<RestorationPath>), decline, later
}

extension EditorApp {
  func ask(_ offer: StoreOffer) async -> OfferAnswer { .restore(without: Set(offer.suspects)) }

  /// The user's actions at each launch.
  func run() async {
    if windows.isEmpty { _ = open("editor-2") }
    windows[0].scrollOffset += 7.5
    windows[0].text += "Dear Ada. "
  }
}

/// The samples of README.md match the code above and the code of a program, and work.
@MainActor
@Suite struct ReadmeSampleTests {
  @Test func comesBack() async throws {
    let folder = try TemporaryFolder()
    var configuration = AppConfiguration(bundleIdentifier: "org.example.editor", bundleVersion: "42", folder: folder.url("store").path)
    configuration.handlesSignals = false
    for launch in 1...3 {
      let app = EditorApp()
      while true {
        do {
          try await run(app, configuration)
          break
        } catch StoreError.inUse {
          // Within one process, the task of the last save releases the store shortly after it reports the outcome.
          await Task.yield()
        }
      }
      #expect(app.windows.count == 1)
      #expect(app.windows[0].scrollOffset == 7.5 * Double(launch))
      #expect(app.windows[0].text == String(repeating: "Dear Ada. ", count: launch))
    }
  }

  @Test("the samples match the code")
  func isTheSameText() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    func text(_ path: String) throws -> String { try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8) }
    let readme = try text("README.md")
    let source = try text("Tests/GuideTests/ReadmeSampleTests.swift")
    let compiled = source.components(separatedBy: "// README sample begins.\n")[1].components(separatedBy: "// README sample ends.")[0]
    #expect(readme.contains("```swift\n\(compiled)```"))
    #expect(readme.contains("```swift\n\(try text("Tests/Probes/CounterExample/CounterApp.swift"))```"))
  }
}
