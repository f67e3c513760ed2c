import EngineKit
import Foundation
import PropertyKit
@testable import StateRestoration
import TestStage
import Testing

/// A fault in any call, or a stop of the process or machine at any point, leaves the old or the new state, and the next
/// save works (Behaviours 39).
@Suite struct FaultTests {
  /// A store whose calls may fail.
  static func store(_ system: FaultySystem, links: Int = 0) throws(StoreError) -> RestorationStore {
    try RestorationStore(
      StoreFolder(path: "/store", system: system), limits: StoreLimits(links: links),
      linkPolicy: LinkPolicy(foldsConcurrently: false, isEager: true))
  }

  /// The actions of the process after `before` saves without faults.
  enum Scenario: String, CaseIterable, Sendable {
    case firstSave, saveAfterSave, thirdSave, saveOfANewBuild, saveAfterAPin, saveAfterDamage, firstLaunch, launchAfterCrash
    case saveAfterAbsurdNumber, secondSaveOfAProcess, saveAfterALink, savesThatAreFolded

    var savesBefore: Int {
      switch self {
      case .firstSave, .firstLaunch: 0
      case .saveAfterSave, .saveOfANewBuild, .saveAfterAPin, .saveAfterDamage, .launchAfterCrash, .saveAfterAbsurdNumber,
        .secondSaveOfAProcess, .saveAfterALink, .savesThatAreFolded:
        1
      case .thirdSave: 3
      }
    }

    /// Runs the scenario.
    ///
    /// - Returns: Whether the new state was reported as saved.
    func run(_ store: RestorationStore) throws -> Bool {
      switch self {
      case .firstLaunch, .launchAfterCrash:
        _ = try store.beginLaunch(bundleVersion: "1")
        if let saved = try store.plan().load.archive { store.noteDecoding(of: "root/bad", in: saved) }
      case .saveAfterAPin:
        if let saved = try store.load().archive { store.didRestore(saved.generation, isComplete: false) }
      case .saveAfterDamage: #expect(try store.load().archive?.findings.isEmpty != true)
      case .secondSaveOfAProcess:
        // The first save of a store flushes the folder and the one above anyway; a later one has only its own flush.
        _ = try store.save(SampleArchive.bytes(98))
      case .saveAfterALink, .savesThatAreFolded:
        for number in 96...98 { _ = try store.save(SampleArchive.bytes(number)) }
      default: break
      }
      let version = self == .saveOfANewBuild ? "2" : "1"
      _ = try store.save(SampleArchive.bytes(99, bundleVersion: version), now: Date(timeIntervalSinceReferenceDate: 5))
      return true
    }

    /// Whether the process saves more than once.
    var savesAgain: Bool { [.secondSaveOfAProcess, .saveAfterALink, .savesThatAreFolded].contains(self) }

    /// The number of links that are folded.
    var links: Int { self == .savesThatAreFolded ? 2 : 64 }

    /// Whether the state with a number may be found after a save that was not completed.
    func isOld(_ number: Int?) -> Bool {
      if number == (savesBefore == 0 ? nil : savesBefore - 1) { return true }
      return switch self {
      case .secondSaveOfAProcess: number == 98
      case .saveAfterALink, .savesThatAreFolded: [96, 97, 98].contains(number)
      default: false
      }
    }

    /// A disk with the earlier saves.
    func disk() throws -> SimulatedDisk {
      let disk = SimulatedDisk()
      for number in 0..<savesBefore { _ = try FaultTests.store(FaultySystem(disk)).save(SampleArchive.bytes(number)) }
      if self == .launchAfterCrash { _ = try FaultTests.store(FaultySystem(disk)).beginLaunch(bundleVersion: "1") }
      if self == .saveAfterDamage { try damage(disk) }
      if self == .saveAfterAbsurdNumber {
        let system = FaultySystem(disk)
        for (name, number) in try system.names(in: "/store").compactMap({ name in Generation(fileName: name).map { (name, $0) } }) {
          try system.rename("/store/\(name)", to: "/store/\(number.archive).18446744073709551615.rsta")
        }
        try system.flushFolder("/store")
      }
      return disk.afterProcessDeath()
    }

    /// Damages the last byte of the only file, which belongs to a second copy, so that everything can still be read.
    private func damage(_ disk: SimulatedDisk) throws {
      let store = try FaultTests.store(FaultySystem(disk))
      let folder = store.folder
      let file = try folder.system.open(folder.path(of: #require(store.generations().first).fileName), .update)
      defer { folder.system.close(file) }
      let last = try folder.system.status(of: file).byteCount - 1
      let byte = try folder.system.read(file, at: last, count: 1)[0]
      _ = try folder.system.write([byte ^ 1], to: file, at: last)
      try folder.system.flush(file)
    }
  }

  @Test("every fault in every call leaves the old or the new state", arguments: Scenario.allCases, FaultySystem.Fault.all)
  func everyCallMayFail(_ scenario: Scenario, _ fault: FaultySystem.Fault) throws {
    // The first save of a process is the same with and without links.
    for links in scenario.savesAgain ? [0, scenario.links] : [64] { try everyCallMayFail(scenario, fault, links: links) }
  }

  private func everyCallMayFail(_ scenario: Scenario, _ fault: FaultySystem.Fault, links: Int) throws {
    let disk = try scenario.disk()
    let whole = FaultySystem(disk.afterProcessDeath())
    #expect(try scenario.run(Self.store(whole, links: links)))
    // In the first stage a quarter of the calls, for each fault a different quarter.
    let offset = FaultySystem.Fault.all.firstIndex(of: fault) ?? 0
    for call in 1...whole.callCount where TestStage.isExhaustive || (call + offset) % 4 == 0 {
      let system = FaultySystem(disk.afterProcessDeath(), fault: fault, at: call)
      let isSaved = (try? scenario.run(Self.store(system, links: links))) ?? false
      // A call interrupted by a signal is repeated.
      if fault == .error(EINTR) { #expect(isSaved, "call \(call)") }
      try expectOldOrNew(system.disk.afterProcessDeath(), scenario, isSaved, "call \(call)")
      for seed in TestStage.seeds(1, exhaustive: 6) {
        var random = SeededGenerator(seed: seed &* 1000 &+ UInt64(call))
        try expectOldOrNew(system.disk.afterPowerLoss(using: &random), scenario, isSaved, "call \(call), seed \(seed)")
      }
    }
  }

  private func expectOldOrNew(_ disk: SimulatedDisk, _ scenario: Scenario, _ isSaved: Bool, _ place: String) throws {
    let store = try Self.store(FaultySystem(disk))
    let found = try store.load().number
    if isSaved {
      #expect(found == 99, "\(place): reported as saved, found \(String(describing: found))")
    } else {
      #expect(found == 99 || scenario.isOld(found), "\(place): found \(String(describing: found))")
    }
    _ = try store.save(SampleArchive.bytes(100))
    #expect(try store.load().number == 100, "\(place): the next save")
    let names = try store.folder.system.names(in: "/store")
    #expect(!names.contains { $0.hasPrefix("writing-") }, "\(place): \(names)")
  }

  @Test("a file system that cannot flush folders is no error")
  func toleratesUnflushableFolders() throws {
    let system = FaultySystem(SimulatedDisk(), refusesFolderFlush: true)
    let store = try Self.store(system)
    _ = try store.save(SampleArchive.bytes(1))
    #expect(try store.load().number == 1)
  }
}
