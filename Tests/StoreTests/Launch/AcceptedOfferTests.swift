import EngineKit
import Foundation
import Testing

@testable import StateRestoration

/// Accepted offers: the state after a death caused by accepting, the reports to a store opened for reading, and the
/// scenes that an offer applies to.
@Suite struct AcceptedOfferTests {
  private static let left = ArchiveName.scene("left") ?? .application
  private static let changed = ["root": 1, "root/a": 20, "root/b": 99, "root/c": 4]

  /// A disk on which an app has saved scenes, with the values 1 to 4.
  private static func disk(_ scenes: [String] = ["left"]) throws -> SimulatedDisk {
    let app = try SimulatedApp(SimulatedDisk())
    for scene in scenes {
      try app.launch(scene)
      for (index, path) in SimulatedScene.paths.enumerated() { app.scenes[scene]?.edit(path, index + 1) }
      try app.save(scene)
    }
    return app.end()
  }

  /// A disk with an offer for `root/b`, which was quarantined and then changed by the user.
  private static func diskWithOfferForPath() throws -> SimulatedDisk {
    let first = try SimulatedApp(disk())
    first.plan = (SimulatedApp.Place(scene: "left", phase: "decode", path: "root/b"), .trap(onRestoringThread: true))
    try first.launch("left")
    let app = try SimulatedApp(#require(first.remains))
    try app.launch("left")
    for (path, number) in changed { app.scenes["left"]?.edit(path, number) }
    try app.save("left")
    app.runUntilStable()
    return app.end()
  }

  /// A disk with an offer for the whole state: the launch was in safe mode, and saved.
  private static func diskWithOffer() throws -> SimulatedDisk {
    let app = try SimulatedApp(disk(), isSafe: true)
    try app.launch("left")
    for (path, number) in changed { app.scenes["left"]?.edit(path, number) }
    try app.save("left")
    app.runUntilStable()
    return app.end()
  }

  /// Launches, accepts the only offer, and dies while decoding `root/b`, or outside every callback.
  private static func dieAccepting(_ disk: SimulatedDisk, _ death: SimulatedApp.Death, inCallback: Bool = true) throws -> SimulatedDisk {
    let app = try SimulatedApp(disk)
    let restored = try app.launch("left")
    if inCallback { app.plan = (SimulatedApp.Place(scene: "left", phase: "decode", path: "root/b"), death) }
    _ = try app.scenes["left"]?.accept(#require(restored.offers.first), again: true)
    if !inCallback { app.die(death) }
    return try #require(app.remains)
  }

  private static let deaths: [SimulatedApp.Death] = [.kill, .trap(onRestoringThread: true)]

  @Test("after any number of deaths by accepting an offer for a path, only that offer is open, with its suspect", arguments: deaths)
  func reopensOffersForPaths(_ death: SimulatedApp.Death) throws {
    var disk = try Self.diskWithOfferForPath()
    for round in 1...6 {
      let app = try SimulatedApp(disk)
      let restored = try app.launch("left")
      #expect(app.scenes["left"]?.values == Self.changed, "round \(round)")
      #expect(restored.offers.map(\.reason) == [.quarantine], "round \(round)")
      #expect(restored.offers.first?.paths == ["root/b"] && restored.offers.first?.generation.number == 1, "round \(round)")
      #expect(restored.offers.first?.suspects == (round == 1 ? [] : ["root/b"]), "round \(round)")
      disk = try Self.dieAccepting(app.end(), death)
    }
    // Without the suspect, accepting does not kill the process.
    let app = try SimulatedApp(disk)
    let offer = try #require(app.launch("left").offers.first)
    app.plan = (SimulatedApp.Place(scene: "left", phase: "decode", path: "root/b"), death)
    // An app that accepts every offer by itself does not get it again after two deaths.
    let names = app.system.disk.names
    #expect(throws: StoreError.diedTwice(1)) { try app.scenes["left"]?.accept(offer) }
    #expect(app.system.disk.names == names)
    _ = try app.scenes["left"]?.accept(offer, again: true, without: Set(offer.suspects))
    #expect(app.remains == nil)
  }

  @Test(
    "62: a launch that ran stable without what was set aside ends the streak, whatever an offer accepted later does (L4)",
    arguments: deaths, [true, false])
  func endsStreaks(_ death: SimulatedApp.Death, inCallback: Bool) throws {
    var disk = try Self.disk()
    for _ in 0..<2 {
      let app = try SimulatedApp(disk)
      try app.launch("left")
      app.die(.trap(onRestoringThread: false))
      disk = try #require(app.remains)
    }
    let app = try SimulatedApp(disk)
    let offer = try #require(app.launch("left").offers.first)
    app.scenes["left"]?.edit("root/a", 20)
    try app.save("left")
    app.runUntilStable()
    if inCallback { app.plan = (SimulatedApp.Place(scene: "left", phase: "decode", path: "root/b"), death) }
    _ = try app.scenes["left"]?.accept(offer)
    if !inCallback { app.die(death) }
    // A death while the user's work is restored is the first of a new streak.
    let next = try SimulatedApp(#require(app.remains))
    try next.launch("left")
    #expect(next.scenes["left"]?.values["root/a"] == 20)
    next.die(.kill)
    let last = try SimulatedApp(#require(next.remains))
    try last.launch("left")
    #expect(last.scenes["left"]?.values["root/a"] == 20)
  }

  @Test("state saved after accepting an offer for a path, and before the death that it caused, becomes an offer")
  func keepsWhatWasSavedAfterAccepting() throws {
    let app = try SimulatedApp(Self.diskWithOfferForPath())
    let offer = try #require(app.launch("left").offers.first)
    _ = try app.scenes["left"]?.accept(offer)
    app.scenes["left"]?.edit("root/a", 7)
    try app.save("left")
    app.die(.trap(onRestoringThread: true))
    let next = try SimulatedApp(#require(app.remains))
    let restored = try next.launch("left")
    #expect(next.scenes["left"]?.values == Self.changed)
    #expect(restored.offers.map(\.reason) == [.followed, .quarantine])
    #expect(try next.store.contents(of: #require(restored.offers.first)).node(at: "root/a")?.state()["number"] == 7)
  }

  @Test(
    "after a death by accepting an offer, a reader reports what the next launch does", arguments: deaths, [true, false])
  func tellsWhatFollows(_ death: SimulatedApp.Death, inCallback: Bool) throws {
    for disk in [try Self.diskWithOffer(), try Self.diskWithOfferForPath()] {
      let left = try Self.dieAccepting(disk, death, inCallback: inCallback)
      let looked = left.afterProcessDeath()
      let store = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(looked)), boot: 1, access: .reading)
      let plan = try store.plan(for: Self.left)
      let offers = try store.offers(of: Self.left)
      #expect(looked.names == left.names)
      let app = try SimulatedApp(left)
      let restored = try app.launch("left")
      #expect(app.scenes["left"]?.values == Self.changed)
      #expect(plan.reason == restored.plan.reason)
      #expect(offers.map(\.description) == restored.offers.map(\.description))
      #expect(offers.map(\.generation.number) == [1])
    }
  }

  @Test("after a successfully accepted offer, a reader reports what the next launch does")
  func tellsWhatFollowsSuccess() throws {
    let app = try SimulatedApp(Self.diskWithOffer())
    let offer = try #require(app.launch("left").offers.first)
    _ = try app.scenes["left"]?.accept(offer)
    // The launch ends before it is stable, which is not a death.
    let left = app.end()
    let store = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(left)), boot: 1, access: .reading)
    let (plan, offers) = try (store.plan(for: Self.left), store.offers(of: Self.left))
    let restored = try SimulatedApp(left).launch("left")
    #expect(plan.reason == restored.plan.reason)
    #expect(offers.map(\.description) == restored.offers.map(\.description))
    #expect(offers.map(\.reason) == [.replaced])
  }

  @Test("a scene that is closed recoverably with an accepted offer on trial is closed or open, wherever the process dies")
  func closesOnTrial() throws {
    var conditions: Set<Bool> = []
    for count in 0... {
      let app = try SimulatedApp(Self.diskWithOffer())
      let offer = try #require(app.launch("left").offers.first)
      _ = try app.scenes["left"]?.accept(offer)
      app.system.die(after: count)
      try? app.closeRecoverably("left")
      let isDead = app.system.isDead
      app.system.die(after: nil)
      let left = app.system.disk.afterProcessDeath()
      let isClosed = left.names.contains { Generation(fileName: $0)?.mark == .closed }
      conditions.insert(isClosed)
      let store = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(left)), boot: 1)
      try store.beginLaunch()
      #expect(try store.closedStates().map(\.archive) == (isClosed ? [Self.left] : []), "after \(count) calls: \(left.names)")
      #expect(try store.archives() == (isClosed ? [] : [Self.left]), "after \(count) calls: \(left.names)")
      if isDead { continue }
      #expect(isClosed)
      break
    }
    #expect(conditions == [true, false])
  }

  @Test("the copy that accepting wrote is removed only while it can be recreated")
  func keepsWhatCannotBeMadeAgain() {
    let (offer, replaced, copy) = (
      Generation(.application, 1, .offered), Generation(.application, 2, .offered), Generation(.application, 3)
    )
    var ledger = LaunchLedger()
    let note = LaunchLedger.OfferNote(archive: .application, number: 1, reason: .quarantine, paths: ["root/b"])
    ledger.offers = [note]
    let history = LaunchHistory(after: nil, ledger: ledger, launch: .init())
    func steps(_ digests: [UInt64: UInt64]) -> [FileSteps.Step] {
      let acceptance = LaunchLedger.Acceptance(
        archive: .application, accepted: 1, replaced: 2, digest: ContentDigest(rawValue: 30), launch: 1, isFinal: false)
      return history.fileSteps(for: acceptance, among: [copy, replaced, offer]) { digests[$0.number].map { ContentDigest(rawValue: $0) } }
        .steps
    }
    let back = FileSteps.Step.mark(replaced, .none)
    #expect(steps([1: 10, 2: 20, 3: 30]) == [.remove(copy), back])
    #expect(steps([1: 30, 3: 30]) == [.remove(copy), back])
    // The offer or the replaced state is unreadable, or the copy is not what accepting wrote.
    for digests: [UInt64: UInt64] in [[2: 20, 3: 30], [1: 10, 3: 30], [1: 10, 2: 20, 3: 40]] {
      #expect(steps(digests) == [.mark(copy, .offered), back])
    }
  }

  @Test("accepting without an app, after a death by accepting, replaces the state that was current")
  func acceptsAgainWithoutApp() throws {
    let left = try Self.dieAccepting(Self.diskWithOffer(), .kill)
    let store = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(left)), boot: 1)
    try store.accept(#require(store.offers(of: Self.left).first))
    store.endLaunch()
    let app = try SimulatedApp(left)
    try app.launch("left")
    #expect(app.scenes["left"]?.values == ["root": 1, "root/a": 2, "root/b": 3, "root/c": 4])
    app.runUntilStable()
    let offers = try app.store.offers(of: Self.left)
    #expect(offers.map(\.reason) == [.replaced])
    #expect(try app.store.contents(of: #require(offers.first)).node(at: "root/b")?.state()["number"] == 99)
  }

  @Test("accepting without an app that fails is not made up for by a later write")
  func acceptsOrFails() throws {
    let disk = SimulatedDisk()
    do {
      let store = try FaultTests.store(FaultySystem(disk))
      try store.beginLaunch()
      try store.save(SampleArchive.bytes(1))
      store.pin(try #require(store.currentGeneration(of: .application)))
      try store.save(SampleArchive.bytes(2))
      store.endLaunch()
    }
    /// Accepts the offer with a call that fails; returns whether that has thrown, and what is current then and after a write.
    func accept(failing call: Int) throws -> (hasThrown: Bool, current: [Int?], callCount: Int)? {
      let system = FaultySystem(disk.afterProcessDeath(), fault: .error(EIO), at: call)
      guard let store = try? FaultTests.store(system), (try? store.beginLaunch()) != nil else { return nil }
      let states = (try? store.storedStates(of: .application)) ?? []
      guard let offer = states.lazy.compactMap(\.offer).first else { return nil }
      var hasThrown = false
      do { try store.accept(offer) } catch { hasThrown = true }
      let before = try store.load().number
      store.writeWaiting()
      return (hasThrown, [before, try store.load().number], system.callCount)
    }
    var hasFailed = false
    for call in 1... {
      guard let (hasThrown, current, callCount) = try accept(failing: call) else { continue }
      if hasThrown { #expect(current[0] == current[1], "call \(call)") } else { #expect(current == [1, 1], "call \(call)") }
      hasFailed = hasFailed || hasThrown && current[0] == 2
      if callCount < call { break }
    }
    #expect(hasFailed)
  }

  @Test("an acceptance that throws changes nothing, whatever call has failed")
  func acceptsNothingThatThrows() throws {
    var lost: [Int] = []
    for call in 1..<200 {
      let disk = SimulatedDisk()
      do {
        let store = try FaultTests.store(FaultySystem(disk))
        try store.beginLaunch()
        try store.save(SampleArchive.bytes(1))
        try store.save(SampleArchive.bytes(2))
        store.endLaunch()
      }
      let number = FaultySystem(disk.afterProcessDeath(), fault: .error(EIO), at: call)
      let store: RestorationStore
      do { store = try FaultTests.store(number) } catch { continue }
      guard (try? store.beginLaunch()) != nil, let offer = try? store.storedStates().last?.offer else { continue }
      let before = number.callCount
      if before >= call { continue }
      do {
        try store.accept(offer)
        if number.callCount < call { break }
      } catch {
        let next = try FaultTests.store(FaultySystem(number.disk.afterProcessDeath()))
        try next.beginLaunch()
        if try next.load().number != 2 { lost.append(call - before) }
      }
    }
    #expect(lost == [])
  }

  @Test("what is concluded about an accepted offer, and not carried out yet, is not forgotten when another one is accepted")
  func keepsConclusions() throws {
    let safe = try SimulatedApp(Self.diskWithOffer(), isSafe: true)
    try safe.launch("left")
    safe.scenes["left"]?.edit("root", 7)
    try safe.save("left")
    safe.runUntilStable()
    let app = try SimulatedApp(safe.end())
    let offers = try app.launch("left").offers
    #expect(offers.count == 2)
    let (first, second) = (try #require(offers.first), try #require(offers.last))
    _ = try app.scenes["left"]?.accept(first, again: true)
    // The writer has not come to it.
    app.store.launch.update { $0.conclude(Self.left) }
    _ = try app.scenes["left"]?.accept(second, again: true)
    app.runUntilStable()
    let next = try SimulatedApp(app.end())
    let left = try next.launch("left").offers.map(\.generation.number)
    #expect(!left.contains(first.generation.number) && !left.contains(second.generation.number))
  }

  @Test("an offer of one scene is refused for the app of another, and nothing changes")
  func refusesOtherApplications() throws {
    let app = try SimulatedApp(Self.disk(["left", "right"]), isSafe: true)
    let offer = try #require(app.launch("left").offers.first)
    try app.launch("right")
    let names = app.system.disk.names
    let right = try #require(app.scenes["right"])
    let error = #expect(throws: StoreError.self) {
      _ = try app.store.accept(
        offer, into: right.application, with: right.resolver(), replacing: right.preserve(), isolation: nil)
    }
    #expect(error?.description == "store: the offer is of scene left, and the application was restored as scene right")
    #expect(app.system.disk.names == names)
    #expect(right.values == ["root": 0, "root/a": 0, "root/b": 0])
    _ = try app.scenes["left"]?.accept(offer)
    #expect(app.scenes["left"]?.values["root/a"] == 2)
  }

  @Test("an offer is answered once: a second answer is an error, and changes nothing (DESIGN 7)", arguments: [false, true])
  func refusesSecondAnswers(isForPath: Bool) throws {
    let disk = try isForPath ? Self.diskWithOfferForPath() : Self.diskWithOffer()
    let app = try SimulatedApp(disk)
    let scene = { try #require(app.scenes["left"]) }
    func refuses(_ number: UInt64, isAccepted: Bool, of offer: StoreOffer) throws {
      let (names, values) = try (app.system.disk.names, scene().values)
      let error = StoreError.alreadyAnswered(number, isAccepted: isAccepted)
      #expect(throws: error) { try scene().accept(offer) }
      #expect(throws: error) { try app.store.accept(offer) }
      #expect(throws: error) { try app.store.decline(offer) }
      #expect(try app.system.disk.names == names && scene().values == values)
    }
    let offer = try #require(app.launch("left").offers.first)
    _ = try scene().accept(offer)
    try refuses(1, isAccepted: true, of: offer)
    app.runUntilStable()
    try refuses(1, isAccepted: true, of: offer)
    // The state before is an offer of its own.
    let replaced = try #require(app.store.offers(of: Self.left).first { $0.reason == .replaced })
    try app.store.decline(replaced)
    try refuses(replaced.generation.number, isAccepted: false, of: replaced)
    let error = StoreError.alreadyAnswered(7, isAccepted: false)
    #expect(error.description == "store: the offer of generation 7 was declined before (`restoration store --use 7` makes it current)")
  }

  @Test("without an app an offer is answered once too, also one that is still the newest state")
  func refusesSecondAnswersWithoutApp() throws {
    for (disk, accepts) in [(try Self.diskWithOffer(), true), (try Self.diskWithOffer(), false), (try Self.diedTwice(), true)] {
      func store() throws -> RestorationStore { try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk)), boot: 1) }
      let offer = try #require(store().offers(of: Self.left).first)
      try accepts ? store().accept(offer) : store().decline(offer)
      let names = disk.names
      #expect(throws: StoreError.alreadyAnswered(1, isAccepted: accepts)) { try store().accept(offer) }
      if disk.names.contains(Generation(Self.left, 1).fileName) { continue }
      #expect(throws: StoreError.alreadyAnswered(1, isAccepted: accepts)) { try store().decline(offer) }
      #expect(disk.names == names)
    }
  }

  /// A disk whose only state is offered, because the app has died twice after restoring it.
  private static func diedTwice() throws -> SimulatedDisk {
    var disk = try disk()
    for _ in 1...2 {
      let app = try SimulatedApp(disk)
      try app.launch("left")
      app.die(.kill)
      disk = try #require(app.remains)
    }
    return disk
  }

  @Test("accepting an offer for a node takes its own state, and nothing below it that is newer (DESIGN 6)")
  func takesOwnState() throws {
    let before = try SimulatedApp(Self.disk())
    try before.launch("left")
    before.scenes["left"]?.edit("root/a/d", 5)
    try before.save("left")
    before.runUntilStable()
    let first = try SimulatedApp(before.end())
    first.plan = (SimulatedApp.Place(scene: "left", phase: "decode", path: "root/a"), .trap(onRestoringThread: true))
    try first.launch("left")
    let app = try SimulatedApp(#require(first.remains))
    try app.launch("left")
    for (path, number) in ["root/a": 20, "root/a/d": 50, "root/a/e": 60] { app.scenes["left"]?.edit(path, number) }
    try app.save("left")
    app.runUntilStable()
    let offer = try #require(app.store.offers(of: Self.left).first)
    #expect(offer.paths == ["root/a"])
    _ = try app.scenes["left"]?.accept(offer)
    let expected = ["root": 1, "root/a": 2, "root/a/d": 50, "root/a/e": 60, "root/b": 3, "root/c": 4]
    #expect(app.scenes["left"]?.values == expected)
    app.runUntilStable()
    // The rest of the offered file was not taken.
    let kept = Generation(Self.left, offer.generation.number, .pinned)
    let disk = app.end()
    #expect(disk.names.contains(kept.fileName))
    let content = try ArchiveReader(#require(disk.content(of: kept)))
    #expect(try content.node(at: "root/a/d")?.state()["number"] == 5)
    let next = try SimulatedApp(disk)
    try next.launch("left")
    #expect(next.scenes["left"]?.values["root/a"] == 2 && next.scenes["left"]?.values["root/a/d"] == 50)
  }

  @Test("an offer names its scene, the time and build of the save, and what it has, but no value (69)")
  func describesOffers() throws {
    func offer(_ archive: ArchiveName) -> StoreOffer { StoreOffer(Generation(archive, 3), .replaced, suspects: ["root/a"]) }
    let why = "it was current until another state took its place; suspect: root/a"
    #expect(offer(.application).description == "generation 3: \(why)")
    #expect(offer(Self.left).description == "generation 3 of scene left: \(why)")
    let header = ArchiveHeader(bundleVersion: "42", timestamp: Date(timeIntervalSinceReferenceDate: 0.123456789))
    let nodes = (1...5).map { ArchiveNode("window \($0)", state: ["text": "secret"]) }
    let reader = try ArchiveReader(ArchiveTree(header: header, nodes: nodes).encoded())
    let described = offer(Self.left).described(by: header, reader)
    let windows = "window 1, window 2, window 3, window 4, more"
    #expect(described.description == "generation 3 of scene left, saved 2001-01-01T00:00:00Z by build 42, with \(windows): \(why)")
    #expect(described.roots.count == 5 && described.bundleVersion == "42")
    let part = StoreOffer(Generation(.application, 3), .quarantine, paths: ["root/b"]).described(by: header, reader)
    #expect(part.description.hasPrefix("generation 3, saved 2001-01-01T00:00:00Z by build 42, only the state of root/b: "))
  }

  @Test("the offers of a launch are described by the newest save, links too; the file of an unread one stays shut")
  func describesOffersOfLaunch() throws {
    let app = try SimulatedApp(Self.diskWithOffer(), build: "7", savesChanges: true)
    let offer = try #require(app.launch("left").offers.first)
    #expect(offer.bundleVersion == "1" && offer.roots == ["root"])
    #expect(offer.description == "generation 1 of scene left, saved by build 1, with root: the launch was in safe mode")
  }
}
