import EngineKit
import Locking
import Testing

@testable import StateRestoration

/// The process dies within the calls that record its progress, between any two file operations.
@Suite struct DeathWithinCallsTests {
  private final class Counter: Restorable {
    let restorationIdentifier: String? = "counter"
    @Restored var count = 0
  }

  /// A process that restores, may save and report that it is stable, and dies without a regular end.
  private struct Process {
    let system: FaultySystem
    private(set) var restored: Int?
    private(set) var hasSaved = false
    private(set) var isOffered = false

    /// Runs a process on a disk; with `call` it dies before that operation.
    ///
    /// A process that saves accepts any offer.
    init(_ disk: SimulatedDisk, saving number: Int? = nil, dyingAt call: Int? = nil) {
      system = FaultySystem(disk.afterProcessDeath(), fault: call == nil ? nil : .death, at: call ?? 0)
      do {
        let store = try RestorationStore(StoreFolder(path: "/store", system: system), boot: 1)
        let counter = Counter()
        let application = RestorableTree(roots: [counter])
        let result = try store.restore(application, with: Resolver(), isolation: nil)
        if case .offer = result.plan.action { isOffered = true }
        restored = result.report == nil ? nil : counter.count
        guard let number else { return }
        if let offer = result.offers.first, isOffered {
          _ = try store.accept(
            offer, into: application, with: Resolver(), replacing: application.preserve(header: ArchiveHeader()), isolation: nil)
        }
        counter.count = number
        _ = try store.save(application.preserve(header: ArchiveHeader()))
        hasSaved = !system.isDead
        store.markStable()
      } catch {
        // The process is dead.
      }
    }
  }

  @Test("a launch that proved stable is not forgotten if it dies while recording it (Behaviours 56, 62)")
  func remembersProof() throws {
    let first = Process(SimulatedDisk(), saving: 1)
    // One death, which the next launch must make up for.
    let second = Process(first.system.disk)
    #expect(second.restored == 1)
    let whole = Process(second.system.disk, saving: 2)
    var tried = 0
    for call in 1...whole.system.callCount + 1 {
      let proving = Process(second.system.disk, saving: 2, dyingAt: call)
      guard proving.hasSaved else { continue }
      tried += 1
      let killed = Process(proving.system.disk)
      #expect(killed.restored == 2, "it died before operation \(call)")
      let next = Process(killed.system.disk)
      #expect(next.restored == 2 && !next.isOffered, "it died before operation \(call): one death since")
    }
    #expect(tried > 5)
  }

  @Test("an accepted offer proved by a save is final wherever the process dies (Behaviours 57)")
  func remembersAcceptance() throws {
    let first = Process(SimulatedDisk(), saving: 1)
    let twice = Process(Process(first.system.disk).system.disk)
    #expect(Process(twice.system.disk).isOffered)
    let whole = Process(twice.system.disk, saving: 2)
    #expect(whole.isOffered && whole.hasSaved)
    var tried = 0
    for call in 1...whole.system.callCount + 1 {
      let proving = Process(twice.system.disk, saving: 2, dyingAt: call)
      // Before that save, the offer is open again or is accepted again.
      guard proving.hasSaved else { continue }
      tried += 1
      let killed = Process(proving.system.disk)
      #expect(killed.restored == 2, "it died before operation \(call)")
      #expect(Process(killed.system.disk).restored == 2, "it died before operation \(call): one death since")
    }
    #expect(tried > 5)
  }

  /// Copies the disk when a file of the app is opened for the first time.
  private final class Openings: Sendable {
    private let left = Lock<SimulatedDisk?>(nil)

    var first: SimulatedDisk? { left.withLock { $0 } }

    func note(_ path: String, _ disk: SimulatedDisk) {
      if path.hasPrefix("/store/application") { left.withLock { $0 = $0 ?? disk.afterProcessDeath() } }
    }
  }

  /// A process that dies while it reads the archive for the first time: `remains` is what is left then.
  private struct DyingReader {
    let disk: SimulatedDisk
    let plan: LaunchPlan
    let remains: SimulatedDisk?

    init(_ old: SimulatedDisk, then body: (RestorationStore, AppLaunch) throws -> Void = { _, _ in }) throws {
      let disk = old.afterProcessDeath()
      let openings = Openings()
      let system = FaultySystem(disk, willOpen: { openings.note($0, disk) })
      let store = try RestorationStore(StoreFolder(path: "/store", system: system), boot: 1)
      let restored = try store.restore(RestorableTree(roots: [Counter()]), with: Resolver(), isolation: nil)
      try body(store, restored)
      (self.disk, plan, remains) = (disk, restored.plan, openings.first)
    }
  }

  /// An object that calls a function while it is decoded.
  private final class Watched: Restorable {
    let restorationIdentifier: String? = "counter"
    let willDecode: () -> Void
    init(_ willDecode: @escaping () -> Void) { self.willDecode = willDecode }
    func decodeRestorableState(with coder: StateDecoder) { willDecode() }
  }

  @Test("96: a death while the library judges the last launch counts: the archive is then offered unread, and nothing opens it")
  func countsDeathsWhileJudging() throws {
    let system = FaultySystem(Process(SimulatedDisk(), saving: 1).system.disk.afterProcessDeath())
    let store = try RestorationStore(StoreFolder(path: "/store", system: system), boot: 1)
    var died: SimulatedDisk?
    let application = RestorableTree(roots: [Watched { died = died ?? system.disk.afterProcessDeath() }])
    _ = try store.restore(application, with: Resolver(), isolation: nil)
    // To find the node, the next launch reads the archive.
    let judging = try DyingReader(#require(died))
    let third = try DyingReader(#require(judging.remains))
    #expect(third.remains == nil, "a file was opened")
    guard case .offer = third.plan.action, case .unread? = third.plan.load.candidates.first?.outcome else {
      Issue.record("\(third.plan.reason)")
      return
    }
    // A launch that lives judges as before: one death costs nothing.
    guard case .restore = judging.plan.action else {
      Issue.record("\(judging.plan.reason)")
      return
    }
  }

  @Test("96: an archive that ends the process while it is read, twice, is offered unread, and nothing opens it")
  func offersUnread() throws {
    let disk = SimulatedDisk()
    let store = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk)), boot: 1)
    try store.beginLaunch()
    try store.save(SampleArchive.bytes(1))
    store.endLaunch()
    let once = try #require(try DyingReader(disk).remains)
    let again = try DyingReader(once)
    // One death costs nothing.
    guard case .restore = again.plan.action else {
      Issue.record("\(again.plan.reason)")
      return
    }
    let third = try DyingReader(#require(again.remains)) { store, restored in
      #expect(restored.offers.map(\.reason) == [.deaths])
      try store.save(SampleArchive.bytes(7))
    }
    #expect(third.remains == nil, "a file was opened")
    guard case .offer = third.plan.action, case .unread? = third.plan.load.candidates.first?.outcome else {
      Issue.record("\(third.plan.reason)")
      return
    }
    #expect(third.disk.names.contains(Generation(.application, 1, .offered).fileName))
    // What the user saved is restored, and the old state is still offered, unread.
    let last = try DyingReader(third.disk) { _, restored in
      #expect(restored.offers.map(\.isUnread) == [true] && restored.offers.allSatisfy { $0.roots.isEmpty })
    }
    guard case .restore = last.plan.action else {
      Issue.record("\(last.plan.reason)")
      return
    }
  }
}
