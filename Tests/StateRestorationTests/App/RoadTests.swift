import EngineKit
import Foundation
import ProcessKit
import StateRestoration
import Testing

/// One change on its way to the disk, and one launch on its way to an object, with the public interface alone.
///
/// `.ci/roads` counts the source files on each road: it compares the test with another one that does all but the change, or
/// all but the launch.
/// CONTRIBUTING.md follows them file by file.
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

  /// Whether a file of the store contains a text; looks at the bytes, because reading an archive is another road.
  private func isSaved(_ text: String, in folder: TemporaryFolder) throws -> Bool {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url("store").path)
    return try names.contains { name in
      guard name.hasSuffix(".rsta"), !name.hasPrefix("writing-") else { return false }
      return try Data(contentsOf: folder.url("store/\(name)")).range(of: Data(text.utf8)) != nil
    }
  }

  /// Launches without saved state, changes a property once for each text, waits until each is on the disk, and ends.
  private func run(changing texts: [String], in folder: TemporaryFolder) async throws {
    let (clock, window, note) = (VirtualClock(), Window(), Note())
    window.note = note
    let restoration = try restoration(folder, clock, window)
    try restoration.launch()
    for text in texts {
      note.text = text
      clock.advance(by: .seconds(1))
      while try !isSaved(text, in: folder) { await Task.yield() }
    }
    _ = await restoration.end()
  }

  @Test("one changed property reaches the disk", .timeLimit(.minutes(10)))
  func changeReachesTheDisk() async throws {
    let folder = try TemporaryFolder()
    // Saved as a whole, and then as what has changed.
    try await run(changing: [String(repeating: "long ", count: 2000), "another"], in: folder)
    #expect(try isSaved("another", in: folder))
  }

  @Test("an app that changes nothing saves what it has when it ends", .timeLimit(.minutes(10)))
  func nothingChanges() async throws {
    let folder = try TemporaryFolder()
    try await run(changing: [], in: folder)
    #expect(try !isSaved("another", in: folder))
  }

  /// Saves a note without an app.
  private func save(_ text: String, in folder: TemporaryFolder) throws {
    let store = try RestorationStore(folder: folder.url("store").path)
    let node = ArchiveNode("note", type: "Note", state: ["text": .string(text)])
    try store.save([UInt8](ArchiveTree(header: ArchiveHeader(bundleVersion: "1"), nodes: [node]).encoded()))
    store.endLaunch()
  }

  @Test("a launch restores an object")
  func launchReachesTheObject() throws {
    let (folder, window) = (try TemporaryFolder(), Window())
    try save("saved", in: folder)
    let restoration = try restoration(folder, VirtualClock(), window)
    try restoration.launch()
    #expect(window.note?.text == "saved")
  }

  @Test("a saved note is on the disk")
  func nothingLaunches() throws {
    let folder = try TemporaryFolder()
    try save("saved", in: folder)
    #expect(try isSaved("saved", in: folder))
  }
}
