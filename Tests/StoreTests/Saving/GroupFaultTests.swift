import EngineKit
import Foundation
import Locking
import PropertyKit
import TestStage
import Testing

@testable import StateRestoration

/// Archives that were captured in one turn are on the disk as a whole or not at all, whatever call fails, and whenever the
/// process or the machine stops (Behaviours 102, 103, 104).
@Suite struct GroupFaultTests {
  /// The names of the archives: the app, two windows that stay, and one that is closed.
  static let app = ArchiveName.application
  static func scene(_ name: String) throws -> ArchiveName { try #require(ArchiveName.scene(name)) }

  /// The content of an archive at a moment: with each, tab x moves between windows a and b; y is in b, and z in `owner`.
  static func content(_ archive: ArchiveName, at moment: Int, z owner: String) throws -> Mail {
    let places = ["x": moment % 2 == 1 ? "a" : "b", "y": "b", "z": owner]
    let tabs = places.keys.sorted().filter { places[$0] == archive.scene }
    let tree = ArchiveTree(
      header: ArchiveHeader(bundleVersion: "1"), applicationState: ["moment": .integer(moment)], nodes: tabs.map { ArchiveNode($0) })
    return Mail(snapshot: try Snapshot([UInt8](tree.encoded())))
  }

  /// What is found on a disk: the moment and the tabs of each archive.
  struct Session: Equatable, CustomStringConvertible {
    var moments: [String: Int] = [:]
    var tabs: [String] = []

    init(_ store: RestorationStore) throws {
      for archive in try store.archives() {
        let load = try store.load(archive)
        guard let reader = load.archive?.reader else { continue }
        let tree = try ArchiveTree(decoding: reader)
        moments[archive.scene ?? "app"] = try load.number(forKey: "moment")
        tabs += tree.nodes.map(\.identifier)
      }
      tabs.sort()
    }

    init(_ names: [String], at moment: Int, tabs: [String] = ["x", "y", "z"]) {
      for name in names { moments[name] = moment }
      self.tabs = tabs
    }

    var description: String { "\(moments.sorted { $0.key < $1.key }) \(tabs)" }
  }

  /// What a process does after everything was saved at moment 1.
  enum Scenario: String, CaseIterable, Sendable {
    /// It saves a moment.
    case save
    /// It saves a moment, and then another one in links.
    case links
    /// It closes a window, whose tabs have moved.
    case close
    /// It closes a window without a change elsewhere.
    case closeAlone
    /// It closes a window, opens it again, and saves.
    case reopen

    /// The sessions that may be found, in order; the last one is found once everything was reported.
    var sessions: [Session] {
      let all = ["app", "a", "b", "c"]
      return switch self {
      case .save: [Session(all, at: 1), Session(all, at: 2)]
      case .links: [Session(all, at: 1), Session(all, at: 2), Session(all, at: 3)]
      case .close: [Session(all, at: 1), Session(["app", "a", "b"], at: 2)]
      case .closeAlone: [Session(all, at: 1), Session(["app", "a", "b"], at: 1, tabs: ["x", "y"])]
      case .reopen: [Session(all, at: 1), Session(["app", "a", "b"], at: 2), Session(all, at: 3)]
      }
    }

    /// Runs the scenario; returns whether everything was reported as done.
    func run(_ store: RestorationStore) throws -> Bool {
      switch self {
      case .save: return try GroupFaultTests.save(store, ["a", "b", "c"], at: 2)
      case .links:
        return try GroupFaultTests.save(store, ["a", "b", "c"], at: 2) && GroupFaultTests.save(store, ["a", "b", "c"], at: 3)
      case .close: return try GroupFaultTests.save(store, ["a", "b"], at: 2, z: "b", closing: "c")
      case .closeAlone:
        let scene = try GroupFaultTests.scene("c")
        return (try? store.deliver(.removal, to: scene)) == .forgotten
      case .reopen:
        return try GroupFaultTests.save(store, ["a", "b"], at: 2, z: "b", closing: "c")
          && GroupFaultTests.save(store, ["a", "b", "c"], at: 3)
      }
    }
  }

  /// Saves the app and some scenes at a moment, as one turn; returns whether all of it was reported.
  static func save(
    _ store: RestorationStore, _ scenes: [String], at moment: Int, z owner: String = "c", closing closed: String? = nil
  ) throws -> Bool {
    var mail = try ([app] + scenes.map { try scene($0) }).map { ($0, try content($0, at: moment, z: owner)) }
    if let closed { mail.append((try scene(closed), .removal)) }
    let number = store.mailboxes.post(mail)
    store.write(app)
    return mail.allSatisfy { (try? store.mailboxes.result(of: number, $0.0)?.get()).map { $0 != .deferred } ?? false }
  }

  static func store(_ system: FaultySystem) throws(StoreError) -> RestorationStore { try FaultTests.store(system, links: 64) }

  /// A disk with everything at moment 1.
  private static func disk() throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    #expect(try save(store(FaultySystem(disk)), ["a", "b", "c"], at: 1))
    return disk.afterProcessDeath()
  }

  @Test(
    "every fault in every call of a save of several archives leaves one moment", arguments: Scenario.allCases, FaultySystem.Fault.all)
  func everyCallMayFail(_ scenario: Scenario, _ fault: FaultySystem.Fault) throws {
    let disk = try Self.disk()
    let whole = FaultySystem(disk.afterProcessDeath())
    #expect(try scenario.run(Self.store(whole)))
    #expect(try Session(Self.store(FaultySystem(whole.disk.afterProcessDeath()))) == scenario.sessions.last)
    let offset = FaultySystem.Fault.all.firstIndex(of: fault) ?? 0
    for call in 1...whole.callCount where TestStage.isExhaustive || (call + offset) % 4 == 0 {
      let system = FaultySystem(disk.afterProcessDeath(), fault: fault, at: call)
      let isDone = (try? scenario.run(Self.store(system))) ?? false
      let place = "\(scenario), \(fault) in call \(call)"
      try expectOneMoment(system.disk.afterProcessDeath(), scenario, isDone, place)
      for seed in TestStage.seeds(2, exhaustive: 6) {
        var random = SeededGenerator(seed: seed &* 1000 &+ UInt64(call))
        try expectOneMoment(system.disk.afterPowerLoss(using: &random), scenario, isDone, "\(place), power loss \(seed)")
      }
    }
  }

  @Test("L19: a scene is listed as open as soon as it is saved for the first time, whatever call fails", arguments: FaultySystem.Fault.all)
  func listsOpenScenes(_ fault: FaultySystem.Fault) throws {
    let (a, b) = try (Self.scene("a"), Self.scene("b"))
    func open(_ system: FaultySystem, _ scenes: [ArchiveName]) throws -> RestorationStore {
      let store = try Self.store(system)
      try store.beginLaunch()
      for scene in scenes { store.noteScene(scene, isOpen: true) }
      return store
    }
    let first = FaultySystem(SimulatedDisk())
    do {
      let store = try open(first, [a])
      for moment in 0...1 { #expect(try Self.save(store, ["a"], at: moment, z: "a")) }
      #expect(try store.openScenes() == [a])
    }
    func run(_ system: FaultySystem) throws -> Bool { try Self.save(open(system, [b]), ["a", "b"], at: 2, z: "b") }
    let disk = first.disk.afterProcessDeath()
    let whole = FaultySystem(disk.afterProcessDeath())
    #expect(try run(whole))
    for call in 1...whole.callCount {
      let system = FaultySystem(disk.afterProcessDeath(), fault: fault, at: call)
      _ = try? run(system)
      var random = SeededGenerator(seed: UInt64(call))
      for left in [system.disk.afterProcessDeath(), system.disk.afterPowerLoss(using: &random)] {
        let next = try Self.store(FaultySystem(left))
        #expect(try !next.archives().contains(b) || next.openScenes().contains(b), "\(fault) in call \(call)")
      }
    }
  }

  @Test("a number that a record has named is given to no other save of the process, whatever call fails (Behaviours 102)")
  func numbersAreUsedOnce() throws {
    let disk = try Self.disk()
    let whole = FaultySystem(disk.afterProcessDeath())
    _ = try Scenario.save.run(Self.store(whole))
    let bytes = try ArchiveTree(applicationState: ["moment": 3]).encoded()
    for call in 1...whole.callCount {
      let system = FaultySystem(disk.afterProcessDeath(), fault: .error(EIO), at: call)
      guard let store = try? Self.store(system) else { continue }
      _ = try Scenario.save.run(store)
      let named = system.disk.state.withLock { $0.contents }.compactMap { SaveGroup($0.bytes) }.flatMap(\.files).map(\.generation)
      #expect(Set(named).count == named.count, "\(call): \(named)")
      // What is saved alone, and what is closed with a way back.
      let calls = system.recording {
        _ = try? store.save([UInt8](bytes), as: Self.app)
        try? store.close(Self.scene("c"), with: [UInt8](bytes))
      }
      let written = calls.filter { $0.operation == .rename }.compactMap { $0.newName.flatMap { Generation(fileName: $0) } }
      let numbers = written.filter { $0.mark == .none || $0.mark == .closed }.map(\.number)
      #expect(!numbers.isEmpty && numbers.allSatisfy { $0 > named.max() ?? 0 }, "\(call): \(named), \(numbers)")
    }
  }

  @Test("a launch that takes a save back, or completes it, may die or fail in every call too", arguments: Scenario.allCases)
  func everyCallOfTheNextLaunchMayFail(_ scenario: Scenario) throws {
    let disk = try Self.disk()
    let whole = FaultySystem(disk.afterProcessDeath())
    #expect(try scenario.run(Self.store(whole)))
    var remains: Set<[String]> = []
    for call in 1...whole.callCount {
      let dying = FaultySystem(disk.afterProcessDeath(), fault: .death, at: call)
      _ = try? scenario.run(Self.store(dying))
      let left = dying.disk.afterProcessDeath()
      // Each set of files once.
      guard left.names.contains(SaveGroup.fileName), remains.insert(left.names).inserted else { continue }
      let next = FaultySystem(left.afterProcessDeath())
      _ = try Self.store(next).beginLaunch()
      for (index, fault) in [FaultySystem.Fault.death, .error(EIO), .error(ENOSPC)].enumerated() {
        for later in 1...next.callCount where TestStage.isExhaustive || (later + call + index) % 6 == 0 {
          let system = FaultySystem(left.afterProcessDeath(), fault: fault, at: later)
          _ = try? Self.store(system).beginLaunch()
          let place = "\(scenario), dead at \(call), next launch: \(fault) in call \(later)"
          try expectOneMoment(system.disk.afterProcessDeath(), scenario, false, place)
          var random = SeededGenerator(seed: UInt64(call * 1000 + later))
          try expectOneMoment(system.disk.afterPowerLoss(using: &random), scenario, false, "\(place), power loss")
        }
      }
    }
    #expect(remains.count > 1)
  }

  private func expectOneMoment(_ disk: SimulatedDisk, _ scenario: Scenario, _ isDone: Bool, _ place: String) throws {
    // As a tool finds it, before any launch.
    let reading = try RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk.afterProcessDeath())), access: .reading)
    let inspected = try Session(reading)
    let store = try Self.store(FaultySystem(disk))
    let found = try Session(store)
    #expect(isDone ? found == scenario.sessions.last : scenario.sessions.contains(found), "\(place): \(isDone) \(found), \(disk.names)")
    #expect(inspected == found, "\(place): before the launch \(inspected), after it \(found)")
    _ = try store.beginLaunch()
    let owner = found.moments["c"] != nil ? "c" : found.tabs.contains("z") ? "b" : "none"
    #expect(try Self.save(store, ["a", "b"], at: 9, z: owner), "\(place): the next save")
    let last = try Session(store)
    #expect(["app", "a", "b"].allSatisfy { last.moments[$0] == 9 } && last.tabs == found.tabs, "\(place): \(last)")
    #expect(!disk.names.contains { $0.hasPrefix("writing-") || $0 == SaveGroup.fileName }, "\(place): \(disk.names)")
  }
}

extension StoreLoad {
  fileprivate func number(forKey key: String) throws -> Int? {
    try archive.map { try $0.reader.application().decoder().decode(Int.self, forKey: key) }
  }
}
