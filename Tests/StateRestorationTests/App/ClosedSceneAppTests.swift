import EngineKit
import Foundation
import Locking
import ProcessKit
import Testing

@testable import StateRestoration

/// Saved states and recently closed scenes, as an app uses them.
@MainActor
@Suite struct ClosedSceneAppTests {
  private typealias App = AppRestorationTests.App
  private typealias Counter = AppRestorationTests.Counter

  @MainActor
  private final class Secret: @MainActor Restorable {
    let restorationIdentifier: String? = "secret"
    @Restored(isSensitive: true) var word = "open sesame"
  }

  private nonisolated static func date(_ day: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(day) * 86_400) }

  @Test("a scene that is reopened is the last one opened, also after a launch that was killed when it had closed it")
  func listsReopenedScenesLast() async throws {
    let folder = try TemporaryFolder()
    do {
      let app = App(folder)
      let restoration = try await app.launch()
      _ = try restoration.openScene("a") { [Counter()] }
      await restoration.end()
    }
    do {
      let app = App(folder)
      let restoration = try await app.launch()
      _ = try restoration.openScene("a") { [Counter()] }.closeRecoverably()
    }
    // The process was killed.
    let app = App(folder)
    let restoration = try await app.launch()
    _ = try restoration.openScene("b") { [Counter()] }
    try restoration.saveNow()
    _ = try restoration.reopenScene(#require(restoration.recentlyClosedScenes().first)) { [Counter()] }
    #expect(try restoration.scenesLeftOpen() == ["b", "a"])
    await restoration.end()
  }

  @Test("91: an earlier state is restored into the running app, and the state before becomes an offer")
  func restoresEarlierStates() async throws {
    let counter = Counter()
    let app = App(try TemporaryFolder(), counter)
    let restoration = try await app.launch()
    for number in 1...3 {
      counter.count = number
      try restoration.saveNow()
    }
    let states = try restoration.storedStates()
    #expect(states.map(\.roots) == [["counter"], ["counter"]] && states[0].offer == nil)
    let offer = try #require(states[1].offer)
    #expect(offer.reason == .earlier)
    try await restoration.restore(offer)
    #expect(counter.count == 2)
    #expect(try restoration.offers().map(\.reason) == [.replaced])
    await restoration.end()
  }

  @Test("what stays of the live state beside an accepted offer is saved, and comes back after a kill")
  func savesWhatStays() async throws {
    let folder = try TemporaryFolder()
    do {
      let (counter, added) = (Counter(), Counter("added"))
      let app = App(folder, counter)
      let restoration = try await app.launch()
      try restoration.saveNow()
      counter.count = 1
      app.roots.append(added)
      added.count = 7
      try restoration.saveNow()
      try await restoration.restore(#require(try restoration.storedStates().last?.offer))
      #expect(counter.count == 0 && added.count == 7)
      // Until the accepted state is stable, and not only saved.
      for _ in 1...12 { await app.advance(.milliseconds(500)) }
    }
    // The process was killed.
    let (counter, added) = (Counter(), Counter("added"))
    let app = App(folder, counter, added)
    let restoration = try await app.launch()
    #expect(added.count == 7)
    await restoration.end()
  }

  @Test("L18: an offer is accepted once what the launch has restored is stable; before, the synchronous form changes nothing")
  func waitsForStability() async throws {
    let folder = try TemporaryFolder()
    do {
      let counter = Counter()
      let app = App(folder, counter)
      let restoration = try await app.launch { $0.limits.links = 0 }
      for number in 1...3 {
        counter.count = number
        try restoration.saveNow()
      }
      await restoration.end()
    }
    let counter = Counter()
    let app = App(folder, counter)
    let restoration = try await app.launch { $0.limits.links = 0 }
    let offer = try #require(try restoration.storedStates().last?.offer)
    let session = StoredSession(timestamp: nil, bundleVersion: nil, states: try restoration.storedStates())
    func files() throws -> [String] { try restoration.store.generations().map(\.fileName) }
    func restoreNow() throws { try restoration.restore(offer) }
    func restoreSessionNow() throws { try restoration.restore(session) }
    let before = try files()
    #expect(throws: RestorationError.self) { try restoreNow() }
    #expect(throws: RestorationError.self) { try restoreSessionNow() }
    #expect(try files() == before && counter.count == 3)
    let cancelled = Task { try await restoration.restore(offer) }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    let task = Task { try await restoration.restore(offer) }
    for _ in 1...9 { await app.advance(.milliseconds(500)) }
    #expect(try files() == before && counter.count == 3, "it waits, and blocks nobody")
    for _ in 1...3 { await app.advance(.milliseconds(500)) }
    #expect(try await task.value.decision == .restore)
    #expect(counter.count == 2)
    // Now the accepted state is on trial; what it replaced is an offer.
    let replaced = try #require(try restoration.offers().first)
    func takeBackNow() throws { try restoration.restore(replaced) }
    #expect(throws: RestorationError.self) { try takeBackNow() }
    restoration.store.markStable()
    try takeBackNow()
    #expect(counter.count == 3)
    await restoration.end()
  }

  @Test("114: what moved out of a scene is on the disk in its new scene when the old one is closed recoverably")
  func savesMovedObjects() async throws {
    let folder = try TemporaryFolder()
    do {
      let app = App(folder)
      let restoration = try await app.launch()
      let moved = Counter()
      moved.count = 7
      var (left, right) = ([moved], [Counter]())
      let scene = try restoration.openScene("left") { left }
      let other = try restoration.openScene("right") { right }
      try restoration.saveNow()
      (left, right) = ([], [moved])
      other.setNeedsSave()
      #expect(try scene.closeRecoverably())
    }
    // The process was killed.
    let app = App(folder)
    let restoration = try await app.launch()
    let counter = Counter()
    _ = try restoration.openScene("right") { [counter] }
    #expect(counter.count == 7)
    await restoration.end()
  }

  @Test("114: a scene closed recoverably is not listed as saved, and is reopened with its state after any number of launches")
  func reopensScenes() async throws {
    let folder = try TemporaryFolder()
    do {
      let app = App(folder)
      let restoration = try await app.launch { $0.date = { Self.date(1) } }
      let counter = Counter()
      let scene = try restoration.openScene("a") { [counter] }
      let other = try restoration.openScene("b") { [Counter()] }
      try restoration.saveNow()
      // The last change is not saved yet.
      counter.count = 7
      #expect(try scene.closeRecoverably() && restoration.scenes.count == 1)
      #expect(try restoration.savedScenes() == ["b"])
      other.close()
      #expect(try restoration.recentlyClosedScenes().map(\.archive.scene) == ["a"])
      await app.advance(.seconds(10))
    }
    // The process was killed.
    do {
      let app = App(folder)
      let restoration = try await app.launch { $0.date = { Self.date(2) } }
      #expect(try restoration.savedScenes().isEmpty)
      // A new scene of the same name is another one.
      let counter = Counter()
      let scene = try restoration.openScene("a") { [counter] }
      #expect(counter.count == 0)
      let closed = try #require(try restoration.recentlyClosedScenes().first)
      #expect(closed.timestamp == Self.date(1) && closed.roots == ["counter"])
      #expect(throws: RestorationError.self) { try restoration.reopenScene(closed) { [] } }
      #expect(scene.disconnect())
      #expect(throws: StoreError.self, "its name is taken") { try restoration.reopenScene(closed) { [] } }
      let again = try restoration.openScene("a") { [counter] }
      restoration.store.markStable()
      try await restoration.restore(#require(closed.offer))
      #expect(counter.count == 7)
      #expect(try restoration.recentlyClosedScenes().isEmpty)
      counter.count = 8
      _ = try again.closeRecoverably()
      await restoration.end()
    }
    let app = App(folder)
    let restoration = try await app.launch { $0.date = { Self.date(3) } }
    let counter = Counter()
    let scene = try restoration.reopenScene(#require(try restoration.recentlyClosedScenes().first)) { [counter] }
    #expect(counter.count == 8 && scene.identifier == "a")
    #expect(try restoration.savedScenes() == ["a"] && restoration.recentlyClosedScenes().isEmpty)
    scene.close()
    #expect(try restoration.store.reader.catalog().generations(of: scene.archive).isEmpty, "closed for good")
    await restoration.end()
  }

  @Test("88, 114: a scene that is closed by a clock that is behind, or seen by one that is ahead, in one launch, is not too old")
  func keepsScenesOfAWrongClock() async throws {
    let folder = try TemporaryFolder()
    func launch(_ day: Int, _ body: (AppRestoration) throws -> Void) async throws {
      let counter = Counter("app")
      let app = App(folder, counter)
      let restoration = try await app.launch { $0.date = { Self.date(day) } }
      counter.count = day
      try body(restoration)
      await restoration.end()
    }
    try await launch(1000) { try $0.saveNow() }
    try await launch(900) { restoration in
      let counter = Counter()
      let scene = try restoration.openScene("a") { [counter] }
      counter.count = 7
      #expect(try scene.closeRecoverably())
    }
    var counts: [Int] = []
    // In the end it is too old in truth.
    for day in [1001, 1002, 1003, 1040, 1041] { try await launch(day) { counts.append(try $0.recentlyClosedScenes().count) } }
    #expect(counts == [1, 1, 1, 0, 0])
  }

  @Test("an offer that a save has made meanwhile is accepted, and keeps its file")
  func acceptsWhatASaveHasOffered() async throws {
    let folder = try await App.folderWithCount()
    let counter = Counter()
    let app = App(folder, counter)
    let restoration = try await app.launch { $0.isSafeMode = true }
    let other = Counter()
    _ = try restoration.openScene("s") { [other] }
    let offer = try #require(try restoration.offers().first)
    counter.count = 6
    restoration.markStable()
    try await restoration.restore(offer)
    #expect(counter.count == 5)
    let names = try restoration.store.folder.names()
    #expect(!names.contains { $0.contains("foreign") } && names.contains { $0.contains(".offered") }, "\(names)")
  }

  @Test("114: a scene with sensitive values is closed for good, unless the app says otherwise; with a limit of 0, every scene is")
  func closesSensitiveScenesForGood() async throws {
    let app = App(try TemporaryFolder())
    let restoration = try await app.launch()
    let scene = try restoration.openScene("a") { [Secret()] }
    try restoration.saveNow()
    #expect(try !scene.closeRecoverably() && restoration.scenes.isEmpty)
    #expect(try restoration.recentlyClosedScenes().isEmpty && restoration.store.reader.catalog().generations(of: scene.archive).isEmpty)
    let second = try restoration.openScene("a") { [Secret()] }
    #expect(try second.closeRecoverably(evenIfSensitive: true))
    #expect(try restoration.recentlyClosedScenes().count == 1)
    let nothing = Secret()
    nothing.word = ""
    #expect(try restoration.openScene("b") { [nothing] }.closeRecoverably(), "an empty field hides nothing")
    #expect(try restoration.recentlyClosedScenes().count == 2)
    try restoration.store.forget()
    #expect(try restoration.recentlyClosedScenes().isEmpty, "forgetting removes the list")
    await restoration.end()
    let none = App(try TemporaryFolder())
    let other = try await none.launch { $0.limits.closedScenes = 0 }
    #expect(try !other.openScene("a") { [Counter()] }.closeRecoverably())
    #expect(try other.store.reader.catalog().generations.allSatisfy { $0.archive == .application })
    await other.end()
  }

  @Test("114: a scene that cannot be saved stays open, and nothing is lost")
  func staysOpen() async throws {
    let app = App(try TemporaryFolder())
    let restoration = try await app.launch()
    let counter = Counter()
    let scene = try restoration.openScene("a") { [counter] }
    try restoration.saveNow()
    counter.count = 3
    app.isStorageAvailable.isOn = false
    #expect(throws: RestorationError.self) { try scene.closeRecoverably() }
    #expect(restoration.scenes.count == 1)
    app.isStorageAvailable.isOn = true
    await app.advance(.seconds(1))
    try restoration.saveNow()
    #expect(try restoration.recentlyClosedScenes().isEmpty && restoration.savedScenes() == ["a"])
    #expect(try scene.closeRecoverably())
    let closed = try #require(try restoration.recentlyClosedScenes().first)
    #expect(try restoration.store.contents(of: closed).decoder(at: "counter").decode(Int.self, forKey: "count") == 3)
    await restoration.end()
  }

  @MainActor
  private final class Keeper: @MainActor RestorationDelegate {
    func shouldSaveState(to coder: StateEncoder) -> SaveDecision { .keepPrevious }
  }

  @Test("114: a scene whose kept state cannot be read stays open, and its files stay")
  func keepsUnreadableScenes() async throws {
    let folder = try TemporaryFolder()
    do {
      let app = App(folder)
      let restoration = try await app.launch()
      _ = try restoration.openScene("a") { [Counter()] }
      try restoration.saveNow()
      await restoration.end()
    }
    let app = App(folder)
    let restoration = try await app.launch()
    let keeper = Keeper()
    let scene = try restoration.openScene("a", delegate: keeper) { [Counter()] }
    let file = try #require(try restoration.store.generations(of: scene.archive).first)
    let path = restoration.store.folder.path(of: file.fileName)
    try Data("no archive".utf8).write(to: URL(fileURLWithPath: path))
    #expect(throws: RestorationError.self) { try scene.closeRecoverably() }
    // The unreadable file is set aside.
    #expect(try restoration.scenes.count == 1 && restoration.store.reader.catalog().generations(of: scene.archive).count == 1)
    await restoration.end()
  }

  @Test("114: a reopened scene is among those left open, whenever the process dies")
  func recordsReopenedScenes() async throws {
    let folder = try TemporaryFolder()
    do {
      let app = App(folder)
      let restoration = try await app.launch()
      let scene = try restoration.openScene("a") { [Counter()] }
      #expect(try scene.closeRecoverably())
      await restoration.end()
    }
    do {
      let app = App(folder)
      let restoration = try await app.launch()
      #expect(try restoration.scenesLeftOpen().isEmpty)
      let closed = try #require(try restoration.recentlyClosedScenes().first)
      try restoration.store.reopen(closed.generation)
      // The process was killed before anything else was saved.
      let ledger = try restoration.store.folder.read(LaunchLedger.fileName, atMost: 1 << 20)
      #expect(LaunchLedger(ledger)?.openScenes == [scene("a")])
      try restoration.store.closeAgain(closed.generation)
      #expect(try restoration.recentlyClosedScenes().count == 1 && restoration.scenesLeftOpen().isEmpty)
      await restoration.end()
    }
  }

  private func scene(_ name: String) -> ArchiveName { ArchiveName.scene(name) ?? .application }

  @Test("114, 86: after the app has said that it is ending, a scene closed recoverably is still open at the next launch")
  func keepsScenesOfAnEndingApp() async throws {
    let folder = try TemporaryFolder()
    do {
      let app = App(folder)
      let restoration = try await app.launch()
      let scene = try restoration.openScene("a") { [Counter()] }
      restoration.beginEnding()
      #expect(try scene.closeRecoverably())
      await restoration.end()
    }
    let app = App(folder)
    let restoration = try await app.launch()
    #expect(try restoration.savedScenes() == ["a"] && restoration.recentlyClosedScenes().isEmpty)
    await restoration.end()
  }
}
