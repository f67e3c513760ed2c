import EngineKit
import Foundation
import ProcessKit
import StateRestoration
import Testing

/// One change on its way to the disk, and one launch on its way to an object, with the public interface alone.
///
/// The source files that these tests execute are the length of the two roads: see *Coverage* in CONTRIBUTING.md.
@MainActor
@Suite struct RoadTests {
  @MainActor
  final class Note: @MainActor Restorable {
    static let restorationType = "Note"
    let restorationIdentifier: String? = "note"
    @Restored var text = ""
  }

  @MainActor
  final class Window {
    var note: Note?
  }

  private func restoration(_ folder: TemporaryFolder, _ clock: VirtualClock, _ window: Window) throws -> AppRestoration {
    var configuration = AppConfiguration(bundleIdentifier: "org.example.road", bundleVersion: "1", folder: folder.url("store").path)
    configuration.handlesSignals = false
    configuration.recordsFatalSignals = false
    return try AppRestoration(configuration, clock: clock, roots: { window.note.map { [$0] } ?? [] }) {
      Factory(Note.self) { _ in
        window.note = Note()
        return window.note
      }
    }
  }

  /// The text on the disk; nil if nothing is saved.
  private func savedText(_ folder: TemporaryFolder) throws -> String? {
    let store = try RestorationStore(folder: folder.url("store").path, access: .reading)
    return try store.load().archive?.reader.decoder(at: "note").decode(String.self, forKey: "text")
  }

  @Test("one changed property reaches the disk", .timeLimit(.minutes(1)))
  func changeReachesTheDisk() async throws {
    let (folder, clock, window, note) = (try TemporaryFolder(), VirtualClock(), Window(), Note())
    window.note = note
    let restoration = try restoration(folder, clock, window)
    try restoration.launch()
    // Saved as a whole, and then as what has changed.
    for text in [String(repeating: "long ", count: 2000), "short"] {
      note.text = text
      clock.advance(by: .seconds(1))
      while try savedText(folder) != text { await Task.yield() }
    }
    #expect(await restoration.end() == .unchanged)
  }

  @Test("a launch restores an object")
  func launchReachesTheObject() async throws {
    let (folder, window) = (try TemporaryFolder(), Window())
    let store = try RestorationStore(folder: folder.url("store").path)
    try store.save(
      [UInt8](
        ArchiveTree(header: ArchiveHeader(bundleVersion: "1"), nodes: [ArchiveNode("note", type: "Note", state: ["text": "saved"])])
          .encoded()))
    store.endLaunch()
    let restoration = try restoration(folder, VirtualClock(), window)
    let launch = try restoration.launch()
    #expect(window.note?.text == "saved")
    #expect(launch.report?.nodes.map(\.outcome.name) == ["restored"])
  }
}
