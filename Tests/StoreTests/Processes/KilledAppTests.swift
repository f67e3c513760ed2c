import Foundation
import ProcessKit
import PropertyKit
import TestStage
import Testing

/// Real processes that are killed while they launch, restore, run and save: 40 kills in all, 1,000 in the second stage.
@Suite struct KilledAppTests {
  /// The number of kills of one app: 10, or 250 if `EXHAUSTIVE` is set; `KILLS` overrides both.
  private static let kills =
    ProcessInfo.processInfo.environment["KILLS"].flatMap { Int($0) } ?? TestStage.count(10, exhaustive: 250)

  @Test(
    """
    an app killed at any moment of launch, restore, run and save loses nothing, and restores after one kill (Behaviours 56, 57); \
    every other app saves what has changed
    """,
    arguments: 0..<4)
  func losesNothing(_ app: Int) throws {
    let temporary = try TemporaryFolder()
    let folder = temporary.url("store").path
    let seed = UInt64.random(in: 0..<1_000_000)
    var random = SeededGenerator(seed: seed)
    /// The last number reported as saved, and the number of consecutive launches killed before saving.
    var saved = 0
    var deaths = 0
    /// The output of the previous processes.
    var history: [[String]] = []
    for round in 0..<Self.kills {
      let place = "app \(app), seed \(seed), round \(round) after \(history.suffix(6))"
      let process = try RunningProcess("store-probe", ["live", folder] + (app % 2 == 1 ? ["changes"] : []))
      var lines: [String] = []
      for _ in 0..<Int.random(in: 0..<4, using: &random) { if let line = process.readLine() { lines.append(line) } }
      usleep(UInt32.random(in: 0..<6000, using: &random))
      process.signal(SIGKILL)
      while let line = process.readLine() { lines.append(line) }
      #expect(process.wait() == -SIGKILL, "\(place)")
      for line in lines {
        let words = line.split(separator: " ")
        if words.first == "launch" {
          let restored = Int(words[2]) ?? 0
          let offered = line.split(separator: "[")[1].split(separator: "]", omittingEmptySubsequences: false)[0]
            .split(separator: " ").compactMap { Int($0) }
          #expect(max(restored, offered.max() ?? 0) >= saved, "\(place): \(saved) was saved: \(line)")
          if deaths < 2 { #expect(restored >= saved, "\(place): not restored after \(deaths) deaths in a row: \(line)") }
          #expect(words.last == "0", "\(place): \(line)")
        } else if words.first == "saved" {
          saved = Int(words[1]) ?? saved
        }
      }
      history.append(lines)
      deaths = lines.contains { $0.hasPrefix("saved") } ? 0 : deaths + 1
    }
  }
}
