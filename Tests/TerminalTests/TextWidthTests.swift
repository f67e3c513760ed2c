import Terminal
import Testing

@Suite struct TextWidthTests {
  @Test(
    "wide, combining, invisible and ordinary characters have the right widths",
    arguments: [
      ("a", 1), ("é", 1), ("e\u{301}", 1), ("漢", 2), ("カ", 2), ("한", 2), ("😀", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("ש", 1), ("ع", 1), ("\u{301}", 0),
      ("\u{200B}", 0), ("❤\u{FE0F}", 2), ("ｱ", 1), ("！", 2), ("", 0), ("abc漢", 5), ("\u{7}", 1),
    ])
  func columns(_ text: String, _ count: Int) {
    #expect(TextWidth.columns(of: text) == count)
  }
}
