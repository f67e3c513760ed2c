import EngineKit
import Foundation
import Locking
import Testing

@testable import StateRestoration

/// Findings of a review of the store.
@Suite struct ReviewStoreTests {
  private func store(_ system: FaultySystem, isReachable: @escaping @Sendable () -> Bool = { true }) throws -> RestorationStore {
    try RestorationStore(
      StoreFolder(path: "/store", system: system), launch: LaunchOptions(bundleVersion: "1"), boot: 1, limits: StoreLimits(links: 0),
      isReachable: isReachable)
  }

  @Test("R3: a state that was never loaded is offered, although a newer save has replaced the one that was deferred")
  func offersUnseenStates() throws {
    let disk = SimulatedDisk()
    try store(FaultySystem(disk)).save(SampleArchive.bytes(1))
    let isReachable = Lock(false)
    let store = try store(FaultySystem(disk.afterProcessDeath())) { isReachable.withLock { $0 } }
    #expect(try store.save(SampleArchive.bytes(2)) == .deferred)
    isReachable.withLock { $0 = true }
    #expect(try store.save(SampleArchive.bytes(3)) == .saved)
    #expect(try store.offers().map(\.reason) == [.newerState])
  }

}
