import EngineKit
import Foundation
import Locking
import ProcessKit
import Testing

@testable import StateRestoration

/// Findings of a review of the store and the app.
extension AppRestorationTests {
  private func saved(_ restoration: AppRestoration, _ archive: ArchiveName = .application) throws -> Int? {
    try restoration.store.load(archive).archive?.reader.decoder(at: "counter").decode(Int.self, forKey: "count")
  }

  @Test("R1: in an app that does not restore, a scene opened before the host says that the storage is away is saved once it is back")
  func reviewSavesFreshScenes() async throws {
    let app = App(try TemporaryFolder(), Counter("app"))
    let restoration = try await app.launch { $0.restoresState = false }
    let counter = Counter()
    app.isStorageAvailable.isOn = false
    let scene = try restoration.openScene("a") { [counter] }
    app.isStorageAvailable.isOn = true
    counter.count = 3
    // Neither time nor the host's reports help.
    for _ in 0..<20 { await app.advance(.seconds(1)) }
    restoration.handle(.storage(isAvailable: false))
    restoration.handle(.storage(isAvailable: true))
    await app.advance(.seconds(10))
    #expect(scene.tree.condition != .pending)
    try restoration.saveNow()
    #expect(try saved(restoration, scene.archive) == 3)
  }

  @Test("R2: what a long turn has captured is written, although the timer fires before the turn ends")
  func reviewWritesAfterLongTurns() async throws {
    let object = SampleObject("object", values: ["x": 1])
    let app = App(try TemporaryFolder(), object)
    let restoration = try await app.launch()
    restoration.turn()
    restoration.setNeedsSave()
    object.encoding = { coder in
      try coder.encode(2, forKey: "x")
      // To capture takes a second.
      app.clock.advance(by: .seconds(1))
      Thread.sleep(forTimeInterval: 0.3)
    }
    restoration.turn()
    object.encoding = nil
    // The app waits for input for a minute.
    for _ in 0..<60 {
      app.clock.advance(by: .seconds(1))
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(try generations(restoration) == 1)
  }

  @Test("R4: a scene closed while the storage is away is removed when it is back, although its lock file is another one by then")
  func reviewRemovesAfterALostLock() async throws {
    let app = App(try TemporaryFolder(), Counter("app"))
    let restoration = try await app.launch()
    let counter = Counter()
    let scene = try restoration.openScene("a") { [counter] }
    try restoration.saveNow()
    app.isStorageAvailable.isOn = false
    restoration.handle(.storage(isAvailable: false))
    scene.close()
    try FileManager.default.removeItem(atPath: restoration.store.folder.path(of: "lock"))
    app.isStorageAvailable.isOn = true
    restoration.handle(.storage(isAvailable: true))
    await app.waitUntilIdle()
    while !restoration.store.mailboxes.undelivered.isEmpty { await Task.yield() }
    #expect(try restoration.store.reader.catalog().generations(of: scene.archive).isEmpty)
    #expect(try restoration.scenesLeftOpen() == [] && restoration.savedScenes() == [])
    await restoration.end()
  }

  @Test("R6: accepting an offer does not remove it, although the delegate forgets the blank state that it replaces")
  func reviewAcceptsOverForgottenState() async throws {
    let folder = try await App.folderWithCount()
    let counter = Counter()
    let app = App(folder, counter)
    let delegate = SampleDelegate()
    delegate.saving = { _ in .forget }
    app.delegate = delegate
    let restoration = try await app.launch { $0.isSafeMode = true }
    let offer = try #require(try restoration.offers().first)
    restoration.markStable()
    _ = try? await restoration.restore(offer)
    #expect(counter.count == 5)
    #expect(try !restoration.store.generations().isEmpty)
  }

  /// Moves a tab to another scene while the storage is away, closes its scene, and dies some calls after the storage is back.
  private func moveAndDie(after calls: Int) async throws -> (isDead: Bool, isThere: Bool) {
    let system = FaultySystem(SimulatedDisk())
    let app = App(try TemporaryFolder(), Counter("app"))
    let restoration = try await app.launch { ($0.system, $0.folder) = (system, "/store") }
    let tab = Counter()
    tab.count = 7
    var (left, right) = ([tab], [Counter]())
    let scene = try restoration.openScene("left") { left }
    let other = try restoration.openScene("right") { right }
    try restoration.saveNow()
    app.isStorageAvailable.isOn = false
    restoration.handle(.storage(isAvailable: false))
    (left, right) = ([], [tab])
    other.setNeedsSave()
    scene.close()
    app.isStorageAvailable.isOn = true
    system.die(after: calls)
    restoration.handle(.storage(isAvailable: true))
    while !system.isDead, !restoration.store.mailboxes.undelivered.isEmpty { await Task.yield() }
    let isDead = system.isDead
    let store = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(system.disk.afterProcessDeath())))
    let isThere = try [scene.archive, other.archive].contains { archive in
      try store.archives().contains(archive) && store.load(archive).archive?.reader.node(at: "counter") != nil
    }
    return (isDead, isThere)
  }

  @Test("R7: a tab that was moved while the storage was away, whose scene was closed then, is in exactly one, whenever the process dies")
  func reviewMovesWithoutStorage() async throws {
    var lost: [Int] = []
    for calls in 0..<200 {
      let (isDead, isThere) = try await moveAndDie(after: calls)
      if !isThere { lost.append(calls) }
      if !isDead { break }
    }
    #expect(lost == [])
  }

  @Test("R8: a tab that was moved to a scene whose last save has failed is not deleted with its old scene")
  func reviewMovesIntoAFailedSave() async throws {
    let system = FaultySystem(SimulatedDisk())
    let app = App(try TemporaryFolder(), Counter("app"))
    let restoration = try await app.launch { ($0.system, $0.folder) = (system, "/store") }
    let tab = Counter()
    tab.count = 7
    var (left, right) = ([tab], [Counter]())
    let scene = try restoration.openScene("left") { left }
    let other = try restoration.openScene("right") { right }
    try restoration.saveNow()
    (left, right) = ([], [tab])
    other.setNeedsSave()
    system.unreadablePrefix = "writing-scene-right"
    #expect(other.disconnect())
    while app.log.lines.isEmpty { await Task.yield() }
    scene.close()
    // The process is killed.
    let store = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(system.disk.afterProcessDeath())))
    let places = try [scene.archive, other.archive].filter { archive in
      try store.archives().contains(archive) && store.load(archive).archive?.reader.node(at: "counter") != nil
    }
    #expect(places.count == 1)
  }

  @Test("R10: while an app waits for its state, which another process holds, flush and end say that nothing is on the disk", arguments: [false, true])
  func reviewSaysThatItWaits(_ ends: Bool) async throws {
    let disk = SimulatedDisk()
    let counter = Counter()
    let app = App(try TemporaryFolder(), counter)
    app.isStorageAvailable.isOn = false
    let restoration = try await app.launch { ($0.system, $0.folder) = (FaultySystem(disk), "/store") }
    let other = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk)))
    app.isStorageAvailable.isOn = true
    restoration.handle(.storage(isAvailable: true))
    #expect(restoration.tree.condition == .pending)
    counter.count = 9
    let outcome = ends ? await restoration.end() : await restoration.flush()
    #expect(outcome == .deferred || outcome == .failed, "\(outcome)")
    withExtendedLifetime(other) {}
  }

  @Test("R11: an offer that waits for stability is not accepted after the end")
  func reviewAcceptsNothingAfterTheEnd() async throws {
    let folder = try await App.folderWithCount()
    let counter = Counter()
    let app = App(folder, counter)
    let restoration = try await app.launch()
    counter.count = 6
    try restoration.saveNow()
    let offer = try #require(try restoration.storedStates().last?.offer)
    let task = Task { try await restoration.restore(offer) }
    while !app.clock.hasSleeper(until: .milliseconds(500)) { await Task.yield() }
    await restoration.end()
    app.clock.advance(by: .milliseconds(500))
    _ = try? await task.value
    #expect(counter.count == 6)
    #expect(restoration.store.launch.history == nil, "no launch begins")
    #expect(throws: Never.self) { try RestorationStore(folder: restoration.store.folder.path) }
  }
}
