import EngineKit
import Foundation
import Locking
import ProcessKit
import Testing

@testable import StateRestoration

/// The archives of an app that are captured in one turn (Behaviours 102, 103).
extension AppRestorationTests {
  /// An app on a disk of its own, with an object and the scenes `left` and `right`, all saved.
  @MainActor
  private final class Windows {
    let system = FaultySystem(SimulatedDisk())
    let counters = [Counter("app"), Counter("left"), Counter("right")]
    let app: App
    let restoration: AppRestoration
    let scenes: [AppScene]

    init() async throws {
      let (system, counters) = (system, counters)
      app = App(try TemporaryFolder(), counters[0])
      restoration = try await app.launch {
        $0.system = system
        $0.folder = "/store"
      }
      let restoration = restoration
      scenes = try counters.dropFirst().map { counter in
        try restoration.openScene(counter.restorationIdentifier ?? "") { [counter] }
      }
      try restoration.saveNow()
    }

    /// The new names of the files that `body` writes; those of archives without their numbers.
    func names(_ body: () -> Void) -> [String] {
      system.recording(body).compactMap(\.newName).map { Generation(fileName: $0)?.archive.fileName ?? $0 }
    }

    func count(_ archive: ArchiveName) throws -> Int? {
      let path = try RestorationPath(components: [archive.scene ?? "app"])
      return try restoration.store.load(archive).archive?.reader.decoder(at: path).decode(Int.self, forKey: "count")
    }
  }

  @Test(
    "closing a scene saves the changes of the other archives with it, also those that a turn has captured before", arguments: [false, true])
  func closesTogether(_ isBlocking: Bool) async throws {
    let windows = try await Windows()
    windows.counters[0].count = 1
    windows.counters[2].count = 2
    if isBlocking { windows.restoration.turn() }
    let names = windows.names { windows.scenes[0].close() }
    #expect(Set(names.prefix { $0 != "ledger.rsta" }) == ["group", "application", "scene-right"], "\(names)")
  }

  @Test("the changes of all archives are saved on record, once those of one are due")
  func savesTogether() async throws {
    let windows = try await Windows()
    windows.counters[0].count = 1
    await windows.app.advance(.milliseconds(400))
    windows.counters[2].count = 2
    windows.app.clock.advance(by: .milliseconds(100))
    await windows.app.waitUntilIdle()
    #expect(try windows.count(.application) == 1 && windows.count(#require(.scene("right"))) == 2)
  }

  @Test("closing a scene saves the changes of the app and of the other scenes with its removal")
  func closesWithChanges() async throws {
    let windows = try await Windows()
    windows.counters[0].count = 1
    windows.counters[2].count = 2
    let names = windows.names { windows.scenes[0].close() }
    #expect(names.filter { !$0.hasPrefix("ledger") } == ["group", "application", "scene-right"])
    #expect(try windows.count(.application) == 1 && windows.count(#require(.scene("right"))) == 2)
    #expect(try windows.restoration.savedScenes() == ["right"])
    #expect(!windows.system.disk.names.contains { $0.hasPrefix("scene-left") || $0 == SaveGroup.fileName })
  }

  @Test("a scene is closed on a full disk, which makes room")
  func closesOnAFullDisk() async throws {
    let windows = try await Windows()
    windows.system.isFull = true
    windows.scenes[0].close()
    #expect(!windows.system.disk.names.contains { $0.hasPrefix("scene-left") }, "\(windows.system.disk.names)")
    windows.system.isFull = false
    try windows.restoration.saveNow()
    let disk = windows.system.disk.afterProcessDeath()
    let store = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk)), access: .reading)
    #expect(try store.archives().compactMap(\.scene) == ["right"] && store.openScenes() == [#require(.scene("right"))])
  }

  @Test("a scene whose last save has failed is opened again with what the user saw last, or not yet")
  func opensWhatWaits() async throws {
    let windows = try await Windows()
    windows.system.isFull = true
    windows.counters[1].count = 9
    windows.scenes[0].disconnect()
    await windows.app.waitUntilIdle()
    let counter = Counter("left")
    #expect(throws: StoreError.self) { try windows.restoration.openScene("left") { [counter] } }
    #expect(counter.count == 0)
    windows.system.isFull = false
    _ = try windows.restoration.openScene("left") { [counter] }
    #expect(counter.count == 9)
  }

  @Test("a scene that cannot be opened takes nothing from the schedule of the others")
  func keepsTheSchedule() async throws {
    let windows = try await Windows()
    windows.scenes[0].disconnect()
    await windows.app.waitUntilIdle()
    windows.counters[0].count = 5
    let (delegate, counter) = (SampleDelegate(), Counter("left"))
    delegate.restoring = { _, _ in .never }
    // The state cannot be put away.
    windows.system.isReadOnly = true
    #expect(throws: StoreError.self) { try windows.restoration.openScene("left", delegate: delegate) { [counter] } }
    windows.system.isReadOnly = false
    await windows.app.advance(.seconds(6))
    #expect(try windows.count(.application) == 5)
  }

  @Test("a closed scene stays closed if something else has removed the lock file (Behaviours 103)")
  func closesWithoutALockFile() async throws {
    let windows = try await Windows()
    await windows.app.waitUntilIdle()
    windows.system.disk.state.withLock { _ = $0.names.removeValue(forKey: "/store/lock") ?? $0.names.removeValue(forKey: "lock") }
    #expect(!windows.system.disk.names.contains { $0.hasSuffix("lock") })
    windows.scenes[0].close()
    #expect(!windows.system.disk.names.contains { $0.contains("scene-left") }, "\(windows.system.disk.names)")
    #expect(try windows.restoration.scenesLeftOpen() == ["right"])
  }

  @Test("109: the end reports that the removal of a closed scene, or the last save of one, has failed", arguments: [false, true])
  func endsWithFailures(_ closes: Bool) async throws {
    let windows = try await Windows()
    await windows.app.waitUntilIdle()
    if closes {
      windows.system.stubbornPrefix = "scene-left"
      windows.scenes[0].close()
    } else {
      windows.counters[1].count = 9
      windows.system.isFull = true
      windows.scenes[0].disconnect()
    }
    // A first failure, on another thread.
    while windows.app.log.lines.isEmpty { await Task.yield() }
    #expect(await windows.restoration.end(within: .zero) == .failed)
  }

  @Test("the removal of a closed scene that fails is reported, and tried again without another change (Behaviours 103)")
  func retriesRemovals() async throws {
    let windows = try await Windows()
    await windows.app.waitUntilIdle()
    windows.system.stubbornPrefix = "scene-left"
    windows.scenes[0].close()
    #expect(try windows.restoration.savedScenes() == ["right"])
    #expect(windows.system.disk.names.contains { $0.hasPrefix("scene-left") })
    // The thread that writes may have taken the removal, and reports after the writer is free again.
    while windows.app.log.lines.isEmpty { await Task.yield() }
    #expect(windows.app.log.lines.count == 1 && windows.app.log.lines[0].hasPrefix("scene left could not be saved"))
    windows.system.stubbornPrefix = nil
    try await windows.app.advance {
      !windows.system.disk.names.contains { $0.hasPrefix("scene-left") || $0 == SaveGroup.fileName }
    }
    #expect(try windows.restoration.savedScenes() == ["right"])
  }
}

extension SimulatedDisk {
  fileprivate var names: [String] { state.withLock { $0.names.keys.sorted() } }
}
