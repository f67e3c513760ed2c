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

  /// Files of 32 MiB, too large for the corpus: nothing but the prefixes is right.
  @Test(
    "metadata may have 16 MiB and not a byte more (R-4.2-6)",
    arguments: [(16_777_216, ["metadata-damaged", "metadata-damaged"]), (16_777_217, ["metadata-length"])])
  func limitsMetadata(_ length: Int, _ codes: [String]) {
    let fileLength = 128 + 2 * length + 2 * 16 + 48
    var prefix: [UInt8] = [0x89, 0x52, 0x53, 0x54, 0x0d, 0x0a, 0x1a, 0x0a, 1, 0, 0, 0, 0, 0, 0, 0]
    for (number, size) in [(fileLength, 8), (length, 4), (16, 4), (0, 24)] { prefix += Self.integer(number, size: size) }
    prefix += Self.integer(Int(bitPattern: UInt(SlowXXH64.hash(prefix))), size: 8)
    let bytes = prefix + [UInt8](repeating: 0, count: fileLength - 128) + prefix
    #expect(slowCheck(bytes).map(\.code) == codes)
    #expect(ArchiveChecker(bytes).findings.map(\.error.code.rawValue) == codes)
  }

  @Test("findings match the expectation, with rule, path and key (R-13-1, R-13-3)", arguments: try Corpus.files())
  func isAsExpected(_ file: CorpusFile) throws {
    let expectation = try #require(file.expectation)
    let check = ArchiveCheck(file.bytes)
    #expect(check.findings.map { ExpectedFinding($0) } == expectation.findings)
    #expect((check.findings.first?.kind.rawValue ?? "valid") == expectation.outcome.rawValue)
  }

  /// A little-endian integer.
  private static func integer(_ number: Int, size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: $0 < 8 ? number >> (8 * $0) : 0) }
  }
}
