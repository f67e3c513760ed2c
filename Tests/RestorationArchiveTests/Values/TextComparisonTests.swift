import RestorationArchive
import Testing

/// Which texts are compared in what way.
@Suite struct TextComparisonTests {
  @Test("a run of more than 256 combining marks is excessive, wherever it is")
  func countsMarks() {
    for mark in ["\u{301}", "\u{327}", "\u{344}", "\u{F71}", "\u{F73}", "\u{F75}", "\u{F81}", "\u{1D165}"] {
      let most = String(repeating: mark, count: 256)
      for text in [most, "a\(most)", "\(most)a\(most)", "日\(most)本"] {
        #expect(!text.hasExcessiveMarks)
        #expect("\(text)\(most)\(mark)".hasExcessiveMarks && "\(most)\(mark)\(text)".hasExcessiveMarks)
      }
    }
    for text in ["", "a", "日本語", "e\u{301}", "\u{1100}\u{1161}\u{11A8}", "👩‍👩‍👧"] {
      #expect(!text.hasExcessiveMarks && !String(repeating: text, count: 10_000).hasExcessiveMarks)
    }
  }

  @Test("names are ASCII of up to 64 bytes")
  func knowsNames() {
    #expect("NSNull".asKnownName == "NSNull" && "".asKnownName.isEmpty)
    #expect("\u{212A}".asKnownName.isEmpty, "the sign of kelvins is canonically equal to a K")
    #expect(String(repeating: "a", count: 64).asKnownName.count == 64 && String(repeating: "a", count: 65).asKnownName.isEmpty)
    #expect("$a".beginsWith("$") && !"a$".beginsWith("$") && "$\u{301}".beginsWith("$") && !"".beginsWith("$"))
  }

  @Test("keys are equal if their bytes are")
  func comparesKeys() {
    #expect(TextKey("caf\u{E9}") != TextKey("cafe\u{301}") && TextKey("a") == TextKey("a"))
    #expect(Set(["caf\u{E9}", "cafe\u{301}", "caf\u{E9}"].map { TextKey($0) }).count == 2)
  }

  @Test("a long text is shortened for display")
  func shortens() {
    let long = String(repeating: "k", count: 1025)
    #expect(String(repeating: "k", count: 1024).shortenedForDisplay.count == 1024)
    #expect(long.shortenedForDisplay == "\(long.prefix(256))…" && "a\u{7}".shortenedForDisplay == "a\\u{7}")
  }
}
