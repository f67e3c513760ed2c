extension AppleFixture {
  private static let head = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">

    """

  private static func xml(_ name: String, _ text: String, _ reason: String) -> AppleFixture {
    valid("xml-lists/valid/\(name)", Array(text.utf8), "property-list", reason)
  }

  private static func plist(_ body: String) -> String { head + "<plist version=\"1.0\">\n\(body)\n</plist>\n" }

  /// A fault, at the offset of the only `@` of the text, which is left out.
  private static func broken(_ name: String, _ marked: String, _ code: String, _ reason: String) -> AppleFixture {
    let bytes = Array(marked.utf8)
    let offset = bytes.firstIndex(of: UInt8(ascii: "@"))
    return refused("xml-lists/invalid/\(name)", bytes.filter { $0 != UInt8(ascii: "@") }, code, at: offset, reason)
  }

  static let xmlLists: [AppleFixture] = [
    xml(
      "all-kinds",
      plist(
        """
        <dict>
          <key>string</key> <string>a &lt;b&gt; &amp; &quot;c&quot; &apos;d&apos; &#233;&#x20AC;</string>
          <key>character data</key> <string><![CDATA[<not a tag> &amp;]]></string>
          <key>empty</key> <string/>
          <key>integers</key> <array><integer>-42</integer><integer>+7</integer><integer>0x1F</integer><integer>18446744073709551615</integer></array>
          <key>reals</key> <array><real>1.5</real><real>-1e-3</real><real>inf</real></array>
          <key>flags</key> <array><true/><false/></array>
          <key>date</key> <date>2026-11-24T12:30:00Z</date>
          <key>data</key> <data>
            AAEC
            /w==
          </data>
          <!-- a comment -->
          <key>uid</key> <dict><key>CF$UID</key><integer>3</integer></dict>
        </dict>
        """), "every element of property lists, predefined entities, character references, a UID"),
    xml("without-plist-element", "<?xml version=\"1.0\"?><array><string>a</string></array>", "a value without the element around it"),
    xml("byte-order-mark", "\u{FEFF}" + plist("<true/>"), "a byte order mark before the declaration"),
    broken("unknown-entity", plist("<string>@&writer;</string>"), "xml-entity", "no entity but the five predefined ones is expanded"),
    broken(
      "declared-entity", "<?xml version=\"1.0\"?>\n<!DOCTYPE plist @[<!ENTITY a \"&a;&a;\">]>\n<plist><string>&a;</string></plist>",
      "xml-entity", "a document type has no declarations"),
    broken("surrogate-reference", plist("<string>@&#xD800;</string>"), "xml-entity", "a character reference to no character"),
    broken("other-encoding", "@<?xml version=\"1.0\" encoding=\"UTF-16\"?><plist><true/></plist>", "xml-encoding", "UTF-8 only"),
    broken("wrong-end-tag", plist("<array><string>a</string>@</dict>"), "xml-syntax", "elements are nested"),
    broken("key-without-value", plist("<dict><key>a</key>@</dict>"), "xml-syntax", "a key has a value"),
    broken("value-without-key", plist("<dict>@<true/></dict>"), "xml-syntax", "a value in a dictionary has a key"),
    broken("unknown-element", plist("@<float>1</float>"), "xml-syntax", "an element that property lists do not have"),
    broken("text-in-integer", plist("@<integer>seven</integer>"), "xml-value", "an integer has digits"),
    broken("date-without-time", plist("@<date>2026-11-24</date>"), "xml-value", "a date has a time"),
    broken("data-cut-off", plist("@<data>AAE</data>"), "xml-value", "base64 has padding"),
    broken("two-values", plist("<true/>\n@<false/>"), "xml-syntax", "there is one value"),
    broken("cut-off", head + "<plist><array><string>a@", "xml-syntax", "the end of the file in an element"),
    refused(
      "xml-lists/invalid/key-twice", Array("<plist><dict><key>a</key><true/><key>a</key><true/></dict></plist>".utf8), "repeated-key",
      at: 7, "a key occurs once"),
    refused(
      "xml-lists/hostile/513-levels", Array(("<plist>" + String(repeating: "<array>", count: 513)).utf8), "import-depth",
      at: 7 + 7 * 512, "one level more than the limit"),
  ]
}
