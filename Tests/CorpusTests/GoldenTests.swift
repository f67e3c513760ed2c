import CorpusKit
import Foundation
import RestorationArchive
import SlowReader
import Testing

/// Files of earlier releases always read the same (Behaviours 10).
@Suite struct GoldenTests {
  @Test("10: a checked-in file of an earlier release reads identically", arguments: try Corpus.files(in: "golden"))
  func readsAsItWasWritten(_ file: CorpusFile) throws {
    let tree = try ArchiveTree(decoding: Data(file.bytes))
    #expect(String(decoding: tree.json(), as: UTF8.self) == file.json)
    // A later version preserves the version of a file that it rewrites, so the bytes stay the same too.
    #expect([UInt8](try tree.encoded()) == file.bytes)
  }

  /// The files of every release, with the XXH64 of archive and content at the time of release.
  ///
  /// Lines are added and never changed: the test above would accept an archive that was regenerated together with its
  /// content.
  static let released: [(path: String, archive: UInt64, json: UInt64)] = [
    ("golden/v1.0/lab-bench.rsta", 7_771_867_427_750_355_740, 10_597_935_062_665_928_312),
    ("golden/v1.0/notes.rsta", 13_287_853_166_155_678_413, 14_729_313_354_591_374_473),
    ("golden/v1.0/reader-cjk-rtl.rsta", 3_376_576_990_808_271_917, 6_309_597_447_681_312_422),
  ]

  @Test("10: the files of every release exist and are unchanged")
  func keepsReleasedFiles() throws {
    let found = try Corpus.files(in: "golden")
    #expect(found.map(\.path) == Self.released.map(\.path))
    for (file, released) in zip(found, Self.released) {
      #expect(SlowXXH64.hash(file.bytes, seed: 0) == released.archive, "\(file.path)")
      let json = SlowXXH64.hash(Array(try #require(file.json).utf8), seed: 0)
      #expect(json == released.json, "\(file.path), content")
    }
  }

  @Test("10: the keyed calls return the content of the files", arguments: try Corpus.files(in: "golden"))
  func decodesAsItWasWritten(_ file: CorpusFile) throws {
    let tree = try ArchiveTree(json: Data(try #require(file.json).utf8))
    let reader = try ArchiveReader(file.bytes)
    #expect(reader.header == tree.header)
    var rest = tree.nodes.map { (node: $0, path: RestorationPath.application.appending($0.identifier)) }
    while let (node, path) = rest.popLast() {
      let decoder = try reader.decoder(at: path)
      #expect(decoder.allKeys.count == node.state.count)
      for entry in node.state { #expect(try decoder.value(forKey: entry.key) == entry.value, "\(path), \(entry.key)") }
      rest += node.children.map { (node: $0, path: path.appending($0.identifier)) }
    }
  }
}
