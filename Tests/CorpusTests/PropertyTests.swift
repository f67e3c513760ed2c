import CorpusKit
import Foundation
import RestorationArchive
import Testing

/// What must hold for all bytes holds for every file of the corpus and for mutations of them (Spec 11).
@Suite struct PropertyTests {
  static let files: [CorpusFile] = (try? Corpus.files()) ?? []
  /// What mutations begin with: small, so that there can be many.
  static let seeds: [[UInt8]] = files.filter { $0.bytes.count <= 1500 }.map(\.bytes)
  static let texts: [[UInt8]] = ["json/valid", "json/invalid"].flatMap { (try? JSONCorpusFile.files(in: $0).map(\.text)) ?? [] }

  @Test("every property holds for every file of the corpus", arguments: files)
  func holds(_ file: CorpusFile) throws {
    for property in ArchiveProperty.allCases where file.bytes.count < 1 << 20 { try property.check(file.bytes) }
    for property in [ArchiveProperty.decoding, .limits] where file.bytes.count >= 1 << 20 { try property.check(file.bytes) }
  }

  @Test("every property holds for files that were made to cost much", arguments: HostileArchive.all(count: 40))
  func holdsAtWorst(_ file: HostileArchive) throws {
    for property in ArchiveProperty.allCases { try property.check(file.bytes) }
  }

  @Test("no text of the corpus breaks the JSON scanner", arguments: texts)
  func readsTexts(_ text: [UInt8]) throws {
    try ArchiveProperty.json.check(text)
  }

  @Test("cheap properties hold for 20,000 mutations each", arguments: 0..<20)
  func holdsForMutations(_ part: Int) throws {
    #expect(Self.seeds.count > 300)
    for number in 0..<1000 { try check(ArchiveProperty.allCases.filter { !$0.isExpensive }, UInt64(part * 1000 + number)) }
  }

  @Test("expensive properties hold for 10,000 mutations each", arguments: 0..<10)
  func holdsForFewerMutations(_ part: Int) throws {
    for number in 0..<1000 { try check(ArchiveProperty.allCases.filter(\.isExpensive), UInt64(1_000_000 + part * 1000 + number)) }
  }

  @Test("the JSON scanner ends for 20,000 mutated texts", arguments: 0..<4)
  func readsMutatedTexts(_ part: Int) throws {
    for number in 0..<5000 {
      let seed = UInt64(2_000_000 + part * 5000 + number)
      var random = SeededGenerator(seed: seed)
      var mutator = ArchiveMutator(seed: seed)
      let text = mutator.mutate(random.pick(Self.texts), limit: 4096)
      do {
        try ArchiveProperty.json.check(text)
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
  }

  private func check(_ properties: [ArchiveProperty], _ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var mutator = ArchiveMutator(seed: seed)
    let file = mutator.mutate(random.pick(Self.seeds), limit: 8192)
    for property in properties {
      do {
        try property.check(file)
      } catch {
        Issue.record("\(property.rawValue), seed \(seed): \(error)")
      }
    }
  }
}
