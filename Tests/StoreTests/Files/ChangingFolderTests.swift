import EngineKit
import Foundation
import PropertyKit
import StateRestoration
import Locking
import Testing

/// Loading while another thread or process saves (Behaviours 36), and the contents of the disk when a save returns
/// (Behaviours 39).
@Suite struct ChangingFolderTests {
  /// Saves a given number of times, each time when a generation is about to be opened.
  private final class Saver: Sendable {
    private let disk: SimulatedDisk
    private let left: Lock<Int>
    private let saved = Lock(2)

    init(_ disk: SimulatedDisk, times: Int) {
      self.disk = disk
      left = Lock(times)
    }

    var lastNumber: Int { saved.withLock { $0 } }

    /// Saves twice, which replaces all current files.
    func willOpen(_ path: String) {
      guard path.hasSuffix(".rsta") else { return }
      let isLeft = left.withLock { left in
        left -= 1
        return left >= 0
      }
      guard isLeft, let store = try? RestorationStore(StoreFolder(path: "/store", system: FaultySystem(disk))) else { return }
      for _ in 0..<2 {
        let number = saved.withLock { number in
          number += 1
          return number
        }
        _ = try? store.save(SampleArchive.bytes(number))
      }
    }
  }

  private static func disk() throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    let store = try FaultTests.store(FaultySystem(disk))
    for number in 1...2 { try store.save(SampleArchive.bytes(number)) }
    return disk.afterProcessDeath()
  }

  @Test("files that were replaced after they were listed are listed again", arguments: [1, 2, 3, 7])
  func listsAgain(_ times: Int) throws {
    let disk = try Self.disk()
    let saver = Saver(disk, times: times)
    let system = FaultySystem(disk, willOpen: { saver.willOpen($0) })
    let store = try RestorationStore(StoreFolder(path: "/store", system: system), access: .reading)
    let load = try store.load()
    #expect(try load.number == saver.lastNumber, "\(load.candidates)")
    #expect(!load.candidates.contains { if case .absent = $0.outcome { true } else { false } }, "\(load.candidates)")
  }

  @Test("an older file is not used in place of a file that was replaced after the listing")
  func takesNoOlderFile() throws {
    let disk = SimulatedDisk()
    let store = try FaultTests.store(FaultySystem(disk))
    try store.save(SampleArchive.bytes(1, bundleVersion: "1"))
    for number in 1...2 { try store.save(SampleArchive.bytes(number, bundleVersion: "2")) }
    #expect(try store.generations().map(\.mark) == [.none, .none, .frozen])
    let last = disk.afterProcessDeath()
    let saver = Saver(last, times: 1)
    let system = FaultySystem(last, willOpen: { saver.willOpen($0) })
    let reader = try RestorationStore(StoreFolder(path: "/store", system: system), access: .reading)
    #expect(try reader.load().number == saver.lastNumber)
  }

  @Test("a folder that never stops changing is an error, not a fresh start")
  func endsInTheEnd() throws {
    let disk = try Self.disk()
    let saver = Saver(disk, times: .max)
    let system = FaultySystem(disk, willOpen: { saver.willOpen($0) })
    let store = try RestorationStore(StoreFolder(path: "/store", system: system), access: .reading)
    let error = #expect(throws: StoreError.self) { try store.load() }
    guard case .system(let cause)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(cause.operation == .open && cause.code == ENOENT)
  }

  @Test("unchanged content that an earlier process wrote but may not have flushed is flushed")
  func flushesWhatOthersWrote() throws {
    let whole = FaultySystem(SimulatedDisk())
    try FaultTests.store(whole).save(SampleArchive.bytes(1))
    for call in 1...whole.callCount {
      for fault in [FaultySystem.Fault.death, .error(EIO)] {
        let first = FaultySystem(SimulatedDisk(), fault: fault, at: call)
        let store = try? FaultTests.store(first)
        _ = try? store?.save(SampleArchive.bytes(1))
        let disk = fault == .death ? first.disk.afterProcessDeath() : first.disk
        let second = fault == .death ? try FaultTests.store(FaultySystem(disk)) : try store ?? FaultTests.store(FaultySystem(disk))
        try second.save(SampleArchive.bytes(1))
        for seed in UInt64(0)..<20 {
          var random = SeededGenerator(seed: seed)
          let left = try FaultTests.store(FaultySystem(disk.afterPowerLoss(using: &random)))
          #expect(try left.load().number == 1, "call \(call), \(fault), seed \(seed)")
        }
      }
    }
  }
}
