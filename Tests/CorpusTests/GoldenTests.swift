import CorpusKit
import Foundation
import RestorationArchive
import Testing

/// Files of old releases read the same for ever (BEHAVIOURS 10).
@Suite struct GoldenTests {
  @Test("10: a checked-in file of an old release reads identically", arguments: try Corpus.files(in: "golden"))
  func readsAsItWasWritten(_ file: CorpusFile) throws {
    let tree = try ArchiveTree(decoding: Data(file.bytes))
    #expect(String(decoding: tree.json(), as: UTF8.self) == file.json)
    // A later version keeps the version of what it rewrites, so the bytes stay the same too.
    #expect([UInt8](try tree.encoded()) == file.bytes)
  }

  @Test func thereAreFilesOfEveryRelease() throws {
    #expect(try Set(Corpus.files(in: "golden").map(\.folder)) == ["golden/v1.0"])
  }
}
