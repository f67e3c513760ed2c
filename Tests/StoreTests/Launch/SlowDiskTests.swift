import EngineKit
import Foundation
import Locking
import Testing

@testable import StateRestoration

/// A disk on which a flush takes as long as the test says: only what asks for the disk waits for it (Behaviours 62).
@Suite(.serialized) struct SlowDiskTests {
  private let disk = SimulatedDisk()

  private func store(_ system: FaultySystem) throws -> RestorationStore {
    try RestorationStore(StoreFolder(path: "/store", system: system), launch: LaunchOptions(bundleVersion: "1"), boot: 1)
  }

  private func scene(_ name: String) throws -> ArchiveName { try #require(.scene(name)) }

  private func restore(_ store: RestorationStore, as archive: ArchiveName) throws -> AppLaunch {
    try store.restore(RestorableTree(roots: [Counter()]), as: archive, with: Resolver(), isolation: nil)
  }

  private final class Counter: Restorable {
    let restorationIdentifier: String? = "counter"
    @Restored var count = 0
  }

  /// A store whose app was restored, and one of whose saves waits for the disk while `body` runs.
  private func whileFlushing(_ body: (RestorationStore, SimulatedDisk, Gate) throws -> Void) throws {
    let archives = [ArchiveName.application, try scene("a"), try scene("b")]
    do {
      let store = try store(FaultySystem(disk))
      try store.beginLaunch()
      for archive in archives { try store.save(SampleArchive.bytes(1), as: archive) }
      // It dies while its archives are on trial.
      for archive in archives { _ = try restore(store, as: archive) }
    }
    let (disk, gate) = (disk.afterProcessDeath(), Gate())
    let store = try store(FaultySystem(disk, willFlush: { gate.pass() }))
    for archive in archives.prefix(2) { _ = try restore(store, as: archive) }
    gate.close()
    let bytes = try SampleArchive.bytes(2)
    let (saved, hasSaved) = (archives[1], DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      _ = try? store.save(bytes, as: saved)
      hasSaved.signal()
    }
    gate.awaitVisitor()
    defer {
      gate.open()
      hasSaved.wait()
    }
    try body(store, disk, gate)
  }

  /// The deaths that the next launch would count.
  private func deaths(on disk: SimulatedDisk) throws -> Int {
    try store(FaultySystem(disk.afterProcessDeath())).launch.knownHistory().ledger.streak
  }

  @Test("a turn, ticks and a suspension do not wait for a save that is being flushed", .timeLimit(.minutes(10)))
  func recordsWithoutWaiting() throws {
    try whileFlushing { store, disk, _ in
      store.noteTurn()
      for isSuspended in [true, false] { store.noteSuspension(isSuspended) }
      var ticks = 0
      while store.noteTick(.application, isExtended: false) { ticks += 1 }
      #expect(ticks == 9)
      #expect(store.launch.history?.isUnstable(.application) == false)
      // The app has taken its turn, so a kill counts no death, whatever the ledger says.
      let deaths0 = try deaths(on: disk)
      #expect(deaths0 == 0)
    }
  }

  @Test(
    "what ticks have found stable is on the disk only after the ledger is: a kill between counts as one death", .timeLimit(.minutes(10)))
  func recordsStabilityAfterTheLedger() throws {
    try whileFlushing { store, disk, gate in
      while store.noteTick(.application, isExtended: false) {}
      let deaths2 = try deaths(on: disk)
      #expect(deaths2 == 2)
      gate.open()
      // Writes the ledger, if the other thread has not yet.
      store.markStable()
      let deaths0 = try deaths(on: disk)
      #expect(deaths0 == 0)
    }
  }

  @Test("what has worked is stable after five seconds, without a tick of the app's actor", .timeLimit(.minutes(10)))
  func becomesStableWithoutTicks() async throws {
    let slept = Lock<[Duration]>([])
    let store = try RestorationStore(
      StoreFolder(path: "/store", system: FaultySystem(disk)), boot: 1, sleep: { time in slept.withLock { $0.append(time) } })
    try store.beginLaunch()
    try store.save(SampleArchive.bytes(1))
    _ = try restore(store, as: .application)
    #expect(store.isOnTrial(.application) && slept.withLock { $0.isEmpty })
    try store.save(SampleArchive.bytes(2))
    while store.isOnTrial(.application), !Task.isCancelled { await Task.yield() }
    #expect(!store.isOnTrial(.application) && slept.withLock { $0 } == [.seconds(5)])
  }

  @Test("another scene opens, and shows its offers, while a save is being flushed", .timeLimit(.minutes(10)))
  func opensOtherScenes() throws {
    try whileFlushing { store, _, _ in
      let left = LaunchLedger.Quarantined(archive: try scene("b"), path: "root", builds: ["1"], goodLaunches: 0)
      store.launch.update { $0.ledger.quarantined = [left] }
      let opened = try restore(store, as: scene("b"))
      #expect(opened.report?.node(at: "root")?.outcome == .quarantined)
      #expect(opened.report?.decision == .restore && opened.lastExit == .killed && opened.launchError == nil)
      #expect(try store.beginLaunch() == .recover)
      #expect(try store.load(scene("b")).number == 1)
      #expect(try store.offers(of: scene("b")).isEmpty)
      let missing = try restore(store, as: scene("c"))
      guard case .startFresh(.nothingSaved) = missing.plan.action else {
        Issue.record("\(missing.plan.reason)")
        return
      }
    }
  }

  @Test("turns, changes, events, scenes, a flush and an end in limited time do not wait for a disk", .timeLimit(.minutes(10)))
  @MainActor
  func waitsForNoDisk() async throws {
    let (gate, clock, counter) = (Gate(), VirtualClock(), Counter())
    let system = FaultySystem(SimulatedDisk(), willFlush: { gate.pass() })
    var configuration = AppConfiguration(bundleIdentifier: "org.example.slow", bundleVersion: "1", folder: "/store")
    configuration.system = system
    (configuration.handlesSignals, configuration.recordsFatalSignals) = (false, false)
    let app = try AppRestoration(configuration, clock: clock, roots: { [counter] })
    try app.launch()
    counter.count = 1
    try app.saveNow()
    gate.close()
    counter.count = 2
    app.handle(.enteredBackground)
    // A thread of the store writes it, and waits for the disk.
    await gate.visitor()
    counter.count = 3
    app.setNeedsSave()
    app.turn()
    app.handle(.willEnterForeground)
    app.handle(.becameActive)
    app.handle(.suspending)
    app.handle(.willEnterForeground)
    let scene = try app.openScene("other") { [] }
    #expect(scene.launch?.freshStart == .nothingSaved)
    let flush = Task { await app.flush(within: .seconds(1)) }
    while !clock.hasSleeper(until: clock.now.offset + .seconds(1)) { await Task.yield() }
    clock.advance(by: .seconds(1))
    #expect(await flush.value == .expired)
    let end = Task { await app.end(within: .seconds(1)) }
    while !clock.hasSleeper(until: clock.now.offset + .seconds(1)) { await Task.yield() }
    clock.advance(by: .seconds(1))
    #expect(await end.value == .expired)
    gate.open()
    try app.endNow()
    let store = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(system.disk.afterProcessDeath())), access: .reading)
    #expect(try store.load().archive?.reader.decoder(at: "counter").decode(Int.self, forKey: "count") == 3)
  }

  @Test("the end is in time although something else could not be saved", .timeLimit(.minutes(10)))
  @MainActor
  func endsInTimeAfterAFailure() async throws {
    let (gate, counter) = (Gate(), Counter())
    let problems = Lock<[String]>([])
    let system = FaultySystem(SimulatedDisk(), willFlush: { gate.pass() })
    var configuration = AppConfiguration(bundleIdentifier: "org.example.slow", bundleVersion: "1", folder: "/store")
    configuration.system = system
    (configuration.handlesSignals, configuration.recordsFatalSignals) = (false, false)
    configuration.reportProblem = { problem in problems.withLock { $0.append(problem) } }
    let app = try AppRestoration(configuration, clock: VirtualClock(), roots: { [counter] })
    try app.launch()
    let scene = try app.openScene("other") { [counter] }
    try app.saveNow()
    system.isFull = true
    counter.count = 3
    scene.disconnect()
    while problems.withLock({ $0.isEmpty }) { await Task.yield() }
    system.isFull = false
    gate.close()
    counter.count = 8
    // Returns while the gate is closed.
    #expect(await app.end(within: .zero) != .saved)
    gate.open()
    try app.endNow()
  }

  @Test("a signal that comes while a callback runs is unanswered, whoever has answered it", .timeLimit(.minutes(10)))
  func answersNothingWithinACallback() throws {
    final class Waiting: Restorable {
      static let restorationType = "Window"
      let restorationIdentifier: String? = "root"
      var body: () -> Void = {}
      func decodeRestorableState(with coder: StateDecoder) throws { body() }
    }
    let store = try store(FaultySystem(disk))
    try store.beginLaunch()
    try store.save(SampleArchive.bytes(1))
    let (hasEnded, object) = (DispatchSemaphore(value: 0), Waiting())
    // By default, the signal does nothing.
    let signals = TerminationSignals(store: store, signals: [SIGURG], willEnd: { hasEnded.signal() }) {}
    object.body = {
      kill(getpid(), SIGURG)
      hasEnded.wait()
    }
    _ = try store.restore(RestorableTree(roots: [object]), with: Resolver(), isolation: nil)
    let next = try self.store(FaultySystem(disk.afterProcessDeath()))
    let exit = try next.launch.knownHistory().lastExit
    #expect(exit == .unanswered)
    withExtendedLifetime(signals) {}
  }

  @Test("a signal ends the process in time although the disk does not answer", .timeLimit(.minutes(10)))
  func endsBySignalInTime() async throws {
    let gate = Gate()
    let store = try store(FaultySystem(disk, willFlush: { gate.pass() }))
    try store.beginLaunch()
    gate.close()
    store.submit(EncodedArchive(Data(try SampleArchive.bytes(1))))
    await gate.visitor()
    let hasEnded = Race<Void>()
    // By default, the signal does nothing.
    let signals = TerminationSignals(store: store, signals: [SIGWINCH], within: .milliseconds(1), willEnd: { hasEnded.finish(()) }) {}
    kill(getpid(), SIGWINCH)
    await hasEnded.outcome()
    #expect(store.mailboxes.isUndelivered(.application))
    gate.open()
    store.writeWaiting()
    withExtendedLifetime(signals) {}
  }
}
