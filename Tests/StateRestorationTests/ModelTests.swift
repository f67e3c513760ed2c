import EngineKit
import Testing

/// Thousands of random apps through the engine and through a simple model of its rules.
@Suite struct ModelTests {
  private static let seedsPerGroup: UInt64 = 500

  @Test("outcomes, the order of calls and the next save agree with the model", arguments: UInt64(0)..<8)
  func agrees(_ group: UInt64) throws {
    var count = 0
    for seed in (group * Self.seedsPerGroup)..<((group + 1) * Self.seedsPerGroup) {
      let app = RandomApp(seed: seed)
      guard let engine = try app.runEngine() else { continue }
      count += 1
      let model = app.runModel()
      guard engine != model else { continue }
      #expect(engine.nodes == model.nodes, "seed \(seed)")
      #expect(engine.calls == model.calls, "seed \(seed)")
      #expect(engine.saved == model.saved, "seed \(seed)")
      return
    }
    #expect(count > Int(Self.seedsPerGroup) / 2)
  }
}
