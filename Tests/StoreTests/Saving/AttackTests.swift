import EngineKit
import Foundation
import Locking
import ProcessKit
import Testing

@testable import StateRestoration

/// What attacks on the store have found (Behaviours 5, 75, 108, 110 to 112).
@Suite struct AttackTests {
  private static func store(_ system: FaultySystem, limits: StoreLimits = StoreLimits()) throws -> RestorationStore {
    try RestorationStore(StoreFolder(path: "/store", system: system), boot: 1, limits: limits)
  }

  private static func store(_ disk: SimulatedDisk) throws -> RestorationStore { try store(FaultySystem(disk)) }

  // MARK: Two processes

  /// How the first process loses the folder.
  enum Loss: CaseIterable { case lock, folder, end }

  @Test("108: what another process saves while this one has lost the folder becomes an offer", arguments: Loss.allCases, [false, true])
  func keepsForeignSaves(_ loss: Loss, _ isFresh: Bool) throws {
    let disk = SimulatedDisk()
    let first = try Self.store(disk)
    let application = RestorableTree()
    _ = try first.restore(application, with: Resolver {})
    if !isFresh { try first.save(SampleArchive.bytes(1)) }
    switch loss {
    case .lock: disk.state.withLock { _ = $0.names.removeValue(forKey: "lock") }
    case .folder: disk.state.withLock { $0.names = [:] }
    case .end: first.endLaunch()
    }
    let second = try Self.store(disk)
    try second.save(SampleArchive.bytes(2))
    if loss != .end { #expect(throws: StoreError.self) { try first.save(SampleArchive.bytes(3)) } }
    second.endLaunch()
    for number in 3...6 { try first.save(SampleArchive.bytes(number)) }
    let offers = try first.offers()
    #expect(offers.map(\.reason) == [.otherProcess])
    #expect(try offers.map { try SampleArchive.number(in: first.contents(of: $0)) } == [2])
    #expect(try first.load().number == 6)
  }

  @Test("a process that loads what another one has saved meanwhile continues with it, without an offer")
  func loadsForeignSaves() throws {
    let disk = SimulatedDisk()
    let first = try Self.store(disk)
    try first.save(SampleArchive.bytes(1))
    first.endLaunch()
    let second = try Self.store(disk)
    try second.save(SampleArchive.bytes(2))
    second.endLaunch()
    #expect(try first.load().number == 2)
    try first.save(SampleArchive.bytes(3))
    #expect(try first.offers().isEmpty)
  }

  // MARK: Names

  @Test("110: a relative folder is resolved when the store is opened")
  func resolvesFolder() throws {
    let temporary = try TemporaryFolder()
    _ = try TestProcess.run("store-probe", ["relative", temporary.url("").path])
    let reader = try #require(try RestorationStore(folder: temporary.url("store").path, access: .reading).load().archive).reader
    #expect(try SampleArchive.number(in: reader) == 2)
  }

  @Test("5: two forms of the same text name two scenes, each with its own state")
  func separatesForms() throws {
    let composed = try #require(ArchiveName.scene("caf\u{E9}"))
    let decomposed = try #require(ArchiveName.scene("cafe\u{301}"))
    #expect(composed != decomposed && Set([composed, decomposed]).count == 2)
    let store = try Self.store(SimulatedDisk())
    try store.save(SampleArchive.bytes(1), as: composed)
    try store.save(SampleArchive.bytes(2), as: decomposed)
    #expect(try store.load(composed).number == 1 && store.load(decomposed).number == 2)
    try store.remove(composed)
    #expect(try store.load(decomposed).number == 2 && store.archives() == [decomposed])
  }

  @Test(
    "a foreign file with the name that a marked one needs is set aside", arguments: [Generation.Mark.declined, .pinned, .frozen, .offered])
  func keepsForeignFiles(_ mark: Generation.Mark) throws {
    let disk = SimulatedDisk()
    let store = try Self.store(disk)
    try store.save(SampleArchive.bytes(1))
    let generation = try #require(try store.generations().first)
    let name = generation.marked(mark).fileName
    let system = FaultySystem(disk)
    let file = try system.open("/store/\(name)", .create)
    _ = try system.write([1, 2, 3], to: file, at: 0)
    switch mark {
    case .declined: try store.decline(generation)
    case .pinned: store.pin(generation)
    case .offered: store.skip(StoreOffer(generation, .notNow))
    default: break
    }
    let build = mark == Generation.Mark.frozen ? "2" : "1"
    try store.save(SampleArchive.bytes(2, bundleVersion: build))
    let foreign: [UInt8]? = [1, 2, 3]
    #expect(disk.content(of: name + ".foreign1") == foreign)
    let bytes = try SampleArchive.bytes(1)
    #expect(disk.content(of: name) == bytes)
  }

  // MARK: Extreme settings

  @Test("limits out of range count as the nearest in range, however they are set")
  func clampsLimits() throws {
    var limits = StoreLimits()
    (limits.offers, limits.damagedFiles, limits.declinedFiles, limits.pinnedFiles, limits.links) = (0, -1, .min, 0, .max)
    let values = [limits.offers, limits.damagedFiles, limits.declinedFiles, limits.pinnedFiles, limits.links]
    #expect(values == [1, 1, 1, 1, 128] as [Int])
    let store = try Self.store(FaultySystem(SimulatedDisk()), limits: limits)
    for number in 1...4 {
      try store.save(SampleArchive.bytes(number))
      if let generation = try store.generations().first { store.skip(StoreOffer(generation, .notNow)) }
    }
    #expect(try store.generations().count <= 4)
  }

  @Test("every duration can be given: a negative one counts as zero, an endless one as a century")
  func takesAllDurations() {
    let extremes: [Duration] = [.seconds(Int64.max), .seconds(Int64.min), .zero, .nanoseconds(1)]
    for duration in extremes {
      var timing = ApplicationLifecycle.Timing()
      (timing.saveDelay, timing.longestSaveDelay, timing.backgroundTime) = (duration, duration, duration)
      #expect(timing == ApplicationLifecycle.Timing(saveDelay: duration, longestSaveDelay: duration, backgroundTime: duration))
      #expect(LaunchOptions(stableAfter: duration).ticksToStable >= 1)
      for time in extremes {
        var lifecycle = ApplicationLifecycle(timing: timing)
        let events: [LifecycleEvent] = [
          .launched(inBackground: false, restoresState: true), .opened(.application), .restored(.application), .changed(.application),
          .failed(.application), .tick, .turnEnded, .changed(.application), .enteredBackground, .tick, .suspending,
          .terminate(within: duration),
        ]
        for event in events {
          _ = lifecycle.handle(event, now: time)
          if let next = lifecycle.nextTick { #expect(next >= .zero) }
        }
      }
    }
  }

  // MARK: Disks

  @Test("111: on a read-only file system the state is restored, the launch says so, and it is saved once that is possible")
  func restoresFromReadOnly() throws {
    let disk = try Self.savedDisk()
    let system = FaultySystem(disk)
    system.isReadOnly = true
    let store = try Self.store(system)
    let restored = try store.restore(RestorableTree(), with: Resolver {})
    guard case .restore = restored.plan.action else {
      Issue.record("\(restored.plan.reason)")
      return
    }
    guard case .system(let error)? = restored.launchError, error.code == EROFS else {
      Issue.record("\(String(describing: restored.launchError))")
      return
    }
    #expect(throws: StoreError.self) { try store.save(SampleArchive.bytes(2)) }
    system.isReadOnly = false
    try store.save(SampleArchive.bytes(3))
    #expect(try store.load().number == 3)
    // The launch is on record from then on.
    #expect(LeftProgress(in: store.folder).record?.launch == store.launch.history?.launch.number)
    store.endLaunch()
    let next = try Self.store(disk)
    try next.beginLaunch()
    #expect(next.launch.history?.lastExit == .ended)
  }

  @Test("111: on a file system without locks the state is restored, the launch says so, and nothing is written")
  func restoresWithoutLocks() throws {
    let system = FaultySystem(try Self.savedDisk())
    system.lacksLocks = true
    let store = try Self.store(system)
    let restored = try store.restore(RestorableTree(), with: Resolver {})
    guard case .restore = restored.plan.action, case .system(let error)? = restored.launchError, error.code == ENOLCK else {
      Issue.record("\(restored.plan.reason), \(String(describing: restored.launchError))")
      return
    }
    #expect(throws: StoreError.self) { try store.save(SampleArchive.bytes(2)) }
  }

  private static func savedDisk() throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    let store = try store(disk)
    try store.beginLaunch()
    try store.save(SampleArchive.bytes(1))
    store.endLaunch()
    return disk
  }

  @Test("112: after one transient error, at any call of a launch, the state is restored", arguments: [EIO, EMFILE])
  func survivesTransientErrors(_ code: Int32) throws {
    let disk = try Self.savedDisk()
    let counting = FaultySystem(disk.afterProcessDeath())
    _ = try Self.store(counting).restore(RestorableTree(), with: Resolver {})
    for call in 1...counting.callCount {
      let store = try Self.store(FaultySystem(disk.afterProcessDeath(), fault: .error(code), at: call))
      let restored = try store.restore(RestorableTree(), with: Resolver {})
      #expect(restored.plan.reason == "restores generation 1", "call \(call)")
    }
  }

  @Test("112: files that the system cannot read are not called damaged, and become an offer")
  func tellsUnreadableFromDamaged() throws {
    let disk = try Self.savedDisk()
    let system = FaultySystem(disk)
    system.unreadablePrefix = "application"
    let store = try Self.store(system)
    let restored = try store.restore(RestorableTree(), with: Resolver {})
    guard case .startFresh(.unreadable) = restored.plan.action else {
      Issue.record("\(restored.plan.reason)")
      return
    }
    system.unreadablePrefix = nil
    try store.save(SampleArchive.bytes(2))
    #expect(try store.offers().map(\.reason) == [.unreadable])
  }

  @Test("a save that is longer than the process may write throws, and the next one succeeds")
  func obeysSizeLimit() throws {
    let temporary = try TemporaryFolder()
    let lines = try TestProcess.run("store-probe", ["limited", temporary.url("store").path]).text.split(separator: "\n")
    let starts = lines.map { String($0.prefix(14)) }
    #expect(starts == ["saved", "store: writing", "saved"], "\(lines)")
  }

  // MARK: Large numbers

  @Test("a folder with thousands of copied offers is listed a few times in a save")
  func removesManyOffers() throws {
    let disk = try Self.savedDisk()
    let system = FaultySystem(disk)
    let bytes = try SampleArchive.bytes(9)
    for number in UInt64(2)...2001 {
      let file = try system.open("/store/\(Generation(.application, number, .offered).fileName)", .create)
      _ = try system.write(bytes[...], to: file, at: 0)
    }
    let store = try Self.store(system)
    try store.beginLaunch()
    try store.save(SampleArchive.bytes(2))
    let before = system.listingCount
    try store.save(SampleArchive.bytes(3))
    #expect(system.listingCount - before < 20)
    #expect(try store.generations().count < 12)
  }

  @Test("an offer is accepted without thousands of nodes in a time that grows with their number", .timeLimit(.minutes(10)))
  func leavesManyNodesOut() throws {
    let count = 40_000
    var history = LaunchHistory(after: nil, ledger: LaunchLedger(), launch: .init(bundleVersion: "1", number: 1))
    let tree = ArchiveTree(nodes: [ArchiveNode("root", children: (0..<count).map { ArchiveNode("n\($0)") })])
    let paths = Set((0..<count).compactMap { try? RestorationPath(components: ["root", "n\($0)"]) })
    history.quarantine(paths, of: .application, in: try ArchiveReader([UInt8](tree.encoded())))
    history.noteFound(Dictionary(uniqueKeysWithValues: paths.map { ($0, ($0, 7)) }), in: .application)
    #expect(history.ledger.quarantined.count == count && history.ledger.quarantined.allSatisfy { $0.digest != nil })
  }

  // MARK: Closed scenes

  @Test(
    "103, 104: a closed scene stays closed, wherever the process dies or a call fails; one opened again is kept",
    arguments: [FaultySystem.Fault.death, .error(EIO), .error(EACCES)])
  func staysClosed(_ fault: FaultySystem.Fault) throws {
    let scene = try #require(ArchiveName.scene("window"))
    let disk = SimulatedDisk()
    do {
      let store = try Self.store(disk)
      try store.beginLaunch()
      for number in 1...3 { try store.save(SampleArchive.bytes(number), as: scene) }
      store.endLaunch()
    }
    /// Closes the scene, with a fault in a call; returns whether that was reported, and the calls before and after.
    func close(_ fault: FaultySystem.Fault?, at call: Int) throws -> (isClosed: Bool, disk: SimulatedDisk, calls: Range<Int>) {
      let copy = disk.afterProcessDeath()
      let system = FaultySystem(copy, fault: fault, at: call)
      let store = try Self.store(system)
      try store.beginLaunch()
      let before = system.callCount
      let isClosed = (try? store.remove(scene)) != nil
      return (isClosed, copy.afterProcessDeath(), before..<system.callCount)
    }
    let calls = try close(nil, at: 0).calls
    var closed = 0
    for call in calls.lowerBound + 1...calls.upperBound {
      let (isClosed, left, _) = try close(fault, at: call)
      let next = try Self.store(left)
      try next.beginLaunch()
      let found = try next.load(scene).number
      // Never an older state than the last.
      #expect(found == nil || found == 3 && !isClosed, "call \(call)")
      #expect(try found != nil || !next.archives().contains(scene), "call \(call)")
      if found == nil { closed += 1 }
      try next.save(SampleArchive.bytes(4), as: scene)
      next.endLaunch()
      let last = try Self.store(left)
      try last.beginLaunch()
      #expect(try last.load(scene).number == 4, "call \(call)")
    }
    #expect(closed > calls.count / 2)
  }
}
