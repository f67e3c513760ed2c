import Foundation
import ProcessKit
import PropertyKit
import TestStage
import Testing

@testable import StateRestoration

/// Real processes that die in their callbacks: the next launch blames the node whose callback was running, and no other.
@Suite struct BlamedNodeTests {
  /// The number of deaths: `KILLS` in the environment, otherwise 40, and 2,000 in the second stage.
  private static let kills =
    ProcessInfo.processInfo.environment["KILLS"].flatMap { Int($0) } ?? TestStage.count(40, exhaustive: 2000)

  /// How a process dies: killed from outside, or by itself.
  enum Death: String, CaseIterable {
    case wait, kill, abort

    /// The share of the deaths.
    var share: Int { self == .abort ? 4 : self == .kill ? 4 : 2 }
  }

  /// The callback that a process was running when it died.
  private struct Mark: Equatable {
    let archive: ArchiveName
    let path: RestorationPath

    /// Reads the mark of a process; nil if no callback was running, or if the process died as it wrote the mark.
    init?(_ file: URL) throws {
      let line = String(decoding: try Data(contentsOf: file), as: UTF8.self).prefix { $0 != "\n" }
      let words = line.split(separator: " ", maxSplits: 3)
      guard words.count == 4, Int(words[0]) == words[1...].joined(separator: " ").utf8.count else { return nil }
      archive = words[1] == "app" ? .application : try #require(ArchiveName.scene("scene"))
      path = try RestorationPath(parsing: String(words[3]))
    }
  }

  @Test("the node whose callback was running is blamed, wherever the process dies (Behaviours 46, 58)", arguments: Death.allCases)
  func blamesTheRunningNode(_ death: Death) throws {
    let temporary = try TemporaryFolder()
    let saved = temporary.url("saved")
    let mark = temporary.url("mark")
    #expect(try TestProcess.run("store-probe", ["blame", saved.path, mark.path, "save"]).status == 0)
    let seed = UInt64.random(in: 0..<1_000_000)
    var random = SeededGenerator(seed: seed)
    let callbacks = try Self.callbackCount(of: saved, mark)
    let wanted = max(1, Self.kills / death.share)
    // Where the process is killed from outside, not every kill is in a callback.
    var (round, hits) = (0, 0)
    while hits < wanted, round < 20 * wanted {
      round += 1
      let folder = temporary.url("store")
      try FileManager.default.copyItem(at: saved, to: folder)
      defer { try? FileManager.default.removeItem(at: folder) }
      let number = 1 + random.below(callbacks)
      let status = try Self.die(folder, mark, death, number, &random)
      let place = "\(death), seed \(seed), round \(round), callback \(number)"
      #expect(status == (death == .abort ? -SIGABRT : -SIGKILL), "\(place)")
      let running = try Mark(mark)
      let store = try RestorationStore(folder: folder.path, launch: LaunchOptions(bundleVersion: "1"))
      try store.beginLaunch()
      let blamed = store.blamed
      guard let running else {
        // Between two callbacks, one of them may be blamed: the one that has just returned, or the one about to be called.
        #expect(death == .wait, "\(place)")
        #expect(blamed.count <= 1, "\(place): \(blamed)")
        continue
      }
      hits += 1
      #expect(
        blamed.map(\.path) == [running.path] && blamed.first?.archive == running.archive,
        "\(place): \("\(running)".prefix(200)), not \("\(blamed)".prefix(200))")
    }
    #expect(hits == wanted, "\(death): too few of \(round) deaths were in callbacks")
  }

  /// Returns the number of callbacks of a launch.
  private static func callbackCount(of saved: URL, _ mark: URL) throws -> Int {
    let folder = saved.appendingPathExtension("counted")
    try FileManager.default.copyItem(at: saved, to: folder)
    let process = try RunningProcess("store-probe", ["blame", folder.path, mark.path, "wait"])
    #expect(process.readLine() == "ready")
    var count = 0
    while let line = process.readLine(), line != "restored" { count = Int(line) ?? 0 }
    process.signal(SIGKILL)
    _ = process.wait()
    #expect(count > 100)
    return count
  }

  private static func die(
    _ folder: URL, _ mark: URL, _ death: Death, _ number: Int, _ random: inout SeededGenerator
  ) throws -> Int32 {
    let process = try RunningProcess("store-probe", ["blame", folder.path, mark.path, death.rawValue, "\(number)"])
    #expect(process.readLine() == "ready")
    if death == .wait {
      for _ in 0..<number { _ = process.readLine() }
      usleep(UInt32(random.below(400)))
      process.signal(SIGKILL)
    }
    return process.wait()
  }
}
