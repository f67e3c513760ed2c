import EngineKit
import Foundation
import ProcessKit
import Testing

@testable import StateRestoration

/// The saved states of a store as values.
@Suite struct StoredStateTests {
  private static func date(_ day: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(day) * 86_400) }

  /// A store with four generations: pinned, frozen, earlier and newest.
  private static func store(_ disk: SimulatedDisk) throws -> RestorationStore {
    let store = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk)), boot: 1)
    for number in 1...4 {
      try store.save(SampleArchive.bytes(number, bundleVersion: number < 3 ? "1" : "2", timestamp: date(number)))
      if number == 1 { store.pin(try #require(store.load().archive).generation) }
    }
    return store
  }

  @Test("91: pinned, frozen and earlier generations are values with time, build, windows, size and the reason for keeping them")
  func listsStates() throws {
    let store = try Self.store(SimulatedDisk())
    let states = try store.storedStates()
    #expect(states.map(\.generation.mark) == [.none, .none, .frozen, .pinned] && states.map(\.isCurrent) == [true, false, false, false])
    #expect(states.map(\.timestamp) == [4, 3, 2, 1].map(Self.date) && states.map(\.bundleVersion) == ["2", "2", "1", "1"])
    #expect(states.allSatisfy { $0.roots == ["root"] && $0.rootCount == 1 && $0.nodeCount == 3 && $0.archive == .application })
    #expect(try states.map(\.byteCount) == (1...4).map { _ in try SampleArchive.bytes(1).count })
    #expect(states.map { $0.offer?.reason } == [nil, .earlier, .frozen, .pinned])
    #expect(try states.map { try SampleArchive.number(in: store.contents(of: $0)) } == [4, 3, 2, 1])
    #expect(
      states[2].description
        == "application, generation 2 (frozen), saved 2001-01-03T00:00:00Z by build 1, 1 root; kept: the last of the previous build")
  }

  @Test("91: a kept generation is declined by its offer, and the state that a launch restores stays as it is")
  func declinesStates() throws {
    let store = try Self.store(SimulatedDisk())
    for state in try store.storedStates() { if let offer = state.offer { try store.decline(offer) } }
    #expect(try store.storedStates().map(\.generation.mark) == [.none, .declined, .declined])
    #expect(try store.storedStates().allSatisfy { $0.offer == nil } && store.load().number == 4)
    let gone = try #require(Self.store(SimulatedDisk()).storedStates().last)
    #expect(throws: StoreError.noGeneration(1)) { try store.contents(of: gone) }
  }

  @Test("a generation that is made current again leaves an offer of the one before; the current one leaves nothing")
  func usesStates() throws {
    let disk = SimulatedDisk()
    do {
      let store = try Self.store(disk)
      #expect(try store.use(4) == nil)
      #expect(try store.offers().isEmpty)
      #expect(try store.use(1)?.number == 5)
    }
    let next = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk.afterProcessDeath())), boot: 1)
    try next.beginLaunch()
    for number in 6...9 { try next.save(SampleArchive.bytes(number)) }
    let offers = try next.offers()
    #expect(offers.map(\.generation.number) == [4] && offers.map(\.reason) == [.replaced])
    #expect(try offers.map { try SampleArchive.number(in: next.contents(of: $0)) } == [4])
  }

  @Test("91: a kept generation is accepted while no app runs; the next launch restores it, and the state before is an offer")
  func acceptsStates() throws {
    let disk = SimulatedDisk()
    do {
      let store = try Self.store(disk)
      try store.accept(#require(store.storedStates().last?.offer))
    }
    let next = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk.afterProcessDeath())), boot: 1)
    try next.beginLaunch()
    #expect(try next.load().number == 1)
    let states = try next.storedStates()
    #expect(states.first { $0.generation.number == 4 }?.generation.mark == .offered)
  }

  @Test("91: the reason names the session that alone keeps a file, and says that an accepted state waits for its copy")
  func namesReasons() throws {
    let disk = SimulatedDisk()
    for last in [1, 5] {
      let store = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk)), boot: 1)
      try store.beginLaunch()
      store.recordSession(savedAt: nil, by: nil)
      for number in last...(last + 3) where last > 1 || number == 1 { try store.save(SampleArchive.bytes(number)) }
      store.endLaunch()
    }
    let store = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk)), boot: 1)
    let states = try store.storedStates()
    #expect(states.map(\.reason) == ["the newest", "in case newer ones are damaged", "for an earlier session"])
    #expect(states.map { $0.offer?.reason } == [nil, .earlier, .session] && states.map(\.isCurrent) == [true, false, false])
    try store.accept(#require(states[2].offer))
    let accepted = try #require(try store.storedStates().first { $0.generation.number == states[2].generation.number })
    #expect(accepted.reason == "until its accepted copy is stable")
    let replaced = try #require(try store.storedStates().first { $0.generation.number == states[0].generation.number })
    #expect(replaced.reason == "until the user answers" && replaced.offer?.reason == .replaced)
  }

  @Test("91, 96: the list does not read a state that has ended the process while it was read")
  func leavesUnreadStates() throws {
    let disk = SimulatedDisk()
    do {
      let store = try Self.store(disk)
      var ledger = LaunchLedger()
      ledger.setAside[.application] = LaunchLedger.SetAside(number: 4, last: 4, isUnread: true)
      try store.folder.replace(LaunchLedger.fileName, with: ledger.encoded())
    }
    let system = FaultySystem(disk.afterProcessDeath())
    let store = try RestorationStore(StoreFolder(path: "/store", system: system), boot: 1, access: .reading)
    let states = try store.storedStates()
    #expect(states.map { $0.header == nil } == [true, false, false, false])
    #expect(states.first?.offer?.reason == .deaths && states.first?.description.contains("cannot be opened") == true)
  }
}
