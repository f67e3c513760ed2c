import ArchiveFormat
import CorpusKit
import Testing

/// The counter that measures bounds on work.
@Suite struct WorkMeterTests {
  #if DEBUG || METERED
    @Test("checking a file counts at least one unit per byte", arguments: try Corpus.files(in: "golden"))
    func countsWork(_ file: CorpusFile) throws {
      let bytes = file.bytes
      let before = try #require(WorkMeter.total)
      #expect(ArchiveChecker(bytes).findings.isEmpty)
      // Other tests may count at the same time.
      #expect(try #require(WorkMeter.total) - before >= bytes.count)
    }
  #else
    @Test("a build without counting has no total")
    func countsNothing() {
      #expect(WorkMeter.total == nil)
    }
  #endif
}
