import Dispatch
import StateRestoration
import Locking

/// An app that receives a request to end while it runs.
@MainActor
enum WaitingProbe {
  static func run(_ folder: String, isStuck: Bool) async throws {
    let store = try RestorationStore(folder: folder)
    _ = try store.beginLaunch(bundleVersion: "1")
    let queue = SaveQueue(store: store)
    var number = try store.load().archive.map { try StoreProbe.number(in: $0.reader) } ?? 0
    let cycle = SaveCycle(queue: queue) { try EncodedArchive(StoreProbe.archive(number)) }
    let holder = CycleHolder(cycle)
    let signals = TerminationSignals(queue: queue, deadline: isStuck ? .milliseconds(50) : .seconds(5)) { await holder.flush() }
    number += 1
    cycle.setNeedsSave()
    if isStuck {
      // The last state that this actor captures before it blocks.
      cycle.captureNow()
      StoreProbe.say("ready")
      blockForEver()
    }
    number += 1
    StoreProbe.say("ready")
    try await Task.sleep(for: .seconds(1_000_000))
    withExtendedLifetime(signals) {}
  }

  private static func blockForEver() {
    DispatchSemaphore(value: 0).wait()
  }
}

/// Holds the cycle for the main actor, for access from elsewhere.
@MainActor
final class CycleHolder {
  private let cycle: SaveCycle

  init(_ cycle: SaveCycle) {
    self.cycle = cycle
  }

  func flush() async -> FlushOutcome {
    await cycle.flush(until: .now + .seconds(4), clock: .continuous)
  }
}
