import EngineKit
import Foundation
import Locking
import ProcessKit
import Testing

@testable import StateRestoration

/// An app whose storage goes away and comes back, reported by the host or found by a save; and storage that refuses or hangs.
extension AppRestorationTests {
  private static let scene = "a"

  /// Opens a scene, and saves it with a counter of 4.
  private func openScene(_ restoration: AppRestoration) throws -> (AppScene, Counter) {
    let counter = Counter()
    let scene = try restoration.openScene(Self.scene) { [counter] }
    counter.count = 4
    try restoration.saveNow()
    return (scene, counter)
  }

  /// Returns a count that is saved.
  private func count(_ restoration: AppRestoration, _ archive: ArchiveName = .application) throws -> Int? {
    try restoration.store.load(archive).archive?.reader.decoder(at: "counter").decode(Int.self, forKey: "count")
  }

  /// Waits until a save has found the storage away.
  private func awaitDeferral(of archive: ArchiveName, _ restoration: AppRestoration) async {
    let mailboxes = restoration.store.mailboxes
    while (try? mailboxes.newest(of: archive).flatMap { mailboxes.result(of: $0, archive) }?.get()) != .deferred { await Task.yield() }
  }

  /// Reports that the storage is away and back.
  private func comeBack(_ app: App, _ restoration: AppRestoration) async {
    restoration.handle(.storage(isAvailable: false))
    app.isStorageAvailable.isOn = true
    restoration.handle(.storage(isAvailable: true))
    await app.waitUntilIdle()
    while !restoration.store.mailboxes.undelivered.isEmpty { await Task.yield() }
  }

  @Test("a save that finds the storage away is written when it is back, whether or not the host reports that", arguments: [false, true])
  func writesWhatFoundStorageAway(_ isReported: Bool) async throws {
    let counter = Counter()
    let app = App(try TemporaryFolder(), counter)
    let restoration = try await app.launch()
    counter.count = 1
    try restoration.saveNow()
    counter.count = 2
    await app.waitUntilIdle()
    app.isStorageAvailable.isOn = false
    app.clock.advance(by: .seconds(1))
    await awaitDeferral(of: .application, restoration)
    #expect(try count(restoration) == nil, "the storage is away")
    if isReported {
      await comeBack(app, restoration)
    } else {
      app.isStorageAvailable.isOn = true
      await app.advance(.seconds(5))
    }
    #expect(try count(restoration) == 2)
    #expect(app.log.lines.isEmpty)
  }

  @Test("a scene that is closed while the storage is away is deleted when it is back")
  func removesWhatFoundStorageAway() async throws {
    let app = App(try TemporaryFolder(), Counter())
    let restoration = try await app.launch()
    let (scene, _) = try openScene(restoration)
    app.isStorageAvailable.isOn = false
    restoration.handle(.storage(isAvailable: false))
    scene.close()
    await comeBack(app, restoration)
    while restoration.store.mailboxes.isUnfinished(scene.archive) { await Task.yield() }
    #expect(try restoration.store.reader.catalog().generations(of: scene.archive).isEmpty)
    #expect(try restoration.scenesLeftOpen() == [])
  }

  @Test(
    "a scene that is opened while the storage is away, before or after the host says so, is restored when it is back",
    arguments: [false, true])
  func restoresScenesOpenedMeanwhile(_ isReported: Bool) async throws {
    let folder = try TemporaryFolder()
    do {
      let app = App(folder, Counter())
      let restoration = try await app.launch()
      let counter = Counter()
      _ = try restoration.openScene(Self.scene) { [counter] }
      counter.count = 4
      await restoration.end()
    }
    let app = App(folder, Counter())
    let restoration = try await app.launch()
    let (counter, new) = (Counter(), Counter())
    app.isStorageAvailable.isOn = false
    if isReported { restoration.handle(.storage(isAvailable: false)) }
    let scene = try restoration.openScene(Self.scene) { [counter] }
    _ = try restoration.openScene("new") { [new] }
    #expect(scene.launch?.isWaiting == true)
    await comeBack(app, restoration)
    #expect(counter.count == 4)
    counter.count = 5
    await app.advance(.seconds(1))
    #expect(try count(restoration, scene.archive) == 5)
    // A new scene is a change, also if it had to wait.
    #expect(try restoration.scenesLeftOpen() == [Self.scene, "new"])
  }

  @Test("a scene is restored with its last save, although that waits for the storage")
  func deliversBeforeRestoring() async throws {
    let app = App(try TemporaryFolder(), Counter())
    let restoration = try await app.launch()
    let (scene, counter) = try openScene(restoration)
    counter.count = 9
    app.isStorageAvailable.isOn = false
    #expect(scene.disconnect())
    await awaitDeferral(of: scene.archive, restoration)
    restoration.handle(.storage(isAvailable: false))
    let again = Counter()
    _ = try restoration.openScene(Self.scene) { [again] }
    app.isStorageAvailable.isOn = true
    restoration.handle(.storage(isAvailable: true))
    #expect(again.count == 9)
  }

  @Test("an offer that is accepted while the storage is away changes nothing, and says so")
  func keepsOffersWithoutStorage() async throws {
    let folder = try await App.folderWithCount()
    let counter = Counter()
    let app = App(folder, counter)
    let restoration = try await app.launch { $0.isSafeMode = true }
    counter.count = 6
    try restoration.saveNow()
    let offer = try #require(try restoration.offers().first)
    counter.count = 7
    app.isStorageAvailable.isOn = false
    await #expect(throws: StoreError.inaccessible) { try await restoration.restore(offer) }
    #expect(throws: StoreError.inaccessible) { try restoration.store.accept(offer) }
    app.isStorageAvailable.isOn = true
    restoration.store.writeWaiting()
    #expect(try counter.count == 7 && count(restoration) == 7)
    #expect(try restoration.offers().map(\.reason) == [.safeMode])
  }

  @Test("a wipe, and the answer to an offer, change nothing while the storage is away, and say so", arguments: 0..<3)
  func wipesNothingWithoutStorage(_ way: Int) async throws {
    let folder = try await App.folderWithCount()
    let counter = Counter()
    let app = App(folder, counter)
    let restoration = try await app.launch { $0.isSafeMode = true }
    counter.count = 6
    try restoration.saveNow()
    let offer = try #require(try restoration.offers().first)
    // The disk is unmounted.
    let (path, away) = (restoration.store.folder.path, restoration.store.folder.path + ".away")
    try FileManager.default.moveItem(atPath: path, toPath: away)
    app.isStorageAvailable.isOn = false
    restoration.handle(.storage(isAvailable: false))
    var hasThrown = false
    do {
      switch way {
      case 0: try restoration.store.forget()
      case 1: try restoration.decline(offer)
      default: _ = try restoration.store.release(RestorationPath(parsing: "counter"))
      }
    } catch {
      hasThrown = true
    }
    #expect(hasThrown)
    #expect(!FileManager.default.fileExists(atPath: path), "nothing is made where the disk is to be mounted")
    try? FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: away, toPath: path)
    app.isStorageAvailable.isOn = true
    restoration.handle(.storage(isAvailable: true))
    await restoration.end()
  }

  @Test("a launch that waits for the storage, and then finds it taken or out of order, is tried again", arguments: [false, true])
  func restoresAgain(_ isReported: Bool) async throws {
    let disk = SimulatedDisk()
    let folder = try TemporaryFolder()
    do {
      let counter = Counter()
      let app = App(folder, counter)
      let restoration = try await app.launch { ($0.system, $0.folder) = (FaultySystem(disk), "/store") }
      counter.count = 4
      await restoration.end()
    }
    let remains = disk.afterProcessDeath()
    let counter = Counter()
    let app = App(folder, counter)
    app.isStorageAvailable.isOn = false
    let restoration = try await app.launch { ($0.system, $0.folder) = (FaultySystem(remains), "/store") }
    var other: RestorationStore? = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(remains)))
    app.isStorageAvailable.isOn = true
    restoration.handle(.storage(isAvailable: true))
    // Without waiting: what other tests change meanwhile may be of this app, and would be newer.
    func tryAgain() {
      app.clock.advance(by: .seconds(5))
      restoration.handle(.tick)
    }
    tryAgain()
    #expect(counter.count == 0 && restoration.lastError != nil)
    #expect(app.log.lines.count == 1 && app.log.lines[0].hasPrefix("application could not be restored; trying again: store: in use by "))
    // Until here, it holds the lock.
    withExtendedLifetime(other) { other = nil }
    if isReported { restoration.handle(.storage(isAvailable: false)) }
    if isReported { restoration.handle(.storage(isAvailable: true)) } else { tryAgain() }
    #expect(counter.count == 4 && restoration.lastError == nil)
    counter.count = 5
    try restoration.saveNow()
    #expect(try count(restoration) == 5)
  }

  @Test("a closed scene is opened anew, although its files cannot be removed", arguments: [false, true])
  func opensWhatCannotBeRemoved(_ isFolder: Bool) async throws {
    let app = App(try TemporaryFolder(), Counter())
    let system = FaultySystem(SimulatedDisk())
    let restoration = try await app.launch { if !isFolder { ($0.system, $0.folder) = (system, "/store") } }
    let (scene, _) = try openScene(restoration)
    await app.waitUntilIdle()
    if isFolder {
      let path = restoration.store.folder.path(of: Generation(scene.archive, 1, .frozen).fileName)
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } else {
      system.stubbornPrefix = "scene-a"
    }
    scene.close()
    let again = Counter()
    _ = try restoration.openScene(Self.scene) { [again] }
    #expect(again.count == 0)
    // The folder is set aside, and the removal is finished.
    if isFolder { #expect(try !restoration.store.folder.names().contains("group")) }
  }

  @Test("a removal that is done by a later launch does not take a scene opened again from those left open")
  func listsWhatWasOpenedAgain() async throws {
    let system = FaultySystem(SimulatedDisk())
    do {
      let app = App(try TemporaryFolder(), Counter("app"))
      let restoration = try await app.launch { ($0.system, $0.folder) = (system, "/store") }
      let scene = try restoration.openScene("a") { [Counter()] }
      try restoration.saveNow()
      system.stubbornPrefix = "scene-a"
      scene.close()
    }
    let remains = FaultySystem(system.disk.afterProcessDeath())
    remains.stubbornPrefix = "scene-a"
    let counter = Counter("app")
    let app = App(try TemporaryFolder(), counter)
    let restoration = try await app.launch { ($0.system, $0.folder) = (remains, "/store") }
    let delegate = SampleDelegate()
    // It is not ready to be saved.
    delegate.saving = { _ in .keepPrevious }
    _ = try restoration.openScene("a", delegate: delegate) { [Counter()] }
    remains.stubbornPrefix = nil
    counter.count = 1
    try restoration.saveNow()
    delegate.saving = { _ in .save }
    try restoration.saveNow()
    #expect(try restoration.savedScenes() == ["a"])
    #expect(try restoration.scenesLeftOpen() == ["a"])
    await restoration.end()
  }

  @Test("a scene that is reopened in safe mode has its state", arguments: [false, true])
  func reopensInSafeMode(_ isClosedInSafeMode: Bool) async throws {
    let folder = try TemporaryFolder()
    if !isClosedInSafeMode {
      let app = App(folder, Counter())
      let restoration = try await app.launch()
      let counter = Counter()
      let scene = try restoration.openScene(Self.scene) { [counter] }
      counter.count = 4
      #expect(try scene.closeRecoverably())
      await restoration.end()
    }
    let app = App(folder, Counter())
    let restoration = try await app.launch { $0.isSafeMode = true }
    if isClosedInSafeMode {
      let counter = Counter()
      let scene = try restoration.openScene(Self.scene) { [counter] }
      counter.count = 4
      #expect(try scene.closeRecoverably())
    }
    let counter = Counter()
    let scene = try restoration.reopenScene(#require(try restoration.recentlyClosedScenes().first)) { [counter] }
    #expect(counter.count == 4 && scene.launch?.freshStart == nil)
  }

  @Test("a launch that must not restore restores what it has saved itself: a scene that was put away and is opened again")
  func restoresOwnSaves() async throws {
    let app = App(try TemporaryFolder(), Counter())
    let restoration = try await app.launch { $0.restoresState = false }
    let (scene, _) = try openScene(restoration)
    scene.disconnect()
    let again = Counter()
    _ = try restoration.openScene(Self.scene) { [again] }
    #expect(again.count == 4)
  }

  @Test("a scene that goes away while the app ends, and stays away when the end is cancelled, is not left open")
  func closesAfterACancelledEnd() async throws {
    let app = App(try TemporaryFolder(), Counter())
    let restoration = try await app.launch()
    let scenes = try ["a", "b"].map { name in try restoration.openScene(name) { [Counter()] } }
    try restoration.saveNow()
    restoration.beginEnding()
    for scene in scenes { scene.close() }
    #expect(try restoration.scenesLeftOpen() == ["a", "b"])
    _ = try restoration.openScene("b") { [Counter()] }
    restoration.cancelEnding()
    #expect(try restoration.scenesLeftOpen() == ["b"])
    try restoration.saveNow()
    let ledger = try #require(restoration.store.launch.readLedger())
    #expect(ledger.openScenes?.compactMap(\.scene) == ["b"])
  }

  @Test("a scene stays among those left open until its last save is on the disk, and one that is opened again comes back to them")
  func listsUntilSaved() async throws {
    let app = App(try TemporaryFolder(), Counter())
    let system = FaultySystem(SimulatedDisk())
    let restoration = try await app.launch { ($0.system, $0.folder) = (system, "/store") }
    func listed() -> [String]? { restoration.store.launch.readLedger()?.openScenes?.compactMap(\.scene) }
    let counter = Counter()
    var scene = try restoration.openScene(Self.scene) { [counter] }
    try restoration.saveNow()
    #expect(listed() == [Self.scene])
    system.isFull = true
    counter.count = 1
    #expect(scene.disconnect())
    while app.log.lines.isEmpty { await Task.yield() }
    #expect(try listed() == [Self.scene] && restoration.scenesLeftOpen() == [])
    system.isFull = false
    restoration.store.writeWaiting()
    #expect(listed() == [])
    let again = Counter()
    scene = try restoration.openScene(Self.scene) { [again] }
    #expect(again.count == 1)
    // Nothing else has changed.
    await app.advance(.seconds(1))
    #expect(listed() == [Self.scene])
    scene.disconnect()
  }

  @Test("an app that does not restore, and starts while the storage is away, saves once it is back")
  func savesAFreshStartWithoutStorage() async throws {
    let counter = Counter()
    let app = App(try TemporaryFolder(), counter)
    app.isStorageAvailable.isOn = false
    let restoration = try await app.launch { $0.restoresState = false }
    counter.count = 3
    app.isStorageAvailable.isOn = true
    restoration.handle(.storage(isAvailable: true))
    try restoration.saveNow()
    #expect(try count(restoration) == 3)
  }
}
