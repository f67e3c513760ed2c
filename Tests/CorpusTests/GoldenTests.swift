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

  /// The links of every release, as `links/made.tsv` names them, with the XXH64 of the archives before and after and the link.
  static let releasedLinks: [(row: String, hash: UInt64)] = [
    ("base\tadded-result\tbase\tadded", 15_973_416_231_147_702_108),
    ("base\tapplication-result\tbase\tapplication", 12_107_874_047_298_143_268),
    ("base\tbase\tbase\tnothing", 5_332_634_627_992_950_325),
    ("base\tchanged-result\tbase\tchanged", 15_770_755_695_163_802_178),
    ("base\torder-result\tbase\torder-canonical", 11_191_566_696_609_103_175),
    ("base\tparent-result\tbase\tparent", 18_082_008_527_446_726_086),
    ("base\tremoved-result\tbase\tremoved", 11_568_213_696_905_520_962),
    ("base\trun-result\tbase\trun", 5_084_524_349_780_698_541),
    ("base\tswapped-result\tbase\tswapped", 4_441_627_369_768_079_168),
    ("removed-result\trecreated-result\tremoved\trecreated", 2_484_691_306_553_370_340),
  ]

  @Test("10: the links of every release lead from the same archives to the same archives", arguments: releasedLinks)
  func keepsReleasedLinks(row: String, hash: UInt64) throws {
    let link = try #require(CorpusLink.all().first { $0.description == row })
    #expect(SlowXXH64.hash(link.old + link.new + link.link) == hash)
  }
}
