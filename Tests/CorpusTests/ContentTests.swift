import ArchiveFormat
import CorpusKit
import FoundationEssentials
import RestorationArchive
import Testing

/// Every valid archive that has its JSON form beside it: the one comes out of the other, both ways, byte by byte.
@Suite struct ContentTests {
  static func described() throws -> [CorpusFile] {
    try Corpus.files { $0.json != nil && $0.expectation?.outcome == .valid }
  }

  @Test("archive to JSON", arguments: try described())
  func writesJSON(_ file: CorpusFile) throws {
    let tree = try ArchiveTree(decoding: ArchiveReader(file.bytes))
    #expect(String(decoding: tree.json(), as: UTF8.self) == file.json)
  }

  @Test("JSON to archive", arguments: try described())
  func readsJSON(_ file: CorpusFile) throws {
    let tree = try ArchiveTree(json: Data(try #require(file.json).utf8))
    #expect([UInt8](try tree.encoded()) == file.bytes)
  }

  @Test("decoding and encoding is the identity", arguments: try described())
  func isFixpoint(_ file: CorpusFile) throws {
    #expect([UInt8](try ArchiveTree(decoding: ArchiveReader(file.bytes)).encoded()) == file.bytes)
  }
}
