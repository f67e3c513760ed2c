extension Vectors {
  static let strings: [Specimen] = [
    value("string-empty", "", "An empty string is one byte."),
    value("string-short", "hello", "A short string: its length is in the tag."),
    value("string-63-bytes", .string(String(repeating: "s", count: 63)), "The longest short string."),
    value("string-64-bytes", .string(String(repeating: "l", count: 64)), "The shortest long string."),
    value("string-200-bytes", .string(String(repeating: "0123456789", count: 20)), "A long string whose length takes two bytes."),
    value("string-non-bmp", "clef \u{1d11e}, face \u{1f600}", "Scalar values beyond U+FFFF are four bytes."),
    value("string-last-scalar", "\u{10ffff}\u{fffe}", "Noncharacters are well-formed and kept."),
    value(
      "string-borders-of-utf-8",
      .array(
        [
          "\u{0}", "\u{7f}", "\u{80}", "\u{7ff}", "\u{800}", "\u{fff}", "\u{1000}", "\u{cfff}", "\u{d000}", "\u{d7ff}", "\u{e000}",
          "\u{ffff}", "\u{10000}", "\u{3ffff}", "\u{40000}", "\u{fffff}", "\u{100000}", "\u{10ffff}",
        ].map { .string($0) }),
      "The least and the greatest scalar value behind each first byte that has its own rule."),
    value("string-nfc-and-nfd", "\u{e9} e\u{301}", "Composed and decomposed text stay what they are."),
    value(
      "string-bidirectional", "abc \u{202e}\u{5d0}\u{5d1}\u{5d2}\u{202c} \u{200f}!",
      "The JSON form escapes bidirectional controls, not letters."),
    value(
      "string-controls", "\u{0}\u{7}\u{8}\t\n\u{c}\r\u{1b}\u{7f}\u{85}\u{feff}\u{2028}\"\\/",
      "What the JSON form escapes, and the slash, which it does not."),
  ]
}
