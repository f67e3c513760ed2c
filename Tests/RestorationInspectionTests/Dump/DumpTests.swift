import CorpusKit
import KeyedArchive
import PropertyKit
import RestorationArchive
import RestorationInspection
import Testing

/// The dump explains every byte of every file exactly once.
@Suite struct DumpTests {
  @Test(arguments: try Corpus.files())
  func tilesTheFile(_ file: CorpusFile) {
    var position = 0
    ArchiveDump(file.bytes, sensitive: .reveal).visitPieces { piece in
      #expect(piece.range.lowerBound == position, "\(piece)")
      #expect(!piece.meaning.isEmpty)
      position = piece.range.upperBound
    }
    #expect(position == file.bytes.count)
  }

  @Test("every byte of a valid file is explained", arguments: try Corpus.files(in: "valid"))
  func explainsValidFiles(_ file: CorpusFile) {
    ArchiveDump(file.bytes, sensitive: .reveal).visitPieces { piece in
      for word in ["not read", "damaged", "named by no"] { #expect(!piece.meaning.contains(word), "\(piece)") }
    }
  }

  @Test("bytes that no checksum verifies are masked, wherever they are", arguments: try Corpus.files(in: "damaged"))
  func masksDamage(_ file: CorpusFile) {
    ArchiveDump(file.bytes).visitPieces { piece in
      #expect(piece.isMasked || !piece.meaning.hasSuffix(": damaged"), "\(piece)")
    }
  }

  @Test("a damaged copy of the checksum tree is reported as damaged, node by node")
  func tellsDamagedTrees() throws {
    for (name, count) in [
      ("tree-first-copy", 1), ("tree-both-copies", 2), ("two-levels-leaf-second-copy", 1), ("two-levels-top-both-copies", 6),
    ] {
      var meanings: [String] = []
      ArchiveDump(try Corpus.bytes(of: "damaged/\(name).hex")).visitPieces { meanings.append($0.meaning) }
      let damaged = meanings.filter { $0.hasPrefix("node ") && $0.hasSuffix(": damaged") && $0.contains(" of level ") }
      #expect(damaged.count == count, "\(name): \(damaged)")
    }
  }

  @Test("repeated lines are replaced by one *, except the last line of a part")
  func writesRepeatedLinesOnce() throws {
    // The volatile header has a count, and zeros from 0x41 to 0xff. The last line of the zeros is not full.
    var text = ""
    ArchiveDump([UInt8](try ArchiveTree().encoded())).write(to: &text)
    let lines = text.split(separator: "\n")
    let first = try #require(lines.firstIndex { $0.contains("zeros up to 192 bytes") })
    #expect(lines[first].hasPrefix("00000041  00 00 00 00 00 00 00 00 "))
    #expect(lines[first + 1] == "*")
    #expect(lines[first + 2] == "000000f9  00 00 00 00 00 00 00")
    // Only full lines.
    text = ""
    ArchiveDump([UInt8](repeating: 0, count: 32), sensitive: .reveal).write(to: &text)
    #expect(text.split(separator: "\n").map { $0.prefix(33) }.suffix(2) == ["*", "00000018  00 00 00 00 00 00 00 00"])
  }

  @Test("the explanation is separated from any number of masked bytes", arguments: [1, 8, 9, 999_999_999, 1_000_000_000, .max])
  func keepsColumnsApart(_ count: Int) {
    let column = ArchiveDump.column(ArchiveDump.maskText(count))
    #expect(column.count >= 26)
    #expect(column.hasSuffix(" "))
  }

  @Test("after a provider name that cannot be read, nothing is explained as an entry")
  func stopsAtUnreadableProviders() throws {
    var node = ArchiveNode("root", state: ["a": true, "b": true])
    node.provider = ProviderReference(name: "\u{2}x", identifier: "today")
    let bytes = [UInt8](try ArchiveTree(nodes: [node]).encoded())
    // The name is not UTF-8 any more; the same bytes would be an entry whose second key is true.
    let file = try #require(HostileArchive.replacing([2, 2, 0x78, 5], by: [2, 2, 0x80, 5], in: bytes))
    func meanings(_ bytes: [UInt8]) -> [String] {
      var meanings: [String] = []
      ArchiveDump(bytes, sensitive: .reveal).visitPieces { meanings.append($0.meaning) }
      return meanings
    }
    #expect(meanings(bytes).count { $0.hasPrefix("key: ") } == 2)
    #expect(!meanings(file).contains { $0.hasPrefix("key: ") })
  }

  @Test("sensitive values of a keyed archive are masked, whole or cut, binary or not", arguments: [false, true])
  func masksKeyedArchives(isXML: Bool) throws {
    var state: ArchiveDictionary = ["password": "hunter2"]
    state.setSensitive(true, forKey: "password")
    let tree = ArchiveTree(nodes: [ArchiveNode("root", state: state)])
    let keyed = isXML ? try PropertyList(decoding: [UInt8](tree.keyedArchive())).encodedXML().bytes : [UInt8](try tree.keyedArchive())
    for bytes in [keyed, keyed.dropLast(40)] {
      var text = ""
      ArchiveDump(Array(bytes)).write(to: &text)
      #expect(!text.contains("hunter2") && !text.contains("68 75 6e 74") && text.contains("··"))
      text = ""
      ArchiveDump(Array(bytes), sensitive: .reveal).write(to: &text)
      #expect(text.contains("hunter2"))
    }
  }

  @Test("a file cut at any length is explained to its last byte")
  func tilesCutFiles() throws {
    let bytes = try Corpus.bytes(of: "valid/apps/kiosk.rsta")
    for length in 0...bytes.count where length % 7 == 0 || length < 200 {
      var position = 0
      ArchiveDump(Array(bytes.prefix(length))).visitPieces { piece in
        #expect(piece.range.lowerBound == position)
        position = piece.range.upperBound
      }
      #expect(position == length)
    }
  }
}
