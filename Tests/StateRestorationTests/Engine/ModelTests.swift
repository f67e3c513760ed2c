@testable import EngineKit
import StateRestoration
import TestStage
import Testing

/// Thousands of random apps, run by the engine and by a simple model of its rules.
@Suite struct ModelTests {
  private static let seedsPerGroup = UInt64(TestStage.count(60, exhaustive: 500))

  @Test("outcomes, the order of calls and the next save agree with the model", arguments: UInt64(0)..<8)
  func agrees(_ group: UInt64) throws {
    var count = 0
    for seed in (group * Self.seedsPerGroup)..<((group + 1) * Self.seedsPerGroup) {
      let app = RandomApp(seed: seed)
      guard let engine = try app.runEngine() else { continue }
      count += 1
      let differences = engine.differences(from: app.runModel())
      if differences.isEmpty { continue }
      Issue.record("seed \(seed): the engine has \(differences.joined(separator: "; "))")
      return
    }
    #expect(count > Int(Self.seedsPerGroup) / 2)
  }

  @Test("launches of good and bad builds: every saved value is saved again, or the user, the app or a report accounts for it")
  func accountsForEveryValue() throws {
    var counts: [String: Int] = [:]
    // `engine-soak` goes on from here.
    for seed in TestStage.seeds(300, exhaustive: 4000) {
      do {
        try LaunchAccount.check(seed: seed, &counts)
        try LaunchAccount.check(seed: seed, otherUpgrades: true, &counts)
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
    // The histories have what they are about.
    for name in LaunchAccount.expectedSomewhere { #expect(counts[name] ?? 0 > 0, "\(name): \(counts)") }
  }

  @Test(
    "histories in which the engine once lost state",
    arguments: [
      5251, 8088, 9796, 12962, 50138, 51817, 273058, 447514, 1_164_964, 5_007_065, 5_010_506, 5_034_047, 5_041_116, 5_045_158,
      5_052_582, 5_058_045,
    ] as [UInt64])
  func keepsWhatWasLost(_ seed: UInt64) throws {
    var counts: [String: Int] = [:]
    try LaunchAccount.check(seed: seed, &counts)
    try LaunchAccount.check(seed: seed, otherUpgrades: true, &counts)
  }

  @Test(
    "apps with two objects of one path, which trade places, and with two nodes of one path, of which one has given a value to a child",
    arguments: [5_028_434, 5_035_780, 5_052_098, 5_056_401, 8_009_393] as [UInt64])
  func agreesOnOnePathForTwo(_ seed: UInt64) throws {
    let app = RandomApp(seed: seed)
    let engine = try #require(try app.runEngine())
    #expect(engine.differences(from: app.runModel()) == [])
  }

  @Test("what an upgrade has made is taken in by an object of any version as the build has it")
  func agreesOnMovedValues() throws {
    var app = RandomApp(seed: 0)
    app.tree.nodes = [ArchiveNode("e", type: "List", state: ["v": 1])]
    app.live = [RandomApp.Live(identifier: "e", children: [RandomApp.Live(identifier: "g", type: "Editor")])]
    app.registrations = [.rename("List", from: 0, to: 1), .move("List", child: "g", from: 1, to: 2)]
    (app.hasDelegate, app.quarantined, app.discarded, app.changes) = (false, [], [], [[], []])
    let engine = try #require(try app.runEngine())
    #expect(engine.nodes == ["e not-decoded-other-type carried", "e/g located"])
    #expect(engine.differences(from: app.runModel()) == [])
  }
}
