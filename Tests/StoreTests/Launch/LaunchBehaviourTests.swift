import EngineKit
import Foundation
import Testing

@testable import StateRestoration

/// Behaviours 16, 34, 46, 47, 51 and 56 to 64, each as a history of launches.
@Suite struct LaunchBehaviourTests {
  /// A disk on which an app has saved one or two scenes with these values.
  private static func disk(
    _ values: [String: Int] = ["root": 1, "root/a": 2, "root/b": 3, "root/c": 4], scenes: [String] = ["left"]
  ) throws
    -> SimulatedDisk
  {
    let app = try SimulatedApp(SimulatedDisk())
    for scene in scenes {
      try app.launch(scene)
      for path in values.keys.sorted() { app.scenes[scene]?.edit(path, values[path] ?? 0) }
      try app.save(scene)
    }
    return app.end()
  }

  private static let left = ArchiveName.scene("left") ?? .application
  private static let all = ["root": 1, "root/a": 2, "root/b": 3, "root/c": 4]
  private static let none = ["root": 0, "root/a": 0, "root/b": 0]

  /// Launches one scene and returns the values that the user sees.
  private static func look(
    _ disk: SimulatedDisk, build: String = "1", scene: String = "left"
  ) throws -> (SimulatedApp, AppLaunch, [String: Int]) {
    let app = try SimulatedApp(disk, build: build)
    let restored = try app.launch(scene)
    return (app, restored, app.scenes[scene]?.values ?? [:])
  }

  /// Launches one scene, dies in a callback, and returns the remaining disk.
  private static func die(
    _ disk: SimulatedDisk, in phase: String, of path: String, _ death: SimulatedApp.Death = .kill, build: String = "1",
    scene: String = "left"
  ) throws -> SimulatedDisk {
    let app = try SimulatedApp(disk, build: build)
    app.plan = (SimulatedApp.Place(scene: scene, phase: phase, path: path), death)
    try app.launch(scene)
    return try #require(app.remains)
  }

  /// Launches, runs `body`, and dies outside every callback.
  private static func die(
    _ disk: SimulatedDisk, _ death: SimulatedApp.Death = .kill, build: String = "1", after body: (SimulatedApp) throws -> Void = { _ in }
  ) throws -> SimulatedDisk {
    let (app, _, _) = try look(disk, build: build)
    try body(app)
    app.die(death)
    return try #require(app.remains)
  }

  static let callbacks = [
    ("create", "root/c"), ("decode", "root"), ("decode", "root/b"), ("decode", "root/c"), ("finish", "root/a"), ("finish", "root/c"),
  ]

  @Test("56: after one kill in any callback everything is restored", arguments: callbacks)
  func behaviour56InCallbacks(_ phase: String, _ path: String) throws {
    for death in [SimulatedApp.Death.kill, .signalFromOther, .trap(onRestoringThread: false)] {
      let left = try Self.die(Self.disk(), in: phase, of: path, death)
      let (app, restored, values) = try Self.look(left)
      #expect(values == Self.all && restored.offers.isEmpty)
      #expect(restored.lastExit == (death == .trap(onRestoringThread: false) ? .trapped : .killed))
      #expect(app.store.quarantinedPaths(of: Self.left).isEmpty)
    }
  }

  @Test("56: after one kill between restoring and the first save everything is restored, and the generation stays")
  func behaviour56BeforeTheFirstSave() throws {
    var disk = try Self.disk()
    for _ in 1...3 {
      disk = try Self.die(disk)
      let (app, restored, values) = try Self.look(disk)
      #expect(values == Self.all && restored.offers.isEmpty && restored.report?.summary == "restored 4 of 4")
      app.runUntilStable()
      try app.save("left")
      disk = app.end()
    }
  }

  @Test("56: after one kill long after restoring, or before it, everything is restored")
  func behaviour56Otherwise() throws {
    var disk = try Self.disk()
    for _ in 1...4 {
      let app = try SimulatedApp(disk)
      try app.store.beginLaunch()
      app.die(.kill)
      disk = try #require(app.remains)
    }
    for _ in 1...4 { disk = try Self.die(disk) { $0.runUntilStable() } }
    #expect(try Self.look(disk).2 == Self.all)
  }

  @Test(
    "30: while restoring is extended, a death counts as one during restoring, for a minute", arguments: [true, false], [100, 140])
  func behaviour30CountsDeaths(isExtended: Bool, ticks: Int) throws {
    var disk = try Self.disk()
    for _ in 1...2 {
      disk = try Self.die(disk) { app in
        if isExtended { app.scenes["left"]?.application.activity.extendStateRestoration() }
        app.runUntilStable(ticks: ticks)
      }
    }
    let (_, restored, values) = try Self.look(disk)
    let isUnstable = isExtended && ticks == 100
    #expect(restored.offers.map(\.reason) == (isUnstable ? [.deaths] : []))
    #expect(values == (isUnstable ? Self.none : Self.all))
  }

  @Test("32: a node that requests certain reasons is restored at launches that have them")
  func behaviour32AsksForReasons() throws {
    var disk = try Self.disk()
    for (ending, reason) in [("end", RestorationReason.launch), ("kill", .recover), ("suspend", .restore), ("end", .launch)] {
      let app = try SimulatedApp(disk)
      try app.launch("left")
      app.runUntilStable()
      switch ending {
      case "end": disk = app.end()
      case "kill":
        app.die(.kill)
        disk = try #require(app.remains)
      default:
        app.store.noteSuspension(true)
        app.die(.kill)
        disk = try #require(app.remains)
      }
      let next = try SimulatedApp(disk)
      let restored = try next.launch("left") { scene in scene.object("root/a")?.restorationReasons = [.recover, .restore] }
      let isWanted = reason != .launch
      #expect(next.scenes["left"]?.values["root/a"] == (isWanted ? 2 : 0), "\(ending)")
      #expect(next.scenes["left"]?.values["root/b"] == 3, "\(ending)")
      #expect(restored.report?.node(at: "root/a")?.outcome == (isWanted ? .located : .notDecoded(.reason)), "\(ending)")
    }
  }

  @Test("57: an unanswered offer is repeated with its state over five launches, saves, good launches and updates")
  func behaviour57RepeatsOffers() throws {
    var disk = try Self.die(Self.die(Self.disk()))
    for launch in 1...5 {
      let (app, restored, values) = try Self.look(disk, build: "\(launch)")
      if launch == 1 { #expect(values == Self.none) }
      #expect(restored.offers.map(\.reason) == [.deaths], "launch \(launch)")
      #expect(restored.offers.map(\.generation.number) == [1])
      #expect(try app.store.contents(of: #require(restored.offers.first)).node(at: "root/c")?.state()["number"] == 4)
      app.scenes["left"]?.edit("root", 10 + launch)
      for _ in 1...3 { try app.save("left") }
      app.runUntilStable()
      disk = app.end()
    }
  }

  @Test("57, 16: a state declined for now is restored at the next launch; once saved over, it becomes an offer")
  func behaviour57NotNow() throws {
    let app = try SimulatedApp(Self.disk())
    try app.launch("left", isNotNow: true)
    #expect(app.scenes["left"]?.values == Self.none)
    // Nothing has been saved over it.
    #expect(try Self.look(app.end()).2 == Self.all)

    let other = try SimulatedApp(Self.disk())
    try other.launch("left", isNotNow: true)
    other.scenes["left"]?.edit("root/b", 9)
    try other.save("left")
    let (last, restored, values) = try Self.look(other.end())
    #expect(values["root/b"] == 9)
    #expect(restored.offers.map(\.reason) == [.notNow])
    #expect(try last.scenes["left"]?.accept(#require(restored.offers.first)).summary == "restored 4 of 4")
    #expect(last.scenes["left"]?.values == Self.all)
  }

  @Test(
    "16: a state declined for good is set aside: no launch restores or offers it, and no save carries it over", arguments: [false, true])
  func behaviour16Never(_ saves: Bool) throws {
    let app = try SimulatedApp(Self.disk())
    let refused = try app.launch("left", isNever: true)
    #expect(refused.freshStart == .refused && refused.offers.isEmpty && app.scenes["left"]?.values == Self.none)
    #expect(try app.store.generations(of: Self.left).map(\.mark) == [.declined])
    if saves {
      app.scenes["left"]?.edit("root/b", 9)
      try app.save("left")
    }
    let (next, restored, values) = try Self.look(app.end())
    #expect(values == Self.none.merging(saves ? ["root/b": 9] : [:]) { $1 } && restored.offers.isEmpty)
    #expect(restored.freshStart == (saves ? nil : .nothingSaved))
    #expect(try next.store.generations(of: Self.left).map(\.mark) == (saves ? [.none, .declined] : [.declined]))
  }

  @Test("57: a limit ends offers, the newest and the oldest stay, and a launch reports it")
  func behaviour57ReportsLimits() throws {
    var disk = try Self.disk()
    var reported: [String] = []
    for launch in 1...7 {
      let app = try SimulatedApp(disk)
      let restored = try app.launch("left", isNotNow: true)
      reported += restored.endedFiles.map { "\($0.archive), generation \($0)" }
      app.scenes["left"]?.edit("root", 10 + launch)
      try app.save("left")
      app.runUntilStable()
      disk = app.end()
    }
    let (_, restored, _) = try Self.look(disk)
    reported += restored.endedFiles.map { "\($0.archive), generation \($0)" }
    #expect(restored.offers.map(\.generation.number) == [7, 6, 5, 1])
    #expect(
      Set(reported) == ["scene left, generation 2 (offered)", "scene left, generation 3 (offered)", "scene left, generation 4 (offered)"])
  }

  @Test(
    "58: after two consecutive kills at a node, or one recorded trap, the node is skipped and the rest is restored", arguments: callbacks)
  func behaviour58Quarantines(_ phase: String, _ path: String) throws {
    let twice = try Self.die(
      Self.die(Self.disk(), in: phase, of: path), in: phase == "finish" ? "decode" : phase, of: path, .signalFromOther)
    let once = try Self.die(Self.disk(), in: phase, of: path, .trap(onRestoringThread: true))
    for left in [twice, once] {
      let (app, restored, values) = try Self.look(left)
      #expect(restored.offers.isEmpty && app.store.quarantinedPaths(of: Self.left).map(\.description) == [path])
      let expected =
        path == "root"
        ? Self.none : Self.all.merging(path == "root/c" ? [:] : [path: 0]) { $1 }.filter { $0.key != path || path != "root/c" }
      #expect(values == expected)
    }
  }

  @Test("58, 60: deaths count across an update or a downgrade", arguments: ["2", "0"])
  func behaviour58CountsOverBuilds(_ build: String) throws {
    let left = try Self.die(Self.die(Self.disk(), in: "decode", of: "root/b"), in: "decode", of: "root/b", build: build)
    // Both builds have died, so neither tries the node again; nor would a third one in the streak.
    for build in [build, "1", "3"] { #expect(try Self.look(left, build: build).2["root/b"] == 0) }
    let (app, _, _) = try Self.look(left, build: build)
    app.runUntilStable()
    #expect(try Self.look(app.end(), build: "3").2 == Self.all)
  }

  @Test("58: a trap of another thread while a node decodes only makes the node a suspect")
  func behaviour58OtherThreads() throws {
    let left = try Self.die(Self.disk(), in: "decode", of: "root/b", .trap(onRestoringThread: false))
    #expect(try Self.look(left).2 == Self.all)
    let again = try Self.die(left, in: "decode", of: "root/a", .trap(onRestoringThread: false))
    let (app, restored, values) = try Self.look(again)
    #expect(values == Self.none && restored.offers.map(\.suspects) == [["root/b", "root/a"]])
    // The user restores it without the suspects.
    let offer = try #require(restored.offers.first)
    _ = try app.scenes["left"]?.accept(offer, without: Set(offer.suspects))
    #expect(app.scenes["left"]?.values == ["root": 1, "root/a": 0, "root/b": 0, "root/c": 4])
    app.runUntilStable()
    try app.save("left")
    let (last, _, _) = try Self.look(app.end())
    #expect(last.store.quarantinedPaths(of: Self.left) == ["root/a", "root/b"])
  }

  @Test("59: the state of a quarantined node is carried over unchanged while its object lives, until the user changes it")
  func behaviour59CarriesQuarantined() throws {
    var disk = try Self.die(Self.disk(), in: "decode", of: "root/b", .trap(onRestoringThread: true))
    for launch in 1...3 {
      let (app, _, values) = try Self.look(disk)
      #expect(values["root/b"] == 0)
      app.scenes["left"]?.edit("root/a", 20 + launch)
      try app.save("left")
      app.runUntilStable()
      disk = app.end()
    }
    // The fixed build finds the user's state.
    #expect(try Self.look(disk, build: "2").2["root/b"] == 3)

    let (app, _, _) = try Self.look(disk)
    app.scenes["left"]?.edit("root/b", 99)
    try app.save("left")
    app.scenes["left"]?.edit("root/a", 50)
    try app.save("left")
    app.runUntilStable()
    let (last, restored, values) = try Self.look(app.end())
    #expect(values == ["root": 1, "root/a": 50, "root/b": 99, "root/c": 4])
    let offer = try #require(restored.offers.first)
    #expect(offer.reason == .quarantine && offer.paths == ["root/b"] && restored.offers.count == 1)
    // The offer is for that path only.
    _ = try last.scenes["left"]?.accept(offer)
    #expect(last.scenes["left"]?.values == ["root": 1, "root/a": 50, "root/b": 3, "root/c": 4])
  }

  /// An app that an accepted offer killed at `root/b`, launched again with the same offer.
  ///
  /// Its windows replace their documents if `replacesDocuments` is true.
  private static func offeredAgain(replacesDocuments: Bool) throws -> (SimulatedApp, StoreOffer) {
    let first = try SimulatedApp(disk())
    try first.launch("left", isNotNow: true)
    first.scenes["left"]?.edit("root", 9)
    try first.save("left")
    let second = try SimulatedApp(first.end())
    let offer = try #require(try second.launch("left").offers.first)
    second.plan = (SimulatedApp.Place(scene: "left", phase: "decode", path: "root/b"), .trap(onRestoringThread: true))
    _ = try second.scenes["left"]?.accept(offer)
    let third = try SimulatedApp(#require(second.remains))
    third.replacesDocuments = replacesDocuments
    let again = try #require(try third.launch("left").offers.first)
    #expect(again.generation.number == 1 && again.suspects == ["root/b"])
    return (third, again)
  }

  @Test("59: state excluded from an accepted offer is preserved, even if restoring replaced a live object at its path")
  func behaviour59OverLiveObjects() throws {
    let (app, offer) = try Self.offeredAgain(replacesDocuments: true)
    let scene = try #require(app.scenes["left"])
    #expect(scene.object("root/b") != nil)
    let report = try scene.accept(offer, without: ["root/b"])
    #expect(report.node(at: "root/b")?.outcome == .quarantined && scene.object("root/b") == nil)
    app.store.markStable()
    scene.edit("root", 10)
    try app.save("left")
    #expect(try app.store.load(Self.left).archive?.reader.node(at: "root/b")?.state()["number"] == 3)
    var disk = app.end()
    for launch in 1...3 {
      let (app, _, values) = try Self.look(disk)
      #expect(values["root/b"] == 0)
      app.scenes["left"]?.edit("root", 20 + launch)
      try app.save("left")
      app.runUntilStable()
      disk = app.end()
    }
    // The fixed build finds the user's state.
    #expect(try Self.look(disk, build: "2").2 == ["root": 23, "root/a": 2, "root/b": 3, "root/c": 4])
  }

  @Test("59, 66: after an accepted offer, an object that the user closes is closed; one that the user opens and changes is saved")
  func behaviour66AfterOffers() throws {
    let (app, offer) = try Self.offeredAgain(replacesDocuments: false)
    let scene = try #require(app.scenes["left"])
    _ = try scene.accept(offer, without: ["root/b"])
    app.runUntilStable()
    scene.close("root/b")
    try app.save("left")
    #expect(try app.store.load(Self.left).archive?.reader.node(at: "root/b") == nil)

    let (other, again) = try Self.offeredAgain(replacesDocuments: true)
    let opened = try #require(other.scenes["left"])
    _ = try opened.accept(again, without: ["root/b"])
    other.runUntilStable()
    opened.edit("root/b", 99)
    try other.save("left")
    #expect(try other.store.load(Self.left).archive?.reader.node(at: "root/b")?.state()["number"] == 99)
    let kept = try #require(try other.store.offers(of: Self.left).first { $0.paths == ["root/b"] })
    #expect(try other.store.contents(of: kept).node(at: "root/b")?.state()["number"] == 3)
  }

  @Test("59: an object that the user opened and changed is saved, even if another object has registered meanwhile")
  func behaviour59AmongRegistrations() throws {
    let (app, offer) = try Self.offeredAgain(replacesDocuments: true)
    let scene = try #require(app.scenes["left"])
    _ = try scene.accept(offer, without: ["root/b"])
    scene.edit("root/b", 99)
    scene.close("root/c")
    scene.register()
    try app.save("left")
    #expect(try app.store.load(Self.left).archive?.reader.node(at: "root/b")?.state()["number"] == 99)
  }

  @Test("paths excluded from an offer are quarantined in that state only, even if accepting it kills the app")
  func quarantinesAcceptedStates() throws {
    let (app, offer) = try Self.offeredAgain(replacesDocuments: false)
    let scene = try #require(app.scenes["left"])
    scene.edit("root/b", 6)
    app.plan = (SimulatedApp.Place(scene: "left", phase: "finish", path: "root/a"), .kill)
    _ = try scene.accept(offer, without: ["root/b"])
    #expect(try Self.look(#require(app.remains)).2["root/b"] == 6)
  }

  @Test("60: a quarantined node is retried by another build, when released, and after 5 good launches")
  func behaviour60Retries() throws {
    let left = try Self.die(Self.disk(), in: "decode", of: "root/b", .trap(onRestoringThread: true))
    let (good, restored, _) = try Self.look(left)
    // L17: the report and the plan say when, and how to release it.
    let release = "or when released (RestorationStore.release, or `restoration store --release`)"
    let retry = "tried again after 5 good launches, by another build, \(release)"
    #expect(restored.report?.why("root/b").contains("ended the process before; \(retry)") == true)
    #expect(restored.plan.retry == retry)
    good.runUntilStable()
    #expect(try Self.look(good.end(), build: "2").2 == Self.all)

    let app = try SimulatedApp(left)
    #expect(try app.store.release("root/b", of: Self.left))
    #expect(try !app.store.release("root/b", of: Self.left))
    try app.launch("left")
    #expect(app.scenes["left"]?.values == Self.all)

    var disk = left
    for _ in 1...5 {
      let (app, _, values) = try Self.look(disk)
      #expect(values["root/b"] == 0)
      app.runUntilStable()
      disk = app.end()
    }
    #expect(try Self.look(disk).2 == Self.all)
    // After a death in the retry, the node is skipped for longer.
    disk = try Self.die(disk, in: "decode", of: "root/b")
    for _ in 1...10 {
      let (app, _, values) = try Self.look(disk)
      #expect(values["root/b"] == 0)
      app.runUntilStable()
      disk = app.end()
    }
    #expect(try Self.look(disk).2 == Self.all)
  }

  @Test("61: a scene that cannot be restored does not count against the others")
  func behaviour61KeepsScenesApart() throws {
    var disk = try Self.disk(scenes: ["left", "right"])
    for path in ["root/a", "root/b"] {
      let app = try SimulatedApp(disk)
      try app.launch("left")
      app.plan = (SimulatedApp.Place(scene: "right", phase: "decode", path: path), .kill)
      try app.launch("right")
      disk = try #require(app.remains)
    }
    let app = try SimulatedApp(disk)
    #expect(try app.launch("left").offers.isEmpty)
    #expect(app.scenes["left"]?.values == Self.all)
    #expect(try app.launch("right").offers.map(\.suspects) == [["root/a", "root/b"]])
  }

  @Test("62: after an automatic save, a trap counts as a death and a kill does not; two force-quit hangs cause an offer")
  func behaviour62Stable() throws {
    func save(_ app: SimulatedApp) throws {
      app.scenes["left"]?.edit("root", Int.random(in: 5...1_000_000))
      try app.save("left")
    }
    var disk = try Self.disk()
    for _ in 1...2 { disk = try Self.die(disk, .trap(onRestoringThread: true), after: save) }
    #expect(try Self.look(disk).1.offers.map(\.reason) == [.deaths])
    disk = try Self.disk()
    for _ in 1...4 { disk = try Self.die(disk, after: save) }
    #expect(try Self.look(disk).1.offers.isEmpty)
    // A hanging app counts no ticks.
    disk = try Self.die(Self.disk())
    #expect(try Self.look(disk).2 == Self.all)
    #expect(try Self.look(Self.die(disk)).1.offers.map(\.reason) == [.deaths])
    // The app reports that it is stable.
    disk = try Self.disk()
    for _ in 1...4 { disk = try Self.die(disk, .trap(onRestoringThread: true)) { $0.store.markStable() } }
    #expect(try Self.look(disk).2 == Self.all)
  }

  @Test("63: the last exit determines the reason for the next launch")
  func behaviour63LastExit() throws {
    let disk = try Self.disk()
    #expect(try SimulatedApp(SimulatedDisk()).launch("left").lastExit == nil)
    func exit(_ left: SimulatedDisk, boot: UInt64 = 1) throws -> (LastExit?, RestorationReason) {
      let app = try SimulatedApp(left, boot: boot)
      let reason = try app.store.beginLaunch()
      return (app.store.launch.history?.lastExit, reason)
    }
    #expect(try exit(disk) == (.ended, .launch))
    #expect(try exit(Self.die(disk)) == (.killed, .recover))
    #expect(try exit(Self.die(disk), boot: 2) == (.otherBoot, .recover))
    #expect(try exit(Self.die(disk, .trap(onRestoringThread: false))) == (.trapped, .recover))
    #expect(try exit(Self.die(disk) { $0.store.endLaunch(.signal) }) == (.signal, .launch))
    #expect(try exit(Self.die(disk) { $0.store.noteSuspension(true) }) == (.suspended, .restore))
    #expect(
      try exit(Self.die(disk) { app in for isSuspended in [true, false] { app.store.noteSuspension(isSuspended) } }) == (.killed, .recover))
    let broken = try Self.die(disk)
    broken.setContent(of: ProgressFile.fileName, to: [1, 2, 3])
    #expect(try exit(broken) == (.unknown, .recover))
  }

  @Test("64: a fresh start reports its reason")
  func behaviour64FreshStarts() throws {
    func launch(
      _ disk: SimulatedDisk, isSafe: Bool = false, isNotNow: Bool = false, isNever: Bool = false
    ) throws -> AppLaunch {
      try SimulatedApp(disk, isSafe: isSafe).launch("left", isNotNow: isNotNow, isNever: isNever)
    }
    #expect(try launch(SimulatedDisk()).freshStart == .nothingSaved)
    #expect(try launch(Self.disk()).freshStart == nil)
    #expect(try launch(Self.disk(), isSafe: true).freshStart == .offered)
    for isNever in [false, true] {
      let refused = try launch(Self.disk(), isNotNow: !isNever, isNever: isNever)
      #expect(refused.freshStart == .refused && refused.report?.refusal == "opened for a document")
    }
    #expect(try launch(Self.die(Self.die(Self.disk()))).freshStart == .offered)
    for (bytes, reason) in try [([1, 2, 3], FreshStartReason.allDamaged), (SampleArchive.ofLaterVersion(), .laterVersion)] {
      let other = try Self.disk()
      other.setContent(of: try #require(other.names.first { Generation(fileName: $0) != nil }), to: bytes)
      #expect(try launch(other).freshStart == reason)
    }
  }

  @Test("after a death by accepting, the offer is open again, and the previously current state is restored")
  func reopensOffers() throws {
    for death in [SimulatedApp.Death.kill, .trap(onRestoringThread: true)] {
      let (app, restored, _) = try Self.look(Self.die(Self.die(Self.disk())))
      app.scenes["left"]?.edit("root", 7)
      let offer = try #require(restored.offers.first)
      app.plan = (SimulatedApp.Place(scene: "left", phase: "decode", path: "root/b"), death)
      _ = try app.scenes["left"]?.accept(offer)
      let (next, again, values) = try Self.look(#require(app.remains))
      #expect(values == ["root": 7, "root/a": 0, "root/b": 0])
      #expect(again.offers.map(\.generation.number) == [1] && again.offers.first?.suspects == ["root/b"])
      #expect(next.store.quarantinedPaths(of: Self.left).isEmpty)
      // Accepted again, the offer succeeds.
      _ = try next.scenes["left"]?.accept(#require(again.offers.first))
      next.runUntilStable()
      let (last, _, found) = try Self.look(next.end())
      #expect(found == Self.all)
      #expect(try last.store.offers(of: Self.left).map(\.reason) == [.replaced])
    }
  }

  @Test("an offer that is declined for good is gone; one that is put off stays")
  func declinesOffers() throws {
    let (app, restored, _) = try Self.look(Self.die(Self.die(Self.disk())))
    try app.save("left")
    let name = Self.left
    #expect(try app.store.offers(of: name).map(\.reason) == [.deaths])
    try app.store.decline(#require(app.store.offers(of: name).first))
    #expect(try app.store.offers(of: name).isEmpty && restored.offers.count == 1)
    #expect(try Self.look(app.end()).1.offers.isEmpty)
  }

  @Test("closing a scene ends its offers, its deaths and its quarantine")
  func closesScenes() throws {
    let (app, _, _) = try Self.look(Self.die(Self.die(Self.disk())))
    try app.save("left")
    #expect(try app.save([], closing: "left") == ["left": .forgotten])
    let (last, restored, values) = try Self.look(app.end())
    #expect(values == Self.none && restored.offers.isEmpty && restored.plan.reason == "nothing was saved")
    #expect(last.system.disk.names.allSatisfy { Generation(fileName: $0) == nil })
  }

  @Test("34: saves after a fresh start are a new generation; the replaced state stays as an offer")
  func behaviour34KeepsWhatIsReplaced() throws {
    let app = try SimulatedApp(Self.disk(), isSafe: true)
    try app.launch("left")
    for number in 1...5 {
      app.scenes["left"]?.edit("root", 10 + number)
      try app.save("left")
    }
    let offers = try app.store.offers(of: Self.left)
    #expect(offers.map(\.reason) == [.safeMode])
    #expect(try app.store.contents(of: #require(offers.first)).node(at: "root/a")?.state()["number"] == 2)
  }

  @Test("51: if storage is unavailable at launch and newer state is in memory, the saved state becomes an offer")
  func behaviour51NewerState() throws {
    let disk = try Self.disk()
    let isReachable = Switch()
    let store = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk)), isReachable: { isReachable.isOn })
    let app = try SimulatedApp(SimulatedDisk())
    let scene = SimulatedScene("left", app: app)
    let name = Self.left
    #expect(try store.restore(scene.application, as: name, with: scene.resolver()).lastExit == nil)
    scene.edit("root", 8)
    #expect(try store.save(scene.preserve(), as: name) == .deferred)
    isReachable.isOn = true
    let restored = try store.restore(scene.application, as: name, with: scene.resolver())
    guard case .startFresh(.newerState) = restored.plan.action else {
      Issue.record("\(restored.plan.reason)")
      return
    }
    try store.save(#require(scene.application.takeDeferredPreservation()), as: name)
    #expect(try store.offers(of: name).map(\.reason) == [.newerState])
    #expect(try store.load(name).archive?.reader.node(at: "root")?.state()["number"] == 8)
  }

  @Test(
    "51: if the app starts fresh while its state is pending, the state is not delivered later, and becomes an offer",
    arguments: [false, true])
  func behaviour51StartsFresh(_ defers: Bool) throws {
    let isReachable = Switch()
    let folder = try StoreFolder(path: "/store", system: FaultySystem(Self.disk()))
    let store = try RestorationStore(folder, isReachable: { isReachable.isOn })
    let app = try SimulatedApp(SimulatedDisk())
    let scene = SimulatedScene("left", app: app)
    #expect(try store.restore(scene.application, as: Self.left, with: scene.resolver()).isWaiting)
    try scene.application.startFresh()
    scene.edit("root", 8)
    if defers { #expect(try store.save(scene.preserve(), as: Self.left) == .deferred) }
    isReachable.isOn = true
    let saved = try #require(try RestorationStore(folder, access: .reading).load(Self.left).archive)
    #expect(try scene.application.deliver(saved.reader, with: scene.resolver()) == nil)
    #expect(scene.values == ["root": 8, "root/a": 0, "root/b": 0])
    if defers { #expect(try store.writeDeferred() == 1) } else { #expect(try store.save(scene.preserve(), as: Self.left) == .saved) }
    #expect(try store.offers(of: Self.left).map(\.reason) == [.newerState])
    #expect(try store.contents(of: #require(store.offers(of: Self.left).first)).node(at: "root/c")?.state()["number"] == 4)
  }

  @Test("the saved state is kept when a deferred save replaces it")
  func keepsWhatDeferredStateReplaces() throws {
    let disk = try Self.disk()
    let isReachable = Switch()
    let store = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk)), isReachable: { isReachable.isOn })
    let name = Self.left
    #expect(try store.save(SampleArchive.bytes(1), as: name) == .deferred)
    isReachable.isOn = true
    #expect(try store.writeDeferred() == 1)
    #expect(try store.offers(of: name).map(\.reason) == [.newerState])
  }

  @Test("restoring begins the launch automatically, so that a crash loop ends without a call of beginLaunch")
  func protectsWithoutBeginning() throws {
    let disk = try Self.die(Self.disk(), in: "decode", of: "root/b", .trap(onRestoringThread: true))
    let store = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk)))
    let app = try SimulatedApp(SimulatedDisk())
    let scene = SimulatedScene("left", app: app)
    let restored = try store.restore(scene.application, as: Self.left, with: scene.resolver())
    #expect(restored.lastExit == .trapped && restored.launchError == nil)
  }

  @Test("a launch on a full disk restores, and reports that it cannot be recorded")
  func restoresOnAFullDisk() throws {
    let disk = try Self.die(Self.disk(), in: "decode", of: "root/b", .trap(onRestoringThread: true))
    let app = try SimulatedApp(disk)
    app.system.isFull = true
    let restored = try app.launch("left")
    #expect(app.scenes["left"]?.values == Self.all.merging(["root/b": 0]) { $1 })
    #expect(restored.launchError != nil)
  }
}
