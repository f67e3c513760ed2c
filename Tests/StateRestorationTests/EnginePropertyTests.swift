import CorpusKit
import EngineKit
import FoundationEssentials
import Testing

/// The fuzz property of the engine, on seeded inputs and on every archive of the corpus.
@Suite struct EnginePropertyTests {
  @Test("arbitrary archives, registrations and decisions end in a full report", arguments: UInt64(0)..<8)
  func holdsForSeeds(_ group: UInt64) throws {
    for seed in (group * 500)..<((group + 1) * 500) {
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

  @Test("the archives of the corpus do too, valid and damaged")
  func holdsForCorpus() throws {
    for file in try Corpus.files() {
      for seed in UInt64(0)..<4 {
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
