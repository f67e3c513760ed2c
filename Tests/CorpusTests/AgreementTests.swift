import ArchiveFormat
import SlowReader
import CorpusKit
import RestorationArchive
import Testing

/// The production checker, the slow reader and the expectation agree on every file of the corpus: codes, offsets,
/// order.
@Suite struct AgreementTests {
  @Test("the production checker and the slow reader report the same findings (R-7.2-1)", arguments: try Corpus.files())
  func agrees(_ file: CorpusFile) throws {
    let real = ArchiveChecker(file.bytes).findings.map { SlowFinding(code: $0.error.code.rawValue, offset: $0.error.offset ?? -1) }
    #expect(real == slowCheck(file.bytes))
  }

  @Test("findings match the expectation, with rule, path and key (R-13-1, R-13-3)", arguments: try Corpus.files())
  func isAsExpected(_ file: CorpusFile) throws {
    let expectation = try #require(file.expectation)
    let check = ArchiveCheck(file.bytes)
    #expect(check.findings.map { ExpectedFinding($0) } == expectation.findings)
    #expect((check.findings.first?.kind.rawValue ?? "valid") == expectation.outcome.rawValue)
  }
}
