import EngineKit
import Foundation
import Locking
import ProcessKit
import Testing

@testable import StateRestoration

/// Sessions: the open scenes, and the states of the app and its scenes at the end of earlier launches.
@MainActor
@Suite struct SessionTests {
  private typealias App = AppRestorationTests.App
  private typealias Counter = AppRestorationTests.Counter

  private nonisolated static func date(_ day: Double) -> Date { Date(timeIntervalSinceReferenceDate: day * 86_400) }

  /// Launches an app on a day, and saves its counter a few times, with the last value at the end.
  private func launch(
    _ folder: TemporaryFolder, day: Double = 1, last value: Int, ends: Bool = true, _ change: (inout AppConfiguration) -> Void = { _ in }
  ) async throws {
    let counter = Counter()
    let app = App(folder, counter)
    let restoration = try await app.launch {
      $0.date = { Self.date(day) }
      change(&$0)
    }
    for number in (value - 3)...value {
      counter.count = number
      try restoration.saveNow()
    }
    if ends { await restoration.end() } else { await app.waitUntilIdle() }
  }

  private func counts(_ restoration: AppRestoration) throws -> [Int] {
    try restoration.earlierSessions().map { session in
      let state = try #require(session.states.first)
      return try restoration.store.contents(of: state).decoder(at: "counter").decode(Int.self, forKey: "count")
    }
  }

  @Test("113: the sessions at the end of the last three launches are kept, whether they ended or were killed")
  func keepsSessionsOfLaunches() async throws {
    let folder = try TemporaryFolder()
    for number in 1...6 { try await launch(folder, last: number * 10, ends: number % 2 == 0) { $0.limits.sessionDays = 0 } }
    let counter = Counter()
    let app = App(folder, counter)
    let restoration = try await app.launch { $0.limits.sessionDays = 0 }
    #expect(try counts(restoration) == [50, 40], "the last one is the current one")
    for number in 61...66 {
      counter.count = number
      try restoration.saveNow()
    }
    #expect(try counts(restoration) == [60, 50, 40])
    let session = try #require(try restoration.earlierSessions().last)
    #expect(session.description == "session saved 2001-01-02T00:00:00Z by build 1: application")
    restoration.store.markStable()
    #expect(try await restoration.restore(session) == [])
    #expect(counter.count == 40)
    #expect(try restoration.offers().map(\.reason) == [.replaced], "nothing newer is lost")
    try restoration.decline(#require(try restoration.earlierSessions().first))
    #expect(try counts(restoration).first == 50)
    try restoration.store.forget()
    #expect(try restoration.earlierSessions().isEmpty, "forgetting removes them")
    await restoration.end()
  }

  @Test("113: the last session of each of the last three days is kept, and with limits of 0 none")
  func keepsSessionsOfDays() async throws {
    let folder = try TemporaryFolder()
    for number in 1...10 { try await launch(folder, day: Double(number) / 2, last: number * 10) { $0.limits.sessions = 1 } }
    do {
      let app = App(folder, Counter())
      let restoration = try await app.launch { $0.limits.sessions = 1 }
      // Launches on day 5, 4.5, 4, 3.5 and so on: the last of day 4 and of day 3.
      #expect(try counts(restoration) == [90, 70])
      await restoration.end()
    }
    let app = App(folder, Counter())
    let restoration = try await app.launch {
      $0.limits.sessions = 0
      $0.limits.sessionDays = 0
    }
    #expect(try restoration.earlierSessions().isEmpty)
    await restoration.end()
  }

  @Test(
    "a session that is accepted into a running app is undone as a whole by a kill on trial, and stays as a whole once the user has worked",
    arguments: [false, true], [false, true])
  func undoesAcceptedSessionAsAWhole(hasWorked: Bool, turns: Bool) async throws {
    let folder = try TemporaryFolder()
    /// The counters of the app and of its scene: those that were offered, and those that came later.
    func open(
      _ isSafe: Bool, hasLater: Bool = true, _ body: (AppRestoration, _ counters: [Counter]) throws -> Void
    ) async throws -> (restoration: AppRestoration, app: App, counts: () -> [Int]) {
      let counters = ["first", "later", "left", "mine"].map { Counter($0) }
      let app = App(folder)
      app.roots = hasLater ? [counters[0], counters[1]] : [counters[0]]
      let restoration = try await app.launch {
        $0.isSafeMode = isSafe
        $0.limits.links = turns ? 0 : 64
      }
      _ = try restoration.openScene("scene") { hasLater ? [counters[2], counters[3]] : [counters[2]] }
      try body(restoration, counters)
      return (restoration, app, { counters.map(\.count) })
    }
    let first = try await open(false, hasLater: false) { _, counters in (counters[0].count, counters[2].count) = (1, 2) }
    await first.restoration.end()
    let second = try await open(true) { _, counters in (counters[1].count, counters[3].count) = (3, 4) }
    await second.restoration.end()
    let third = try await open(false) { restoration, _ in restoration.markStable() }
    #expect(third.counts() == [0, 3, 0, 4])
    let session = try #require(try third.restoration.offeredSession())
    #expect(try await third.restoration.restore(session) == [])
    #expect(third.counts() == [1, 3, 2, 4])
    if turns { third.restoration.turn() }
    if hasWorked {
      (third.app.roots[0] as? Counter)?.count = 5
      if turns {
        third.app.clock.advance(by: .milliseconds(500))
        third.restoration.turn()
      } else {
        await third.app.advance(.milliseconds(500))
      }
      third.restoration.store.writeWaiting()
    }
    third.restoration.abandon(as: .killed)
    let last = try await open(false) { _, _ in }
    #expect(last.counts() == (hasWorked ? [5, 3, 2, 4] : turns ? [1, 3, 2, 4] : [0, 3, 0, 4]))
    await last.restoration.end()
  }

  @Test("113, 114: a session with a scene that was closed by accident comes back whole; one closed for good is nowhere")
  func restoresScenes() async throws {
    let folder = try TemporaryFolder()
    do {
      let counter = Counter()
      let app = App(folder, counter)
      let restoration = try await app.launch()
      counter.count = 5
      for (index, name) in ["a", "b", "c"].enumerated() {
        let counter = Counter()
        _ = try restoration.openScene(name) { [counter] }
        counter.count = index + 1
      }
      await restoration.end()
    }
    do {
      // An empty app is saved over and over, and everything is closed.
      let counter = Counter()
      let app = App(folder, counter)
      let restoration = try await app.launch()
      for name in try restoration.scenesLeftOpen() {
        let scene = try restoration.openScene(name) { [Counter()] }
        if name == "c" { scene.close() } else { _ = try scene.closeRecoverably() }
      }
      for number in -5...0 {
        counter.count = number
        try restoration.saveNow()
      }
      await restoration.end()
    }
    let counter = Counter()
    let app = App(folder, counter)
    let restoration = try await app.launch()
    #expect(try restoration.scenesLeftOpen().isEmpty && counter.count == 0)
    let session = try #require(try restoration.earlierSessions().first)
    #expect(session.states.map(\.archive.scene) == [nil, "a", "b"])
    restoration.store.markStable()
    #expect(try await restoration.restore(session, only: [.application]) == [])
    #expect(counter.count == 5)
    restoration.store.markStable()
    #expect(try await restoration.restore(session, only: [#require(.scene("a"))]) == ["a"])
    let restored = Counter()
    let scene = try restoration.openScene("a") { [restored] }
    #expect(restored.count == 1 && scene.launch?.report?.summary == "restored 1 of 1")
    #expect(try restoration.recentlyClosedScenes().map(\.archive.scene) == ["b"])
    await restoration.end()
  }

  @Test("113: restoring a session names its scenes that are not open, changed or not; one that was put away is in none")
  func namesUnchangedScenes() async throws {
    let folder = try TemporaryFolder()
    do {
      let app = App(folder)
      let restoration = try await app.launch()
      var scenes: [AppScene] = []
      for name in ["a", "b", "c"] { scenes.append(try restoration.openScene(name) { [Counter()] }) }
      scenes[2].disconnect()
      await restoration.end()
    }
    let app = App(folder)
    let restoration = try await app.launch()
    let counter = Counter()
    _ = try restoration.openScene("b") { [counter] }
    counter.count = 9
    try restoration.saveNow()
    let session = try #require(try restoration.earlierSessions().first)
    #expect(session.states.map(\.archive.scene) == [nil, "a", "b"])
    restoration.store.markStable()
    #expect(try await restoration.restore(session) == ["a"] && counter.count == 0)
    await restoration.end()
  }

  @Test("L19: the open scenes are on record in the order in which they were opened, for a process that ends or is killed")
  func recordsOpenScenes() async throws {
    let folder = try TemporaryFolder()
    for isKilled in [false, true] {
      do {
        let app = App(folder)
        let restoration = try await app.launch()
        for scene in try restoration.savedScenes() { try restoration.openScene(scene) { [] }.close() }
        var scenes: [AppScene] = []
        for name in ["b", "d", "a", "c"] { scenes.append(try restoration.openScene(name) { [Counter()] }) }
        try restoration.saveNow()
        #expect(try restoration.scenesLeftOpen() == ["b", "d", "a", "c"])
        scenes[1].close()
        scenes[2].disconnect()
        try restoration.saveNow()
        if isKilled {
          await app.waitUntilIdle()
        } else {
          restoration.beginEnding()
          scenes[0].close()
          scenes[3].disconnect()
          await restoration.end()
        }
      }
      let app = App(folder)
      let restoration = try await app.launch()
      #expect(try restoration.scenesLeftOpen() == ["b", "c"] && Set(restoration.savedScenes()) == ["a", "b", "c"])
      await restoration.end()
    }
  }

  @Test("a scene is found again in a folder that is a link, and where the times of the folder say nothing", arguments: [false, true])
  func findsWhatItSaved(_ isLink: Bool) async throws {
    let folder = try TemporaryFolder()
    let (place, real) = (folder.url("state/deep/store").path, folder.url("real").path)
    try FileManager.default.createDirectory(atPath: folder.url("state/deep").path, withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: real, withIntermediateDirectories: false)
    if isLink { try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: real) }
    let app = App(folder)
    let restoration = try await app.launch()
    func setTime() {
      if !isLink { try? FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1000.5)], ofItemAtPath: place) }
    }
    for number in 1...3 {
      let counter = Counter()
      setTime()
      let scene = try restoration.openScene("a") { [counter] }
      #expect(counter.count == number - 1)
      counter.count = number
      try restoration.saveNow()
      setTime()
      #expect(scene.disconnect())
      await app.waitUntilIdle()
    }
    setTime()
    let scene = try restoration.openScene("a") { [Counter()] }
    scene.close()
    #expect(try restoration.savedScenes().isEmpty)
    #expect(try !FileManager.default.contentsOfDirectory(atPath: place).contains { $0.hasPrefix("scene-a") })
    await restoration.end()
  }

  @Test("a scene that nothing was saved of is saved soon after it is opened, and one that was saved is not saved again")
  func savesNewScenes() async throws {
    let folder = try TemporaryFolder()
    do {
      let app = App(folder)
      let restoration = try await app.launch()
      let counter = Counter()
      counter.count = 7
      _ = try restoration.openScene("a") { [counter] }
      await app.advance(.seconds(1))
      #expect(try restoration.savedScenes() == ["a"])
      restoration.abandon(as: .killed)
    }
    let app = App(folder)
    let restoration = try await app.launch()
    let counter = Counter()
    #expect(try restoration.scenesLeftOpen() == ["a"])
    _ = try restoration.openScene("a") { [counter] }
    #expect(counter.count == 7)
    await restoration.end()
  }

  @Test("L19: a scene that cannot be put away yet keeps its place, and asking for the result of opening it begins no launch")
  func keepsPlaces() async throws {
    let app = App(try TemporaryFolder())
    app.isStorageAvailable.isOn = false
    let restoration = try await app.launch()
    let first = try restoration.openScene("c") { [Counter()] }
    app.isStorageAvailable.isOn = true
    #expect(first.launch?.isWaiting == true && restoration.store.launch.history == nil)
    restoration.handle(.storage(isAvailable: true))
    for name in ["a", "b"] { _ = try restoration.openScene(name) { [Counter()] } }
    try restoration.saveNow()
    app.isStorageAvailable.isOn = false
    restoration.handle(.storage(isAvailable: false))
    #expect(!first.disconnect())
    app.isStorageAvailable.isOn = true
    restoration.handle(.storage(isAvailable: true))
    try restoration.saveNow()
    #expect(try restoration.scenesLeftOpen() == ["c", "a", "b"])
    await restoration.end()
  }

  @Test("105: a session that is set aside is one offer, of scenes too that are not open, and is answered whole or by archive")
  func offersSessions() async throws {
    for answer in 0..<4 {
      let folder = try TemporaryFolder()
      do {
        let counter = Counter()
        let app = App(folder, counter)
        let restoration = try await app.launch()
        for name in ["a", "b"] {
          let counter = Counter()
          _ = try restoration.openScene(name) { [counter] }
          counter.count = 7 + answer
        }
        counter.count = 7 + answer
        await restoration.end()
      }
      let counter = Counter()
      let app = App(folder, counter)
      let restoration = try await app.launch { $0.isSafeMode = true }
      #expect(counter.count == 0)
      let session = try #require(try restoration.offeredSession())
      #expect(session.states.map(\.archive.scene) == [nil, "a", "b"] && session.states.allSatisfy { $0.offer?.reason == .safeMode })
      let left = Counter()
      switch answer {
      case 0:
        #expect(try await restoration.restore(session) == ["a", "b"])
        _ = try restoration.openScene("a") { [left] }
        #expect(counter.count == 7 && left.count == 7)
        #expect(try restoration.offeredSession() == nil)
      case 1:
        try restoration.decline(session)
        _ = try restoration.openScene("a") { [left] }
        #expect(try restoration.offeredSession() == nil && counter.count == 0 && left.count == 0)
      case 2:
        try restoration.decline(session, only: [#require(.scene("b"))])
        #expect(try restoration.offeredSession()?.states.map(\.archive.scene) == [nil, "a"])
        _ = try restoration.openScene("b") { [left] }
        #expect(counter.count == 0 && left.count == 0)
        #expect(try await restoration.restore(#require(restoration.offeredSession())) == ["a"])
        #expect(counter.count == 9)
      default:
        #expect(try await restoration.restore(session, only: [#require(.scene("b"))]) == ["b"])
        _ = try restoration.openScene("b") { [left] }
        #expect(counter.count == 0 && left.count == 10)
        #expect(try restoration.offeredSession()?.states.map(\.archive.scene) == [nil, "a"])
      }
      await restoration.end()
    }
  }

  @Test("105: a scene that was put away before belongs to no session that is set aside, and is offered when it is opened")
  func offersOpenScenes() async throws {
    let folder = try TemporaryFolder()
    do {
      let app = App(folder, Counter())
      let restoration = try await app.launch()
      let away = try restoration.openScene("a") { [Counter()] }
      _ = try restoration.openScene("b") { [Counter()] }
      try restoration.saveNow()
      #expect(away.disconnect())
      await app.waitUntilIdle()
      await restoration.end()
    }
    let app = App(folder, Counter())
    let restoration = try await app.launch { $0.isSafeMode = true }
    #expect(try restoration.offeredSession()?.states.map(\.archive.scene) == [nil, "b"])
    let opened = try restoration.openScene("a") { [Counter()] }
    #expect(try restoration.offers().contains { $0.archive == opened.archive && $0.reason == .safeMode })
    await restoration.end()
  }

  @Test("113: a closed scene that a session brings back, and that dies on trial, is closed again, and the session stays")
  func closesAgainAfterDeaths() async throws {
    let folder = try TemporaryFolder()
    for count in 1...2 {
      let app = App(folder, Counter())
      let restoration = try await app.launch { $0.limits.links = 0 }
      let counter = Counter()
      let scene = try restoration.openScene("b") { [counter] }
      counter.count = count
      try restoration.saveNow()
      if count == 2 { #expect(try scene.closeRecoverably()) }
      await restoration.end()
    }
    do {
      let app = App(folder, Counter())
      let restoration = try await app.launch()
      restoration.markStable()
      let session = try #require(try restoration.earlierSessions().last)
      #expect(try await restoration.restore(session) == ["b"])
      let counter = Counter()
      _ = try restoration.openScene("b") { [counter] }
      #expect(counter.count == 1)
      restoration.store.abandon(as: .trapped)
    }
    let app = App(folder, Counter())
    let restoration = try await app.launch()
    #expect(try restoration.recentlyClosedScenes().map(\.archive.scene) == ["b"])
    #expect(try restoration.scenesLeftOpen() == [] && restoration.savedScenes() == [])
    #expect(try restoration.earlierSessions().last?.states.contains { $0.archive.scene == "b" } == true)
    let counter = Counter()
    let closed = try #require(try restoration.recentlyClosedScenes().first)
    let scene = try restoration.reopenScene(closed) { [counter] }
    #expect(counter.count == 2)
    #expect(try restoration.offers().contains { $0.archive == scene.archive })
    await restoration.end()
  }

  @Test("105: after two launches in safe mode, the session has the newest state of each archive; the one before stays an offer")
  func offersNewestSession() async throws {
    let folder = try TemporaryFolder()
    for count in 1...3 {
      let counter = Counter()
      let app = App(folder, counter)
      let restoration = try await app.launch { $0.isSafeMode = count > 1 }
      counter.count = count
      try restoration.saveNow()
      if count == 3 {
        let session = try #require(try restoration.offeredSession())
        #expect(session.states.map(\.archive) == [.application])
        #expect(try restoration.offers().filter { $0.reason == .safeMode }.count == 2)
        restoration.store.markStable()
        #expect(try await restoration.restore(session).isEmpty && counter.count == 2)
      }
      await restoration.end()
      withExtendedLifetime(app) {}
    }
  }

  @Test("114, L19: no policy refuses what the user has asked for: a reopened scene, an offer that was accepted before it is opened")
  func asksNoPolicy() async throws {
    let folder = try TemporaryFolder()
    /// Launches an app whose policy refuses everything, and returns the count of the scene that `open` opens.
    func count(
      _ isSafe: Bool = false, then last: Int? = nil, _ open: @MainActor (AppRestoration, Counter) async throws -> Void
    ) async throws -> Int {
      let counter = Counter()
      let app = App(folder)
      let restoration = try await app.launch {
        $0.policy = RestorationPolicy { _, _ in "not today" }
        $0.isSafeMode = isSafe
      }
      try await open(restoration, counter)
      let count = counter.count
      counter.count = last ?? count
      await restoration.end()
      return count
    }
    let window = try #require(ArchiveName.scene("window"))
    do {
      let (app, counter) = (App(folder), Counter())
      let restoration = try await app.launch()
      let scene = try restoration.openScene("window") { [counter] }
      counter.count = 7
      #expect(try scene.closeRecoverably())
      await restoration.end()
    }
    let reopened = try await count(then: 8) { restoration, counter in
      _ = try restoration.reopenScene(#require(restoration.recentlyClosedScenes().first)) { [counter] }
    }
    #expect(reopened == 7)
    let accepted = try await count(true) { restoration, counter in
      let session = try #require(try restoration.offeredSession())
      restoration.store.markStable()
      #expect(try await restoration.restore(session, only: [window]) == ["window"])
      _ = try restoration.openScene("window") { [counter] }
    }
    #expect(accepted == 8, "in safe mode too")
    do {
      let store = try RestorationStore(folder: folder.url("state/deep/store").path)
      let earlier = try #require(store.storedStates(of: window).last { $0.offer != nil })
      #expect(try store.contents(of: earlier).decoder(at: "counter").decode(Int.self, forKey: "count") == 7)
      try store.accept(#require(earlier.offer))
      store.endLaunch()
    }
    let restored = try await count { restoration, counter in _ = try restoration.openScene("window") { [counter] } }
    #expect(restored == 7)
    let later = try await count { restoration, counter in _ = try restoration.openScene("window") { [counter] } }
    #expect(later == 0, "it was restored, and is refused like any other state")
  }
}

/// The kept sessions of a store.
@Suite struct KeptSessionTests {
  @Test("113: files of several sessions count once in the limit of their length, which follows the longest")
  func limitsLength() throws {
    let disk = SimulatedDisk()
    var limits = StoreLimits()
    (limits.sessions, limits.sessionDays, limits.links) = (100, 0, 0)
    for number in 1...12 {
      let store = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk)), boot: 1, limits: limits)
      try store.beginLaunch()
      store.recordSession(savedAt: nil, by: nil)
      let nodes = [ArchiveNode("root", state: ["text": .string(String(repeating: "x", count: 10_000)), "number": .integer(number)])]
      if number == 1 { try store.save(ArchiveTree(nodes: nodes).encoded(), as: try #require(.scene("same"))) }
      for step in 0...3 {
        try store.save(ArchiveTree(applicationState: ["step": .integer(step)], nodes: nodes).encoded())
      }
      store.endLaunch()
    }
    let store = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk)), boot: 1, limits: limits)
    try store.beginLaunch()
    store.recordSession(savedAt: nil, by: nil)
    let sessions = try #require(store.launch.history?.ledger.sessions)
    // The current one has two files; each other one has one of its own: 8 * 2 = 2 + 14.
    #expect(sessions.count == 12)
    let present = Set(try store.generations().map(\.number))
    #expect(sessions.allSatisfy { $0.generations[.application].map(present.contains) == true } && present.count == 13)
    limits.sessions = 5
    store.endLaunch()
    let fewer = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk)), boot: 1, limits: limits)
    try fewer.beginLaunch()
    fewer.recordSession(savedAt: nil, by: nil)
    #expect(fewer.launch.history?.ledger.sessions.count == 5)
    try fewer.remove(try #require(.scene("same")))
    #expect(try fewer.earlierSessions().allSatisfy { $0.states.count == 1 }, "a scene closed for good is in none")
    // Long states at first, then short ones, as after everything was closed by accident: the long ones stay.
    for number in 1...9 { try fewer.save(ArchiveTree(applicationState: ["number": .integer(number)]).encoded()) }
    fewer.endLaunch()
    let short = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk)), boot: 1, limits: limits)
    try short.beginLaunch()
    short.recordSession(savedAt: nil, by: nil)
    let last = try #require(short.launch.history?.ledger.sessions)
    let long = Set(sessions.map { $0.generations[.application] })
    #expect(last.count == 5 && last[1...].allSatisfy { long.contains($0.generations[.application]) })
    let byteCounts = try short.earlierSessions().map { $0.states.reduce(0) { $0 + ($1.byteCount ?? 0) } }
    #expect(byteCounts.dropFirst().allSatisfy { $0 > 10_000 })
  }

  @Test("113: all sessions together are at most eight times as long as the longest")
  func limitsLengthOfSessions() throws {
    let disk = SimulatedDisk()
    var limits = StoreLimits()
    (limits.sessions, limits.sessionDays, limits.links) = (100, 0, 0)
    var count: Int?
    for number in 1...20 {
      let store = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk)), boot: 1, limits: limits)
      try store.beginLaunch()
      store.recordSession(savedAt: nil, by: nil)
      count = store.launch.history?.ledger.sessions.count
      let nodes = [ArchiveNode("root", state: ["text": .string(String(repeating: "x", count: 10_000)), "number": .integer(number)])]
      for step in 0...3 { try store.save(ArchiveTree(applicationState: ["step": .integer(step)], nodes: nodes).encoded()) }
      store.endLaunch()
    }
    #expect(count == 7 || count == 8)
  }

  @Test("113: the sessions in the ledger are read as they were written; what is no session is kept")
  func readsSessions() throws {
    var ledger = LaunchLedger()
    ledger.openScenes = [try #require(.scene("B")), try #require(.scene("a"))]
    ledger.sessions = [
      LaunchLedger.Session(
        timestamp: Date(timeIntervalSinceReferenceDate: 5), bundleVersion: "7",
        generations: [.application: 3, try #require(.scene("a")): .max / 4]), LaunchLedger.Session(generations: [:]),
    ]
    #expect(try LaunchLedger(ledger.encoded()) == ledger)
    let other = ArchiveTree(applicationState: ["earlierSessions": .array([.dictionary(["archives": 5])]), "openScenes": 7])
    let read = try #require(LaunchLedger([UInt8](other.encoded())))
    #expect(read.sessions.isEmpty && read.openScenes == nil)
    let again = try ArchiveTree(decoding: ArchiveReader(read.encoded())).applicationState
    #expect(again["earlierSessions"] == other.applicationState["earlierSessions"])
  }
}
