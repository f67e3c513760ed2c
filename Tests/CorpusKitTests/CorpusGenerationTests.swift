import CorpusKit
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The files of the corpus match the tables that they are generated from.
///
/// `BLESS=1 swift test --filter CorpusGeneration` writes them.
@Suite struct CorpusGenerationTests {
  @Test func corpusIsWhatTheTablesGive() throws {
    if ProcessInfo.processInfo.environment["BLESS"] == "1" {
      try CorpusGenerator.write()
    }
    let differences = try CorpusGenerator.differences()
    #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
  }
}
