import ArchiveFormat
import CorpusKit
import Testing

/// What the bounds of work are measured with.
@Suite struct WorkMeterTests {
  #if DEBUG || METERED
    @Test("checking a file counts at least a unit for each of its bytes", arguments: try Corpus.files(in: "golden"))
    func countsWork(_ file: CorpusFile) throws {
      let bytes = file.bytes
      let before = try #require(WorkMeter.total)
      #expect(ArchiveChecker(bytes).findings.isEmpty)
      // Other tests count at the same time.
      #expect(try #require(WorkMeter.total) - before >= bytes.count)
    }
  #else
    @Test("where nobody counts there is no number")
    func countsNothing() {
      #expect(WorkMeter.total == nil)
    }
  #endif
}
