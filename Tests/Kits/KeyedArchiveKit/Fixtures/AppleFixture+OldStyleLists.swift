extension AppleFixture {
  private static func list(_ name: String, _ text: String, _ reason: String) -> AppleFixture {
    valid("old-lists/valid/\(name)", Array(text.utf8), "property-list", reason)
  }

  /// A fault, at the offset of the only `@` of the text, which is left out.
  private static func broken(_ name: String, _ marked: String, _ reason: String) -> AppleFixture {
    let bytes = Array(marked.utf8)
    return refused(
      "old-lists/invalid/\(name)", bytes.filter { $0 != UInt8(ascii: "@") }, "list-syntax", at: bytes.firstIndex(of: UInt8(ascii: "@")),
      reason)
  }

  static let oldStyleLists: [AppleFixture] = [
    list(
      "all-kinds",
      """
      // a comment
      { word = a.b/c:d_e-f$g; "quoted" = 'single "marks"'; number = 12; /* a comment */ data = <0fbd77 1c27>;
        array = (x, "y z", (), {}, <>, ); dictionary = { a = b; }; shorthand; }
      """, "every kind of value, comments, an optional last comma, a key without a value"),
    list("table-of-strings", "/* The title */\n\"title\" = \"Titel\";\n\"same\";\n'other' = word;\n", "a table of strings"),
    list("table-with-words", "NSHumanReadableCopyright = \"(c) 2026\";\n", "keys without quotation marks"),
    list("array", "( a, b, )", "an array at the top"), list("data", "<0011 2233>", "data at the top"),
    list(
      "escapes", #""k" = "\a\b\f\n\r\t\v\"\'\\\q \U00e9\U20AC\Ud83d\Ude00\U9x \101\0\351\200";"#,
      "every escape; octal digits are bytes of the NextStep encoding, pairs of surrogates a character"),
    valid(
      "old-lists/valid/utf-16", "\u{FEFF}\"é\" = \"😀\";".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }, "property-list",
      "a table of strings in UTF-16 with a byte order mark"),
    list("byte-order-mark", "\u{FEFF}\"a\" = \"b\";", "a table of strings in UTF-8 with a byte order mark"),
    list("512-levels", String(repeating: "(", count: 512) + String(repeating: ")", count: 512), "the depth limit"),
    odd(
      "old-lists/odd/key-twice", Array("{ a = b; a = c; }".utf8), "property-list", "repeated-key", at: 0,
      "a key twice; both values are kept"),
    odd(
      "old-lists/odd/lone-surrogate", Array(#""a" = "x\Ud83dy";"#.utf8), "property-list", losses: 1, "ill-formed-text", at: 6,
      "half of a surrogate pair as an escape"),
    odd(
      "old-lists/odd/octal-escape-of-no-character", Array(#""a" = "x\376y";"#.utf8), "property-list", losses: 1, "ill-formed-text", at: 6,
      "the NextStep encoding has no characters 376 and 377"),
    odd(
      "old-lists/odd/utf-16-odd-length", "\u{FEFF}{ a = b; }".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] } + [0x41],
      "property-list", "list-syntax", at: 22, "half of a code unit at the end"),
    broken("octal-escape-above-377", #"{ a = "\4@00"; }"#, "an octal escape is a byte"),
    broken("no-semicolon", "{ a = b @}", "an entry ends with a semicolon"),
    broken("no-semicolon-in-table", "\"a\" = \"b\"\n@\"c\" = \"d\";", "an entry of a table ends with a semicolon"),
    broken("no-comma", "{ a = (x @y); }", "elements have commas between them"),
    broken("cut-off", "{ a = \"x@", "the file ends within a string"),
    broken("text-after-end", "{ a = b; } @junk", "there is one value"),
    broken("odd-digits", "{ a = <001>@; }", "data has pairs of digits"),
    broken("other-character-in-data", "{ a = <00@*11>; }", "data has digits and white space"),
    broken("word-with-umlaut", "{ a = @é; }", "a word has characters of ASCII"),
    broken("comment-without-end", "{ a = b; } /* c@", "a comment has an end"),
    broken("escape-without-digits", #"{ a = "\U@g"; }"#, "an escape of a code unit has digits"),
    refused(
      "old-lists/invalid/ill-formed-text", Array("\"a\" = \"".utf8) + [0xE9] + Array("\";".utf8), "ill-formed-text", at: 6,
      "a string is UTF-8"),
    refused(
      "old-lists/hostile/513-levels", Array(String(repeating: "(", count: 513).utf8), "import-depth", at: 512,
      "one level more than the limit"),
  ]

  private static func other(_ name: String, _ bytes: [UInt8], _ reason: String) -> AppleFixture {
    refused("other-formats/invalid/\(name)", bytes, "not-a-property-list", at: 0, reason)
  }

  static let otherFormats: [AppleFixture] = [
    other("binary-version-15", Array("bplist15".utf8) + [UInt8](repeating: 0, count: 40), "a later version of the binary form"),
    other("nib-archive", Array("NIBArchive".utf8) + [1, 0, 0, 0, 9, 0, 0, 0], "a NIB archive"),
    other("typed-stream", [4, 0x0B] + Array("streamtyped".utf8) + [0x81, 0xE8, 3], "a typed stream"),
    other("large-file-pointer", Array("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n".utf8), "a pointer of Git LFS"),
    other("annex-pointer", Array("/annex/objects/SHA256E-s1--00\n".utf8), "a pointer of git-annex"),
    other(
      "utf-16-without-mark", "<?xml version=\"1.0\"?><plist/>".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] },
      "UTF-16 without a byte order mark"),
    other("json", Array("{ \"a\": 1 }".utf8), "JSON begins as an old-style list"),
    other("settings", Array("key = value\nother = value\n".utf8), "settings of another program"),
    other("text-in-parentheses", Array("(draft) A letter".utf8), "text"),
  ]
}
