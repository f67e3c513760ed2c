import EngineKit
import Foundation
import ProcessKit
import PropertyKit
import Testing

@testable import StateRestoration

/// Scenes that were closed recoverably, in the store.
@Suite struct ClosedSceneTests {
  private static func scene(_ name: String) -> ArchiveName { .scene(name) ?? .application }
  private static let window = scene("window")

  private static func store(_ system: FaultySystem, limits: StoreLimits = StoreLimits()) throws -> RestorationStore {
    try RestorationStore(StoreFolder(path: "/store", system: system), boot: 1, limits: limits)
  }

  private static func store(_ disk: SimulatedDisk) throws -> RestorationStore { try store(FaultySystem(disk)) }

  private static func date(_ day: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(day) * 86_400) }

  /// A disk on which a scene was saved three times, as the numbers 1 to 3.
  private static func disk() throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    let store = try store(disk)
    try store.beginLaunch()
    for number in 1...3 { try store.save(SampleArchive.bytes(number), as: window) }
    store.endLaunch()
    return disk
  }

  /// The condition of the scene at the next launch: open or closed with a number, or gone.
  private enum Condition: Equatable { case open(Int?), closed(Int?), gone }

  private static func condition(_ disk: SimulatedDisk) throws -> Condition {
    let store = try store(disk)
    try store.beginLaunch()
    let closed = try store.closedStates().filter { $0.archive == window }
    let number = try store.load(window).number
    let isListed = try store.archives().contains(window)
    #expect((number != nil) == isListed && (closed.isEmpty || number == nil))
    if let state = closed.first { return .closed(try SampleArchive.number(in: store.contents(of: state))) }
    return isListed ? .open(number) : .gone
  }

  /// Runs a change of the store with a fault in each of its calls, and returns the conditions after a death of the process and
  /// after a loss of power, with whether an error was thrown.
  private static func conditions(
    _ disk: SimulatedDisk, _ fault: FaultySystem.Fault, _ body: (RestorationStore) throws -> Void
  ) throws -> [(isDone: Bool, condition: Condition)] {
    func run(_ fault: FaultySystem.Fault?, at call: Int) throws -> (isDone: Bool, disk: SimulatedDisk, calls: Range<Int>) {
      let copy = disk.afterProcessDeath()
      let system = FaultySystem(copy, fault: fault, at: call)
      let store = try store(system)
      try store.beginLaunch()
      let before = system.callCount
      let isDone = (try? body(store)) != nil
      return (isDone, copy, before..<system.callCount)
    }
    var conditions: [(isDone: Bool, condition: Condition)] = []
    let calls = try run(nil, at: 0).calls
    for call in calls.lowerBound + 1...calls.upperBound {
      let (isDone, left, _) = try run(fault, at: call)
      conditions.append((isDone, try condition(left.afterProcessDeath())))
      for seed in 0..<4 {
        var random = SeededGenerator(seed: UInt64(call * 4 + seed))
        conditions.append((isDone, try condition(left.afterPowerLoss(using: &random))))
      }
    }
    return conditions
  }

  private static let faults: [FaultySystem.Fault] = [.death, .error(EIO), .error(ENOSPC)]

  @Test("114: a scene is either open or closed with its last state, wherever the process dies or a call fails", arguments: faults)
  func closesAtOnce(_ fault: FaultySystem.Fault) throws {
    let conditions = try Self.conditions(Self.disk(), fault) { try $0.close(Self.window, with: SampleArchive.bytes(4)) }
    #expect(conditions.allSatisfy { $0.isDone ? $0.condition == .closed(4) : [.open(3), .closed(4)].contains($0.condition) })
    #expect(conditions.contains { $0.condition == .closed(4) } && conditions.contains { $0.condition == .open(3) })
  }

  @Test("114: a scene that is reopened is either open or closed with its last state, wherever that ends", arguments: faults)
  func reopensAtOnce(_ fault: FaultySystem.Fault) throws {
    let disk = try Self.disk()
    try Self.store(disk).close(Self.window, with: SampleArchive.bytes(4))
    let conditions = try Self.conditions(disk, fault) { store in try store.reopen(#require(store.closedStates().first).generation) }
    #expect(conditions.allSatisfy { $0.isDone ? $0.condition == .open(4) : [.open(4), .closed(4)].contains($0.condition) })
    #expect(conditions.contains { $0.condition == .open(4) })
  }

  @Test("114: a closed scene that ends never comes back, wherever its removal ends", arguments: faults)
  func endsForGood(_ fault: FaultySystem.Fault) throws {
    let disk = try Self.disk()
    try Self.store(disk).close(Self.window, with: SampleArchive.bytes(4))
    let conditions = try Self.conditions(disk, fault) { store in try store.decline(#require(store.closedStates().first).generation) }
    #expect(conditions.allSatisfy { $0.isDone ? $0.condition == .gone : [.gone, .closed(4)].contains($0.condition) })
    #expect(conditions.contains { $0.condition == .gone })
  }

  @Test("114: the number of closed scenes, their size and their age are limited; the last closed one stays")
  func limitsClosedScenes() throws {
    var limits = StoreLimits()
    limits.closedScenes = 3
    let disk = SimulatedDisk()
    let store = try Self.store(FaultySystem(disk), limits: limits)
    try store.beginLaunch()
    for number in 1...5 {
      try store.save(SampleArchive.bytes(number), as: Self.scene("\(number)"))
      try store.close(Self.scene("\(number)"), with: SampleArchive.bytes(number, timestamp: Self.date(number)))
    }
    func closed(_ store: RestorationStore, at time: Date? = nil) throws -> [String?] {
      try store.closedStates(at: time).map(\.archive.scene)
    }
    #expect(try closed(store) == ["5", "4", "3"])
    #expect(try store.archives().isEmpty && !disk.names.contains { $0.contains("scene-1") || $0.contains("scene-2") })
    // Too old, by one clock or by both.
    #expect(try closed(store, at: Self.date(34)) == ["5", "4"])
    store.endClosed(at: Self.date(34), savedAt: Self.date(6))
    store.endClosed(at: Self.date(6), savedAt: Self.date(34))
    #expect(try closed(store) == ["5", "4", "3"], "one clock may be wrong")
    store.endClosed(at: Self.date(34), savedAt: Self.date(34))
    #expect(try closed(store) == ["5", "4"])
    store.endLaunch()
    // Each has two files of one length.
    limits.closedScenesByteCount = try 3 * SampleArchive.bytes(4).count
    do {
      let small = try Self.store(FaultySystem(disk), limits: limits)
      try small.save(SampleArchive.bytes(6), as: Self.scene("6"))
      try small.close(Self.scene("6"), with: SampleArchive.bytes(6, timestamp: Self.date(6)))
      #expect(try closed(small) == ["6"], "all files of a scene count")
    }
    limits.closedScenesByteCount = 1
    let small = try Self.store(FaultySystem(disk), limits: limits)
    try small.close(Self.scene("7"), with: SampleArchive.bytes(7))
    #expect(try closed(small) == ["7"])
    try small.forget()
    #expect(try closed(small).isEmpty && small.reader.catalog().generations.isEmpty)
  }

  @Test("114: a scene closed for good is nowhere, and one that is opened under the name of a closed one is its own")
  func keepsNamesApart() throws {
    let disk = try Self.disk()
    let store = try Self.store(disk)
    try store.beginLaunch()
    try store.close(Self.window, with: SampleArchive.bytes(4))
    #expect(try store.load(Self.window).number == nil)
    for number in 5...8 { try store.save(SampleArchive.bytes(number), as: Self.window) }
    #expect(try store.load(Self.window).number == 8 && store.archives() == [Self.window])
    let closed = try #require(store.closedStates().first)
    #expect(try SampleArchive.number(in: store.contents(of: closed)) == 4)
    #expect(throws: StoreError.noGeneration(closed.generation.number)) { try store.reopen(closed.generation) }
    // The second one is closed too: there are two of one name.
    try store.close(Self.window, with: SampleArchive.bytes(9))
    #expect(try store.closedStates().map { try SampleArchive.number(in: store.contents(of: $0)) } == [9, 4])
    try store.reopen(#require(store.closedStates().first).generation)
    #expect(try store.load(Self.window).number == 9 && store.closedStates().count == 1)
    try store.remove(Self.window)
    #expect(try store.closedStates().isEmpty && store.reader.catalog().generations.isEmpty)
  }

  @Test("114, 91: a closed scene is accepted while no app runs, and declined, by its offer")
  func answersOffers() throws {
    let disk = try Self.disk()
    let store = try Self.store(disk)
    try store.close(Self.window, with: SampleArchive.bytes(4))
    let state = try #require(store.storedStates(of: Self.window).first { $0.generation.mark == .closed })
    #expect(state.offer?.reason == .closed && state.reason == "to be reopened")
    #expect(try store.storedStates(of: Self.window).dropFirst().allSatisfy { $0.offer == nil })
    try store.accept(#require(state.offer))
    #expect(try store.load(Self.window).number == 4 && store.closedStates().isEmpty)
    try store.close(Self.window, with: SampleArchive.bytes(5))
    try store.decline(#require(store.closedStates().first?.offer))
    #expect(try store.reader.catalog().generations.isEmpty && store.archives().isEmpty)
  }

  @Test("a closed scene of which an earlier state is accepted stays closed if that throws, whatever call has failed")
  func staysClosedIfAcceptingFails() throws {
    let disk = try Self.disk()
    do {
      let store = try Self.store(disk)
      try store.close(Self.window, with: SampleArchive.bytes(4))
    }
    var failures = 0
    for call in 1..<300 {
      let system = FaultySystem(disk.afterProcessDeath(), fault: .error(EIO), at: call)
      guard let store = try? Self.store(system), (try? store.beginLaunch()) != nil,
        let earlier = try? store.reader.catalog().generations(of: Self.window).last, earlier.mark == .none
      else { continue }
      if system.callCount >= call { continue }
      do {
        try store.accept(StoreOffer(earlier, .session))
        if system.callCount < call { break }
      } catch {
        failures += 1
        #expect(try Self.condition(system.disk.afterProcessDeath()) == .closed(4), "call \(call)")
      }
    }
    #expect(failures > 5)
  }

  @Test("74: what is no file hides no scene by having the name of a closed one", arguments: [HostileEntry.folder, .pipe, .linkToFile])
  func isNotHidden(_ entry: HostileEntry) throws {
    let folder = try TemporaryFolder()
    let store = try RestorationStore(folder: folder.root.path)
    for number in 1...3 { try store.save(SampleArchive.bytes(number), as: Self.window) }
    for number in 4...5 {
      let name = Generation(Self.window, UInt64(number), .closed).fileName
      try entry.put(at: folder.url(name).path, archive: SampleArchive.bytes(9))
    }
    #expect(try store.archives() == [Self.window] && store.load(Self.window).number == 3 && store.closedStates().isEmpty)
    try store.close(Self.window, with: SampleArchive.bytes(6))
    #expect(try store.archives().isEmpty && store.load(Self.window).number == nil)
    try store.reopen(#require(store.closedStates().first).generation)
    #expect(try store.load(Self.window).number == 6)
  }
}
