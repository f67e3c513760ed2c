import Foundation
import StateRestoration
import Testing

// README sample begins.
final class EditorWindow: Restorable {
  static let restorationType = "Editor", restorationSchema = 2
  let restorationIdentifier: String? = "editor"
  @Restored var scrollOffset = 0.0  // key "scrollOffset"
  @Restored("draft") var text = ""
}

func launch(_ application: RestorableApplication, folder: String) throws -> RestorationStore {
  let resolver = try Resolver {
    Factory(type: "Editor") { _ in EditorWindow() }
    Alias("root/panes", to: "root/editors")  // renamed in this build
    Tombstone("root/welcome")  // gone on purpose
    Upgrade(type: "Editor", from: 1, to: 2) { state in state.rename("offset", to: "scrollOffset") }
  }
  let store = try RestorationStore(folder: folder)
  let reason = try store.beginLaunch(bundleVersion: "42")
  let options = RestorationOptions(launch: RestorationLaunch(reason: reason))
  let restored = try store.restore(application, with: resolver, options: options)
  print(restored.report?.summary ?? restored.plan.reason)  // restored 41 of 43; 2 not: …
  print(restored.report?.why("root/editors/2") ?? "")  // restored by type "Editor" after upgrade 1 -> 2
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
      let editor = EditorWindow()
      let application = RestorableApplication(roots: [editor])
      let store = try launch(application, folder: folder)
      (editor.scrollOffset, editor.text) = (7.5, "Dear Ada")
      try save(application, to: store, now: Date(timeIntervalSinceReferenceDate: 0))
    }
    let editor = EditorWindow()
    _ = try launch(RestorableApplication(roots: [editor]), folder: folder)
    #expect(editor.scrollOffset == 7.5)
    #expect(editor.text == "Dear Ada")
  }

  @Test func isTheSameText() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    let source = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
    let compiled = source.components(separatedBy: "// README sample begins.\n")[1].components(separatedBy: "// README sample ends.")[0]
    #expect(readme.contains("```swift\nimport StateRestoration\n\n\(compiled)```"))
  }
}
