import ArchiveFormat
import CorpusKit
import Foundation
import RestorationArchive
import Testing

/// Every valid archive with a JSON form: each converts to the other, byte for byte.
@Suite struct ContentTests {
  static func described() throws -> [CorpusFile] {
    try Corpus.files { $0.json != nil && $0.expectation?.outcome == .valid }
  }

  @Test("the archive converts to its JSON form", arguments: try described())
  func writesJSON(_ file: CorpusFile) throws {
    let tree = try ArchiveTree(decoding: ArchiveReader(file.bytes))
    #expect(String(decoding: tree.json(), as: UTF8.self) == file.json)
  }

  @Test("the JSON form converts to the archive", arguments: try described())
  func readsJSON(_ file: CorpusFile) throws {
    let tree = try ArchiveTree(json: Data(try #require(file.json).utf8))
    #expect([UInt8](try tree.encoded()) == file.bytes)
  }

  @Test("decoding and encoding an archive returns the same bytes", arguments: try described())
  func isFixpoint(_ file: CorpusFile) throws {
    #expect([UInt8](try ArchiveTree(decoding: ArchiveReader(file.bytes)).encoded()) == file.bytes)
  }
}
