import CorpusKit
import Testing

/// The syntax of `.hex` files, as described in `Corpus/README.md`.
@Suite struct HexNotationTests {
  @Test(
    "sources are assembled into the bytes they describe",
    arguments: [
      ("", []), ("# nothing\n\n", []), ("00 ff\n7F", [0x00, 0xff, 0x7f]), ("0102", [1, 2]), ("\t01 # 02\r\n03", [1, 3]),
      ("00*3 01*0 02*1", [0, 0, 0, 2]), ("0102*2", [1, 2, 2]), ("\"a#b\"#c", [0x61, 0x23, 0x62]), ("\"\"", []),
      ("01\"*2\"", [1, 0x2a, 0x32]),
      ("01 02 03\n@at 1\nff\n@append\n04", [1, 0xff, 3, 4]), ("01 02 03\n@truncate 0x1\n09", [1, 9]), ("01 02\n@at 0\n", [1, 2]),
      ("01 02\n@at 2 # the end\n@append\n03", [1, 2, 3]),
    ] as [(String, [UInt8])])
  func assembles(_ source: String, _ bytes: [UInt8]) throws {
    #expect(try HexNotation.assemble(source) == bytes)
  }

  @Test(
    "syntax errors are reported with their lines",
    arguments: [
      ("0", 1), ("01\n0g", 2), ("01 2", 1), ("00*", 1), ("00*x", 1), ("00*99999999999", 1), ("\"open", 1), ("\"caf\u{e9}\"", 1), ("*3", 1),
      ("@base", 1), ("01\n@base x", 2), ("01\n@at 1\n02", 3), ("01\n@at 5", 2), ("01\n@truncate 2", 2), ("@append 1", 1), ("@at", 1),
      ("@at 0 0", 1), ("@at -1", 1), ("@other", 1), ("@", 1), ("01 @append", 1),
    ])
  func refuses(_ source: String, line: Int) {
    #expect { try HexNotation.assemble(source) { _ in [] } } throws: { ($0 as? HexNotationError)?.line == line }
  }

  @Test func startsFromBase() throws {
    let bytes = try HexNotation.assemble("# first a comment\n@base ../b.hex\n@at 1\n00\n@append\nff") { path in
      #expect(path == "../b.hex")
      return [1, 2, 3]
    }
    #expect(bytes == [1, 0, 3, 0xff])
  }

  @Test func textIsDecodedAsItStands() throws {
    #expect(try HexNotation.assemble("\"back\\slash\"") == Array("back\\slash".utf8))
  }
}
