import Terminal
import TestStage
import Testing

@Suite struct KeyParserTests {
  private static let typed: [(String, [Key])] = [
    ("aé漢", [.character("a"), .character("é"), .character("漢")]), ("\r\n", [.enter, .enter]), ("\t", [.tab]),
    ("\u{7F}\u{8}", [.backspace, .backspace]), ("\u{11}", [.control("q")]), ("\u{1A}", [.control("z")]),
    ("\u{1B}[A\u{1B}[B\u{1B}OC\u{1B}[D", [.up, .down, .right, .left]), ("\u{1B}[H\u{1B}[4~", [.home, .end]),
    ("\u{1B}[3~\u{1B}[5~\u{1B}[6~", [.delete, .pageUp, .pageDown]),
    ("\u{1B}[200~two\nlines\u{1B}[201~x", [.paste("two\nlines"), .character("x")]),
    ("\u{1B}x", [.escape, .character("x")]), ("\u{1B}[99;99;99Rq", [.character("q")]),
    ("\u{1B}[<0;12;3M\u{1B}[<0;12;3mx", [.click(row: 2, column: 11), .character("x")]),
    ("\u{1B}[<64;1;1M\u{1B}[<65;80;24M", [.wheel(lines: -3, row: 0, column: 0), .wheel(lines: 3, row: 23, column: 79)]),
    ("\u{1B}[<2;1;1M\u{1B}[<0;1M\u{1B}[<0;99999;1Mx", [.character("x")]),
  ]

  @Test("keys are recognized however their bytes are split", arguments: typed)
  func parses(_ text: String, _ keys: [Key]) {
    let bytes = Array(text.utf8)
    for cut in 0...bytes.count {
      var parser = KeyParser()
      #expect(parser.parse(bytes[..<cut]) + parser.parse(bytes[cut...]) == keys, "cut at \(cut)")
    }
    var slow = KeyParser()
    #expect(bytes.flatMap { slow.parse([$0]) } == keys)
  }

  @Test("a lone escape character is the escape key once no bytes follow")
  func knowsEscape() {
    var parser = KeyParser()
    #expect(parser.parse([0x1B]) == [])
    #expect(parser.finish() == [.escape])
    #expect(parser.finish() == [])
  }

  @Test(
    "a paste and a character are whole, however long the pauses in them", arguments: ["\u{1B}[200~first half, x\u{11}y\u{1B}[201~q", "你q"])
  func waits(_ text: String) {
    let bytes = Array(text.utf8)
    var whole = KeyParser()
    let keys = whole.parse(bytes)
    // A pause after the escape character alone makes it the key.
    for cut in 0...bytes.count where cut > 2 || bytes[0] != 0x1B {
      var parser = KeyParser()
      #expect(parser.parse(bytes[..<cut]) + parser.finish() + parser.parse(bytes[cut...]) == keys, "cut at \(cut)")
    }
  }

  @Test("a long paste is delivered in parts, and nothing of it is taken for keys", arguments: [70_000, 200_001])
  func deliversParts(_ count: Int) {
    let text = String(repeating: "x\u{11}é漢", count: count / 7)
    let bytes = Array("\u{1B}[200~\(text)\u{1B}[201~q".utf8)
    var parser = KeyParser()
    var keys: [Key] = []
    for start in stride(from: 0, to: bytes.count, by: 4096) {
      keys += parser.parse(bytes[start..<min(start + 4096, bytes.count)]) + parser.finish()
    }
    #expect(keys.last == .character("q"))
    var pasted = ""
    for case .paste(let part) in keys { pasted += part }
    #expect(pasted == text && keys.dropLast().allSatisfy { if case .paste = $0 { true } else { false } })
  }

  @Test("a byte that no character begins with does not hold back the keys after it")
  func dropsHalfCharacters() {
    var parser = KeyParser()
    #expect(parser.parse([0xE9]) + parser.finish() + parser.parse(Array("q".utf8)) == [.character("q")])
  }

  @Test("invalid bytes are discarded, and the keys after them are read", arguments: TestStage.seeds(30, exhaustive: 200))
  func survives(_ seed: UInt64) {
    var parser = KeyParser()
    var number = seed + 1
    for _ in 0..<300 {
      number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      _ = parser.parse([UInt8(truncatingIfNeeded: number >> 40)])
    }
    _ = parser.parse([UInt8](repeating: 0, count: 1 << 17))
    _ = parser.parse(Array("\u{1B}[201~".utf8))
    _ = parser.finish()
    #expect(parser.parse(Array("q".utf8)).last == .character("q"))
  }
}
