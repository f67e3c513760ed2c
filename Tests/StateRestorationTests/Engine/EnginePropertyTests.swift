import CorpusKit
import PropertyKit
import EngineKit
import Foundation
import TestStage
import Testing

/// The fuzz property of the engine, on seeded inputs and on every archive of the corpus.
@Suite struct EnginePropertyTests {
  @Test("arbitrary archives, registrations and decisions end in a complete report", arguments: UInt64(0)..<8)
  func holdsForSeeds(_ group: UInt64) throws {
    for seed in (group * 500)..<(group * 500 + UInt64(TestStage.count(60, exhaustive: 500))) {
      var generator = SeededGenerator(seed: seed)
      let bytes = (0..<(16 + generator.below(400))).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      do {
        try EngineProperty.check(bytes)
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
  }

  @Test("the inputs of the corpus have the outcomes recorded next to them", arguments: try EngineCorpusFile.files())
  func comesToExpectedOutcomes(_ file: EngineCorpusFile) throws {
    let outcome = try EngineProperty.tally(of: file.bytes).description
    if ProcessInfo.processInfo.environment["BLESS"] == "1" { try file.write(outcome: outcome) }
    #expect(file.outcome == outcome || ProcessInfo.processInfo.environment["BLESS"] == "1")
  }

  @Test("the inputs of the corpus reach every outcome of a node, every rule and every kind of archive")
  func reachesEverything() throws {
    let outcomes = try EngineCorpusFile.files().compactMap(\.outcome).joined()
    let reached = Set(outcomes.split(separator: "\n").map { $0.prefix { $0 != ":" } })
    #expect(EngineTally.expectedSomewhere.filter { !reached.contains($0[...]) } == [])
  }

  @Test("the archives of the corpus, valid and damaged, end in a complete report")
  func holdsForCorpus() throws {
    for file in try Corpus.files() {
      for seed in TestStage.seeds(1, exhaustive: 4) {
        var generator = SeededGenerator(seed: seed)
        let choices = (0..<200).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        do {
          try EngineProperty.check(file.bytes, choices: choices)
        } catch {
          Issue.record("\(file), seed \(seed): \(error)")
        }
      }
    }
  }
}
