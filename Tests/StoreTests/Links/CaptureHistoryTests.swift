import EngineKit
import StateRestoration
import TestStage
import Testing

/// Saves of what has changed, by apps of every kind of object, against captures of everything.
@Suite struct CaptureHistoryTests {
  @Test("after each save, what a reader loads is a capture of everything", arguments: 0..<4)
  func agreesWithEverything(_ part: Int) throws {
    var tally = CaptureHistory.Tally()
    for index in 0..<(TestStage.histories(320, exhaustive: 20_000) / 4) {
      let seed = UInt64(part * 1_000_000 + index)
      do {
        try CaptureHistory.check(seed: seed, &tally)
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
    // The histories have what they are about.
    for outcome in [SaveDecision.save, .keepPrevious, .forget] { #expect(tally.captures[outcome] ?? 0 > 0) }
    #expect(tally.saves.written > tally.saves.unchanged && tally.saves.unchanged > 0 && tally.saves.failed > 0, "\(tally)")
    #expect(tally.links > 0, "\(tally)")
    for outcome in ["restored", "later", "quarantined", "failed", "skipped-declined", "skipped-gone"] {
      #expect(tally.nodes[outcome] ?? 0 > 0, "\(outcome): \(tally)")
    }
  }

  @Test("after many saves too", arguments: 0..<4)
  func agreesInLongHistories(_ part: Int) throws {
    var tally = CaptureHistory.Tally()
    for index in 0..<(TestStage.count(24, exhaustive: 1000) / 4) {
      let seed = UInt64(part * 1_000_000 + index)
      do {
        try CaptureHistory.check(seed: seed, saves: 30, &tally)
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
    #expect(tally.ofChanges > 0 && tally.links > 0, "\(tally)")
  }

  @Test(
    "trees that could once not be saved: objects join a placeholder, or lie below a quarantined object", arguments: [7326, 9998, 2_004_300])
  func savesEachTree(_ seed: UInt64) throws {
    var tally = CaptureHistory.Tally()
    try CaptureHistory.check(seed: seed, &tally)
  }
}
