import CorpusKit
import PropertyKit
import Foundation
import RestorationArchive
import TestStage
import Testing

/// Properties of all bytes hold for every file of the corpus and for its mutations (Spec 11).
@Suite struct PropertyTests {
  /// The archives that mutations start from, small so that there can be many.
  static func seeds() throws -> [[UInt8]] { try Corpus.files { $0.bytes.count <= 1500 }.map(\.bytes) }
  static func texts() throws -> [[UInt8]] {
    try ["json/valid", "json/invalid"].flatMap { try JSONCorpusFile.files(in: $0).map(\.text) }
  }

  @Test("every property holds for every file of the corpus (R-11-1)", arguments: try Corpus.files())
  func holds(_ file: CorpusFile) throws {
    for property in ArchiveProperty.allCases where file.bytes.count < 1 << 20 { try property.check(file.bytes) }
    for property in [ArchiveProperty.decoding, .limits] where file.bytes.count >= 1 << 20 { try property.check(file.bytes) }
  }

  @Test(
    "every property holds for files designed to be expensive",
    arguments: TestStage.every(2, of: HostileArchive.all(count: TestStage.count(3, exhaustive: 40))))
  func holdsAtWorst(_ file: HostileArchive) throws {
    for property in ArchiveProperty.allCases { try property.check(file.bytes) }
  }

  @Test("the JSON scanner handles every text of the corpus", arguments: try texts())
  func readsTexts(_ text: [UInt8]) throws {
    try ArchiveProperty.json.check(text)
  }

  /// 10,000 in the second stage.
  @Test("cheap properties hold for mutations", arguments: 0..<20)
  func holdsForMutations(_ part: Int) throws {
    let seeds = try Self.seeds()
    #expect(seeds.count > 300)
    let properties = ArchiveProperty.allCases.filter { !$0.isExpensive }
    for number in 0..<TestStage.count(40, exhaustive: 500) { try check(properties, seeds, UInt64(part * 1000 + number)) }
  }

  /// 10,000 in the second stage.
  @Test("expensive properties hold for mutations", arguments: 0..<10)
  func holdsForFewerMutations(_ part: Int) throws {
    let seeds = try Self.seeds()
    let properties = ArchiveProperty.allCases.filter(\.isExpensive)
    for number in 0..<TestStage.count(20, exhaustive: 1000) { try check(properties, seeds, UInt64(1_000_000 + part * 1000 + number)) }
  }

  /// 10,000 in the second stage.
  @Test("the JSON scanner terminates on mutated texts", arguments: 0..<4)
  func readsMutatedTexts(_ part: Int) throws {
    let texts = try Self.texts()
    for number in 0..<TestStage.count(500, exhaustive: 2500) {
      let seed = UInt64(2_000_000 + part * 5000 + number)
      var random = SeededGenerator(seed: seed)
      var mutator = ArchiveMutator(seed: seed)
      let text = mutator.mutate(random.pick(texts), limit: 4096)
      do {
        try ArchiveProperty.json.check(text)
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
  }

  private func check(_ properties: [ArchiveProperty], _ seeds: [[UInt8]], _ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var mutator = ArchiveMutator(seed: seed)
    let file = mutator.mutate(random.pick(seeds), limit: 8192)
    for property in properties {
      do {
        try property.check(file)
      } catch {
        Issue.record("\(property.rawValue), seed \(seed): \(error)")
      }
    }
  }
}
