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

  @Test("R12: what is saved after a wipe that could not remove one file stays")
  func savesAfterAFailedWipe() throws {
    let system = FaultySystem(SimulatedDisk())
    let store = try store(system)
    try store.beginLaunch()
    for number in 1...3 { try store.save(SampleArchive.bytes(number)) }
    try store.save(SampleArchive.bytes(4), as: try #require(.scene("a")))
    system.stubbornPrefix = "scene-a"
    #expect(throws: StoreError.self) { try store.forget() }
    #expect(try store.save(SampleArchive.bytes(5)) == .saved)
    #expect(try store.load().number == 5)
    let next = try self.store(FaultySystem(system.disk.afterProcessDeath()))
    #expect(try next.load().number == 5)
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

  @Test("R19: a launch whose wipe has failed is still on record when it dies")
  func recordsLaunchAfterAFailedWipe() throws {
    let system = FaultySystem(SimulatedDisk())
    let store = try store(system)
    try store.beginLaunch()
    try store.save(SampleArchive.bytes(1))
    try store.save(SampleArchive.bytes(4), as: try #require(.scene("a")))
    system.stubbornPrefix = "scene-a"
    #expect(throws: StoreError.self) { try store.forget() }
    system.stubbornPrefix = nil
    try store.save(SampleArchive.bytes(5))
    try store.save(SampleArchive.bytes(6))
    let next = try self.store(FaultySystem(system.disk.afterProcessDeath()))
    try next.beginLaunch()
    #expect(next.launch.history?.lastExit == .killed)
  }

  @Test("R20: what an acceptance that throws has written is not what the next launch restores")
  func acceptsNothingThatThrows() throws {
    var lost: [Int] = []
    for call in 1..<200 {
      let disk = SimulatedDisk()
      do {
        let store = try store(FaultySystem(disk))
        try store.beginLaunch()
        try store.save(SampleArchive.bytes(1))
        try store.save(SampleArchive.bytes(2))
        store.endLaunch()
      }
      let number = FaultySystem(disk.afterProcessDeath(), fault: .error(EIO), at: call)
      let store: RestorationStore
      do { store = try self.store(number) } catch { continue }
      guard (try? store.beginLaunch()) != nil, let offer = try? store.storedStates().last?.offer else { continue }
      let before = number.callCount
      if before >= call { continue }
      do {
        try store.accept(offer)
        if number.callCount < call { break }
      } catch {
        let next = try self.store(FaultySystem(number.disk.afterProcessDeath()))
        try next.beginLaunch()
        if try next.load().number != 2 { lost.append(call - before) }
      }
    }
    #expect(lost == [])
  }

  @Test("R28: the lists of saved and of open scenes do not wait for a save that is being flushed", arguments: [false, true])
  func listsScenesWithoutWaiting(_ isOpen: Bool) throws {
    let gate = Gate()
    let store = try store(FaultySystem(SimulatedDisk(), willFlush: { gate.pass() }))
    try store.beginLaunch()
    try store.save(SampleArchive.bytes(1), as: try #require(.scene("a")))
    gate.close()
    let (hasSaved, hasListed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let bytes = try SampleArchive.bytes(2)
    Thread.detachNewThread {
      _ = try? store.save(bytes)
      hasSaved.signal()
    }
    gate.awaitVisitor()
    Thread.detachNewThread {
      _ = isOpen ? try? store.openScenes() : try? store.archives()
      hasListed.signal()
    }
    #expect(hasListed.wait(timeout: .now() + 2) == .success)
    gate.open()
    hasSaved.wait()
  }
}
