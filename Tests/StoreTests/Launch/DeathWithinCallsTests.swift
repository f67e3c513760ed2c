import EngineKit
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
        let application = RestorableApplication(roots: [counter])
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
}
