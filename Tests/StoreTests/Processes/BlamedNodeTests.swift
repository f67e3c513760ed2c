import Foundation
import ProcessKit
import PropertyKit
import TestStage
import Testing

@testable import StateRestoration

/// Real processes that die in a callback: the next launch blames the node whose callback was running, and no other
/// (Behaviours 47, 58).
@Suite struct BlamedNodeTests {
  /// The number of deaths of each kind: 15, or 2,000 if `EXHAUSTIVE` is `all`; `KILLS` overrides both.
  private static let kills =
    ProcessInfo.processInfo.environment["KILLS"].flatMap { Int($0) } ?? TestStage.count(15, exhaustive: 2000)
  /// The number of callbacks of the app: for each of 37 nodes three, of the scene's ten three, and six others.
  private static let callbacks = 2 + 37 * 3 + 1 + 10 * 3 + 2

  private let temporary: TemporaryFolder
  private var folder: String { temporary.url("store").path }

  init() throws {
    temporary = try TemporaryFolder()
    let lines = try run(.max, "kill", mapsPages: true)
    #expect(lines == ["restored nothing was saved", "alive"])
  }

  private func run(_ number: Int, _ way: String, mapsPages: Bool) throws -> [String] {
    let process = try RunningProcess("store-probe", ["blame", folder, "\(number)", way, mapsPages ? "mapped" : "written"])
    var lines: [String] = []
    while let line = process.readLine() { lines.append(line) }
    _ = process.wait()
    return lines
  }

  /// What a launch would find now.
  private func history() throws -> LaunchHistory {
    let store = try RestorationStore(folder: folder, launch: LaunchOptions(bundleVersion: "1"), access: .reading)
    return try store.launch.knownHistory()
  }

  /// The node that the next launch blames, as the process names it.
  private func blamed(isTrap: Bool) throws -> [String] {
    let history = try history()
    func text(_ path: RestorationPath) -> String { path.isEmpty ? "-" : path.description }
    if isTrap { return history.ledger.quarantined.map { "\($0.archive.fileName) \(text($0.path))" } }
    return history.ledger.suspects.compactMap { suspect in
      suspect.path.map { "\(suspect.archive.fileName) \(suspect.phase) \(text($0))" }
    }
  }

  /// Removes the records, so that the next death is the first.
  private func forgetDeaths() throws {
    for name in [LaunchLedger.fileName, ProgressFile.fileName] { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
  }

  @Test("a process that dies in a random callback names the node, whatever way the word is written", arguments: [true, false])
  func blamesTheRunningNode(_ mapsPages: Bool) throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    var random = SeededGenerator(seed: seed)
    for round in 0..<Self.kills {
      let way = ["kill", "kill", "trap", "fork"].randomElement(using: &random) ?? "kill"
      let number = Int.random(in: 0..<Self.callbacks, using: &random)
      // The last of them are after the restoring function, in an object that registers late.
      let lines = try run(number, way, mapsPages: mapsPages).filter { !$0.hasPrefix("restored") }
      let place = "seed \(seed), round \(round): \(way) in callback \(number): \(lines)"
      guard lines.count == 1, let called = lines.first else {
        Issue.record("\(place)")
        return
      }
      let words = called.split(separator: " ")
      #expect(try blamed(isTrap: way == "trap") == [way == "trap" ? "\(words[0]) \(words[2])" : called], "\(place)")
      try forgetDeaths()
    }
  }

  @Test("every callback is counted, so that the random ones above are of all kinds")
  func countsCallbacks() throws {
    #expect(try run(Self.callbacks, "kill", mapsPages: true) == ["restored restores generation 1", "alive"])
    #expect(try run(Self.callbacks - 1, "kill", mapsPages: true).last == "application finishing late")
  }

  @Test("a record that is cut short under a launch blames nobody, and costs at most the launch", arguments: [true, false])
  func survivesCutRecords(_ isRecorded: Bool) throws {
    for mapsPages in [true, false] {
      for number in [0, 1, 30, 60, Self.callbacks - 1] {
        let lines = try run(number, isRecorded ? "cut" : "cut-unrecorded", mapsPages: mapsPages)
        if isRecorded || !mapsPages { #expect(lines.last == "alive", "callback \(number): \(lines)") }
        let history = try history()
        #expect(history.ledger.suspects.allSatisfy { $0.path == nil } && history.ledger.quarantined.isEmpty, "callback \(number): \(lines)")
        #expect(history.decision(for: .application, current: nil) == .restore(without: []))
      }
    }
  }
}
