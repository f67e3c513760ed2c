import Foundation
import StateRestoration
import Testing

// README sample begins.
final class EditorWindow: Restorable {
  static let restorationType = "Editor", restorationSchema = 2
  let restorationIdentifier: String?
  @Restored var scrollOffset = 0.0  // key "scrollOffset"
  @Restored("draft") var text = ""

  init(_ identifier: String) { restorationIdentifier = identifier }
}

final class Decisions: RestorationDelegate {
  var isPrivate = false

  func shouldSaveState(to coder: StateEncoder) -> SaveDecision {
    isPrivate ? .keepPrevious : .save
  }

  func shouldRestoreState(from coder: StateDecoder, launch: RestorationLaunch) -> RestoreDecision {
    launch.information["document"] == nil ? .restore : .notNow  // opened for a document: next time, then
  }
}

func launch(_ application: RestorableApplication, folder: String) throws -> RestorationStore {
  let resolver = try Resolver {
    Factory(type: "Editor") { node in
      let editor = EditorWindow(node.identifier)
      application.roots.append(editor)  // what is in the tree is saved again
      return editor
    }
    Alias("panes", to: "editors")  // renamed in this build
    Tombstone("welcome")  // gone on purpose
    Upgrade(type: "Editor", from: 1, to: 2) { state in state.rename("offset", to: "scrollOffset") }
  }
  let store = try RestorationStore(folder: folder, launch: LaunchOptions(bundleVersion: "42"))
  let restored = try store.restore(application, with: resolver)  // begins the launch, and ends crash loops
  print(restored.report?.summary ?? restored.plan.reason)  // restored 41 of 43; 2 not: …
  print(restored.report?.why("editor-2") ?? "")  // restored by type "Editor" after upgrade 1 -> 2
  for offer in restored.offers { print(offer) }  // ask the user: store.accept, store.decline, or later
  return store
}

func save(_ application: RestorableApplication, to store: RestorationStore, now: Date) throws {
  let header = ArchiveHeader(bundleVersion: "42", timestamp: now)
  try store.save(application.preserve(header: header), at: now)
}
// README sample ends.

/// The sample of README.md is the code above, and works.
@Suite struct ReadmeSampleTests {
  @Test func comesBack() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("readme-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    do {
      let editor = EditorWindow("editor-2")
      let decisions = Decisions()
      let application = RestorableApplication(delegate: decisions)
      let store = try launch(application, folder: folder)
      application.roots = [editor]
      (editor.scrollOffset, editor.text) = (7.5, "Dear Ada")
      try save(application, to: store, now: Date(timeIntervalSinceReferenceDate: 0))
      decisions.isPrivate = true
      editor.text = "Dear Charles"
      try save(application, to: store, now: Date(timeIntervalSinceReferenceDate: 1))
    }
    // The second launch saves what the first one has restored, and a third one finds it.
    for _ in 1...2 {
      let application = RestorableApplication()
      let store = try launch(application, folder: folder)
      let editor = try #require(application.roots.first as? EditorWindow)
      #expect(editor.scrollOffset == 7.5 && editor.text == "Dear Ada")
      #expect(application.report?.summary == "restored 1 of 1")
      try save(application, to: store, now: Date(timeIntervalSinceReferenceDate: 1))
      store.endLaunch()
    }
  }

  @Test func isTheSameText() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    let source = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
    let compiled = source.components(separatedBy: "// README sample begins.\n")[1].components(separatedBy: "// README sample ends.")[0]
    #expect(readme.contains("```swift\nimport StateRestoration\n\n\(compiled)```"))
  }
}
