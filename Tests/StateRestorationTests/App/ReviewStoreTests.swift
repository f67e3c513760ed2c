import EngineKit
import Foundation
import Locking
import ProcessKit
import PropertyKit
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

  @Test("R14: what a scene has saved is not kept in memory once it is put away")
  func reviewReleasesScenes() async throws {
    let app = App(try TemporaryFolder(), Counter("app"))
    let restoration = try await app.launch()
    for number in 0..<20 {
      let counter = Counter()
      let scene = try restoration.openScene("s\(number)") { [counter] }
      try restoration.saveNow()
      #expect(scene.disconnect())
    }
    while !restoration.store.mailboxes.undelivered.isEmpty { await Task.yield() }
    let kept = restoration.store.writer.withLock { writer in writer.archives.values.filter { $0.current?.snapshot != nil }.count }
    #expect(kept <= 1)
  }

  @Test("R15: after the folder was removed, an open scene that has not changed is saved again with what has")
  func reviewSavesEverythingAgain() async throws {
    let counter = Counter("app")
    let app = App(try TemporaryFolder(), counter)
    let restoration = try await app.launch()
    let other = Counter()
    let scene = try restoration.openScene("a") { [other] }
    other.count = 4
    try restoration.saveNow()
    try FileManager.default.removeItem(atPath: restoration.store.folder.path)
    counter.count = 1
    await app.advance(.seconds(1))
    await app.advance(.seconds(60))
    #expect(try saved(restoration, scene.archive) == 4)
  }

  @Test("R16: each archive that could not be restored is reported, and not only the first")
  func reviewReportsEachArchive() async throws {
    let disk = SimulatedDisk()
    let app = App(try TemporaryFolder(), Counter("app"))
    app.isStorageAvailable.isOn = false
    let restoration = try await app.launch { ($0.system, $0.folder) = (FaultySystem(disk), "/store") }
    _ = try restoration.openScene("a") { [Counter()] }
    let other = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk)))
    app.isStorageAvailable.isOn = true
    restoration.handle(.storage(isAvailable: true))
    #expect(app.log.lines.map { String($0.prefix { $0 != " " }) }.sorted() == ["application", "scene"], "\(app.log.lines)")
    withExtendedLifetime(other) {}
  }

  @Test("R22: a scene that is closed when the storage is back, before the host says so, does not take a tab along that was moved before")
  func reviewClosesBeforeTheHostReports() async throws {
    let system = FaultySystem(SimulatedDisk())
    let app = App(try TemporaryFolder(), Counter("app"))
    let restoration = try await app.launch { ($0.system, $0.folder) = (system, "/store") }
    let tab = Counter()
    var (left, right) = ([tab], [Counter]())
    let scene = try restoration.openScene("left") { left }
    let other = try restoration.openScene("right") { right }
    try restoration.saveNow()
    app.isStorageAvailable.isOn = false
    restoration.handle(.storage(isAvailable: false))
    (left, right) = ([], [tab])
    other.setNeedsSave()
    app.isStorageAvailable.isOn = true
    scene.close()
    // The process is killed.
    let store = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(system.disk.afterProcessDeath())))
    let places = try [scene.archive, other.archive].filter { archive in
      try store.archives().contains(archive) && store.load(archive).archive?.reader.node(at: "counter") != nil
    }
    #expect(places.count == 1)
  }

  @Test("R23: a scene that is restored at the moment at which the storage comes back is saved, and is not restored twice")
  func reviewRestoresOnce() async throws {
    let app = App(try TemporaryFolder(), Counter("app"))
    let callsLeft = Lock<Int?>(nil)
    let restoration = try await app.launch { configuration in
      configuration.isStorageAvailable = {
        callsLeft.withLock { calls in
          guard let left = calls else { return true }
          calls = max(0, left - 1)
          return left == 0
        }
      }
    }
    let first = try restoration.openScene("a") { [Counter()] }
    try restoration.saveNow()
    #expect(first.disconnect())
    while !restoration.store.mailboxes.undelivered.isEmpty { await Task.yield() }
    restoration.handle(.storage(isAvailable: false))
    callsLeft.withLock { $0 = 1 }
    let counter = Counter()
    let scene = try restoration.openScene("a") { [counter] }
    #expect(scene.launch?.isWaiting == false)
    counter.count = 3
    await app.advance(.seconds(10))
    restoration.handle(.storage(isAvailable: true))
    await app.advance(.seconds(10))
    #expect(try saved(restoration, scene.archive) == 3)
    #expect(restoration.lastError == nil, "\(String(describing: restoration.lastError))")
  }

  @Test("R24: whatever has happened, changes are captured and archives are restored once the storage is there", arguments: [false, true])
  func reviewMachineGetsThere(_ restoresState: Bool) {
    let names = ["a", "b", "c"].compactMap { ArchiveName.scene($0) }
    var stuck: [UInt64] = []
    for seed in 0..<20_000 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var machine = ApplicationLifecycle()
      var now = Duration.zero
      var unrestored: Set<ArchiveName> = []
      var isBlocking = false
      var isQuiet = false
      func send(_ event: LifecycleEvent) {
        for action in machine.handle(event, now: now) {
          guard let archive = Self.restored(action) else { continue }
          if isQuiet || Int.random(in: 0..<3, using: &random) > 0 {
            unrestored.remove(archive)
            send(.restored(archive))
          } else {
            unrestored.insert(archive)
            send(.notRestored(archive))
          }
        }
      }
      send(.launched(inBackground: false, restoresState: restoresState))
      for _ in 0..<25 {
        now += .milliseconds(Int.random(in: 0..<4000, using: &random))
        let name = names[Int.random(in: 0..<3, using: &random)]
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1, 2: send(.opened(name))
        case 3, 4: send(.changed(name))
        case 5: send(.failed(name))
        case 6: send(.disconnected(name))
        case 7: send(.closed(name))
        case 8: send(.storage(isAvailable: false))
        case 9: send(.storage(isAvailable: true))
        case 10: send(.enteredBackground)
        case 11: send(.suspending)
        case 12: send(.willEnterForeground)
        case 13: send(.stable(name))
        case 14 where seed % 4 == 0:
          isBlocking = true
          send(.turnEnded)
        default: send(.tick)
        }
      }
      isQuiet = true
      send(.willEnterForeground)
      send(.storage(isAvailable: true))
      for _ in 0..<40 {
        now = max(now, machine.nextTick ?? now)
        send(.tick)
        if isBlocking {
          now += .seconds(1)
          send(.turnEnded)
        }
      }
      if names.contains(where: { machine.isOpen($0) && (machine.hasChanges($0) || unrestored.contains($0)) }) { stuck.append(seed) }
    }
    #expect(stuck.isEmpty, "\(stuck.count): \(stuck.prefix(5))")
  }

  private static func restored(_ action: LifecycleAction) -> ArchiveName? {
    switch action {
    case .restore(let archive), .startFresh(let archive): archive
    default: nil
    }
  }
}
