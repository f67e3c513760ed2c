import Foundation
import ProcessKit
import TestStage
import Testing

/// The number of launches that die because of bad objects, with real processes (Behaviours 92 to 95).
@Suite(.serialized) struct DyingLaunchesTests {
  /// A way to die, the number of dying launches that it may cost with one type of objects in one scene, and whether the
  /// others are then restored instead of offered.
  struct Way: Sendable, CustomStringConvertible {
    let name: String
    var signal: Int32?
    var isRecorded = true
    let deaths: Int
    let isRestored: Bool

    var description: String { "\(name)\(signal.map { " ended by signal \($0)" } ?? "")\(isRecorded ? "" : ", unrecorded")" }
  }

  static let ways = [
    Way(name: "trap", deaths: 2, isRestored: true), Way(name: "trap", isRecorded: false, deaths: 3, isRestored: false),
    Way(name: "overflow", deaths: 2, isRestored: true), Way(name: "overflow", isRecorded: false, deaths: 3, isRestored: false),
    Way(name: "exit", deaths: 3, isRestored: false), Way(name: "exit", isRecorded: false, deaths: 3, isRestored: false),
    Way(name: "memory", deaths: 3, isRestored: false), Way(name: "hang", signal: SIGKILL, deaths: 3, isRestored: false),
    Way(name: "hang", signal: SIGTERM, deaths: 3, isRestored: false), Way(name: "hang", signal: SIGINT, deaths: 3, isRestored: false),
  ]

  /// Bad objects: their number, their types (0 for none), and the scenes that they are in.
  static let loads: [(count: Int, types: Int, scenes: Int)] =
    TestStage.isExhaustive
    ? [13, 200].flatMap { count in [1, 4, 0].flatMap { types in [1, 5].map { (count, types, $0) } } } : [(13, 1, 1), (13, 4, 5)]

  @Test("at most three launches die, whatever the cause, and nothing is lost", arguments: ways)
  func endsLoops(_ way: Way) throws {
    for load in Self.loads {
      let temporary = try TemporaryFolder()
      let folder = temporary.url("store").path
      _ = try TestProcess.run("store-probe", ["bad", folder, "\(load.count)", "\(load.types)", "\(load.scenes)"])
      var deaths = 0
      var lines: [String] = []
      while deaths < 6, lines.isEmpty {
        lines = try launch(folder, way).filter { $0.hasPrefix("alive") }
        if lines.isEmpty { deaths += 1 }
      }
      let place = "\(way): \(load), \(deaths) deaths: \(lines)"
      #expect((1...3).contains(deaths), "\(place)")
      if load.types != 4, load.scenes == 1 {
        #expect(deaths <= way.deaths, "\(place)")
        #expect((lines.first?.hasPrefix("alive: 2 good") == true) == way.isRestored, "\(place)")
      }
      if TestStage.isExhaustive { print("dying launches: \(place)") }
    }
  }

  /// Runs the app until it dies, or is alive; returns its output.
  private func launch(_ folder: String, _ way: Way) throws -> [String] {
    let process = try RunningProcess("store-probe", ["loop", folder, way.name, way.isRecorded ? "recorded" : "unrecorded"])
    var lines: [String] = []
    while let line = process.readLine() {
      lines.append(line)
      if line == "hangs", let signal = way.signal { process.signal(signal) }
    }
    _ = process.wait()
    return lines
  }
}
