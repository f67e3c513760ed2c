import EngineKit
import Foundation
import Locking
import ProcessKit
import PropertyKit
import Testing

@testable import StateRestoration

/// Apps whose storage, lock or actor is not there at the moment, and scenes that are closed meanwhile.
extension AppRestorationTests {
  private func saved(_ restoration: AppRestoration, _ archive: ArchiveName = .application) throws -> Int? {
    try restoration.store.load(archive).archive?.reader.decoder(at: "counter").decode(Int.self, forKey: "count")
  }

  @Test("in an app that does not restore, a scene opened before the host says that the storage is away is saved once it is back")
  func savesFreshScenes() async throws {
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

  @Test("what a long turn has captured is written, although the timer fires before the turn ends")
  func writesAfterLongTurns() async throws {
    let clock = VirtualClock()
    let writes = Lock(0)
    let schedule = Schedule(timing: ApplicationLifecycle.Timing(), clock: AppClock(clock), report: { _ in }, ask: {})
    schedule.begin { actions in if actions.contains(.write) { writes.withLock { $0 += 1 } } }
    _ = schedule.handle(.launched(inBackground: false, restoresState: true))
    _ = schedule.handle(.opened(.application))
    _ = schedule.handle(.restored(.application))
    schedule.beginTurn()
    schedule.noteChange(.application)
    #expect(schedule.handle(.turnEnded).contains(.capture([.application])))
    // To capture takes a second.
    while !clock.hasSleeper(until: .milliseconds(500)) { await Task.yield() }
    clock.advance(by: .seconds(1))
    for _ in 0..<1000 { await Task.yield() }
    schedule.endTurn()
    // The app waits for input.
    for _ in 0..<10_000 where writes.withLock({ $0 }) == 0 {
      clock.advance(by: .milliseconds(100))
      await Task.yield()
    }
    #expect(writes.withLock { $0 } == 1)
    schedule.end()
  }

  @Test("a scene closed while the storage is away is removed when it is back, although its lock file is another one by then")
  func removesAfterALostLock() async throws {
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

  @Test("a tab that was moved while the storage was away, whose scene was closed then, is in exactly one, whenever the process dies")
  func movesWithoutStorage() async throws {
    var lost: [Int] = []
    for calls in 0..<200 {
      let (isDead, isThere) = try await moveAndDie(after: calls)
      if !isThere { lost.append(calls) }
      if !isDead { break }
    }
    #expect(lost == [])
  }

  @Test(
    "while an app waits for its state, which another process holds, flush and end say that nothing is on the disk",
    arguments: [false, true])
  func saysThatItWaits(_ ends: Bool) async throws {
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

  @Test("an offer that waits for stability is not accepted after the end")
  func acceptsNothingAfterTheEnd() async throws {
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

  @Test("what a scene has saved is not kept in memory once it is put away")
  func releasesScenes() async throws {
    let app = App(try TemporaryFolder(), Counter("app"))
    let restoration = try await app.launch()
    for number in 0..<20 {
      let counter = Counter()
      let scene = try restoration.openScene("s\(number)") { [counter] }
      try restoration.saveNow()
      #expect(scene.disconnect())
    }
    while !restoration.store.mailboxes.undelivered.isEmpty { await Task.yield() }
    let kept = restoration.store.writer.withLock { writer in writer.archives.values.filter { $0.current?.chain != nil }.count }
    #expect(kept <= 1)
  }

  @Test("after the folder was removed, an open scene that has not changed is saved again with what has")
  func savesEverythingAgain() async throws {
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

  @Test("each archive that could not be restored is reported, and not only the first")
  func reportsEachArchive() async throws {
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

  @Test("a scene that is closed when the storage is back, before the host says so, does not take a tab along that was moved before")
  func closesBeforeTheHostReports() async throws {
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

  @Test("a scene that is restored at the moment at which the storage comes back is saved, and is not restored twice")
  func restoresOnce() async throws {
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

  @Test("whatever has happened, changes are captured and archives are restored once the storage is there", arguments: [false, true])
  func machineGetsThere(_ restoresState: Bool) {
    let names = ["a", "b", "c"].compactMap { ArchiveName.scene($0) }
    var stuck: [UInt64] = []
    for seed in 0..<2_000 as Range<UInt64> {
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

  @Test("an old removal that is done by a later launch does not take a scene opened again from the open ones")
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

  @Test("a wipe, and the answer to an offer, do not say that they are done while the storage is away", arguments: 0..<3)
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
}
