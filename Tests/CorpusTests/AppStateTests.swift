import SlowReader
import CorpusKit
import Foundation
import RestorationArchive
import Testing

/// The application states of `Corpus/valid/apps`: handwritten JSON, and the archives encoded from it.
///
/// `BLESS=1` rewrites the archives.
@Suite struct AppStateTests {
  @Test("each archive is the encoding of the JSON file next to it", arguments: try JSONCorpusFile.files(in: "valid/apps"))
  func isEncoded(_ file: JSONCorpusFile) throws {
    let tree = try ArchiveTree(json: Data(file.text))
    #expect(Array(tree.json()) == file.text, "the JSON is not in canonical form")
    let archive = [UInt8](try tree.encoded())
    let path = String(file.path.dropLast(".json".count))
    if ProcessInfo.processInfo.environment["BLESS"] == "1" {
      let title = path.split(separator: "/").last?.dropLast(".rsta".count) ?? ""
      try Corpus.write(archive, to: path)
      try Corpus.write(
        Array("outcome: valid\nreason: the state of an app, \(title.replacing("-", with: " ")): see README.md\n".utf8),
        to: path.dropLast(".rsta".count) + ".expect")
    }
    #expect(try Corpus.bytes(of: path) == archive)
    #expect(slowCheck(archive).isEmpty)
  }
}
