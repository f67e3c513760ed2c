import CorpusKit
import Foundation
import RestorationArchive
import Testing

/// The texts of `Corpus/json`: what a strict reader of the JSON form accepts and rejects, and at which offset.
@Suite struct JSONCorpusTests {
  @Test("valid texts are accepted, and written as the canonical text (R-13-4)", arguments: try JSONCorpusFile.files(in: "json/valid"))
  func accepts(_ file: JSONCorpusFile) throws {
    let tree = try ArchiveTree(json: Data(file.text))
    if let canonical = file.canonical { #expect(String(decoding: tree.json(), as: UTF8.self) == canonical) }
    let archive = try tree.encoded()
    #expect(ArchiveCheck(archive).findings.isEmpty)
    // Some are texts of links.
    #expect(try ArchiveTree(decoding: ArchiveReader(link: [UInt8](archive))) == tree)
  }

  @Test("invalid texts are rejected with code, offset and rule (R-13-4)", arguments: try JSONCorpusFile.files(in: "json/invalid"))
  func refuses(_ file: JSONCorpusFile) throws {
    let expected = try #require(file.expectation?.findings.first)
    do {
      // Some faults show only when the archive is made (R-J8-1).
      _ = try ArchiveTree(json: Data(file.text)).encoded()
      Issue.record("accepted")
    } catch {
      #expect(ExpectedFinding(code: error.code.rawValue, offset: error.offset ?? -1, rule: error.rule) == expected)
      #expect(error.kind.rawValue == file.expectation?.outcome.rawValue)
    }
  }
}
