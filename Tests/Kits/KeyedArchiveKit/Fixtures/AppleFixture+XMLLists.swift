extension AppleFixture {
  private static let head = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">

    """

  private static func xml(_ name: String, _ text: String, _ reason: String) -> AppleFixture {
    valid("xml-lists/valid/\(name)", Array(text.utf8), "property-list", reason)
  }

  /// A list with an oddity, at the offset of the only `@` of the text, which is left out.
  private static func odd(_ name: String, _ marked: String, _ code: String, _ reason: String, losses: Int = 0) -> AppleFixture {
    let bytes = Array(marked.utf8)
    let offset = bytes.firstIndex(of: UInt8(ascii: "@"))
    return odd(
      "xml-lists/odd/\(name)", bytes.filter { $0 != UInt8(ascii: "@") }, "property-list", losses: losses, code, at: offset, reason)
  }

  private static func utf16(_ text: String, isBigEndian: Bool) -> [UInt8] {
    "\u{FEFF}\(text)".utf16.flatMap { isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)] }
  }

  private static func utf32(_ text: String, isBigEndian: Bool) -> [UInt8] {
    "\u{FEFF}\(text)".unicodeScalars.flatMap { scalar in
      let bytes = RawPropertyList.integer(UInt64(scalar.value), 4)
      return isBigEndian ? bytes : bytes.reversed()
    }
  }

  private static let inUTF16 = "<?xml version=\"1.0\" encoding=\"UTF-16\"?>\n<plist><string>é€😀</string></plist>"

  private static func plist(_ body: String) -> String { head + "<plist version=\"1.0\">\n\(body)\n</plist>\n" }

  /// A fault, at the offset of the only `@` of the text, which is left out.
  private static func broken(_ name: String, _ marked: String, _ code: String, _ reason: String) -> AppleFixture {
    let bytes = Array(marked.utf8)
    let offset = bytes.firstIndex(of: UInt8(ascii: "@"))
    return refused("xml-lists/invalid/\(name)", bytes.filter { $0 != UInt8(ascii: "@") }, code, at: offset, reason)
  }

  static let xmlLists: [AppleFixture] = validXML + oddXML + invalidXML

  private static let validXML: [AppleFixture] = [
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
    xml(
      "dictionaries-that-are-no-uids",
      plist(
        """
        <array>
          <dict><key>CF$UID</key><integer>4294967295</integer></dict>
          <dict><key>CF$UID</key><integer>4294967296</integer></dict>
          <dict><key>CF$UID</key><integer>-1</integer></dict>
          <dict><key>CF$UID</key><string>3</string></dict>
          <dict><key>CF$UID</key><integer>3</integer><key>b</key><true/></dict>
        </array>
        """), "the largest UID; with any other value, or with another key, a dictionary with CF$UID is a dictionary (R-K2-3)"),
    xml("without-plist-element", "<?xml version=\"1.0\"?><array><string>a</string></array>", "a value without the element around it"),
    xml("byte-order-mark", "\u{FEFF}" + plist("<true/>"), "a byte order mark before the declaration"),
    xml(
      "dates-of-all-years",
      plist(
        "<array>"
          + ["0000-12-30T00:00:00Z", "-0001-01-01T00:00:00Z", "-218-10-15T19:33:20Z", "10000-01-01T00:00:00Z", "999999999-12-31T23:59:59Z"]
          .map { "<date>\($0)</date>" }.joined() + "</array>"),
      "Date.distantPast as Foundation writes it, years before 0, years of five and more digits"),
    xml("comment-first", "<!-- Copyright -->\n<plist><true/></plist>", "a comment before the list, and no declaration"),
    xml("element-first", " \n<dict><key>a</key><true/></dict>", "a value alone, after white space"),
    xml(
      "mark-of-utf-8-declared-as-latin-1", "\u{FEFF}<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><plist><string>é</string></plist>",
      "the mark decides, not the declaration"),
    xml("mark-and-space", "\u{FEFF} \n" + plist("<true/>"), "white space between the byte order mark and the declaration"),
    xml("attributes", "<plist version='1.0' a:b = \"/\"><string xml:space=\"preserve\"> a </string></plist>", "attributes are skipped"),
    valid(
      "xml-lists/valid/utf-16-little-endian", utf16(inUTF16, isBigEndian: false), "property-list", "UTF-16 with a byte order mark"),
    valid("xml-lists/valid/utf-16-big-endian", utf16(inUTF16, isBigEndian: true), "property-list", "UTF-16 with a byte order mark"),
    valid("xml-lists/valid/utf-32-little-endian", utf32(inUTF16, isBigEndian: false), "property-list", "UTF-32 with a byte order mark"),
    valid("xml-lists/valid/utf-32-big-endian", utf32(inUTF16, isBigEndian: true), "property-list", "UTF-32 with a byte order mark"),
    valid(
      "xml-lists/valid/utf-16-declared-as-utf-8", utf16(plist("<string>é</string>"), isBigEndian: false), "property-list",
      "the mark decides, not the declaration"),
    valid(
      "xml-lists/valid/latin-1",
      Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><plist><string>a".utf8) + [0xE9] + Array("</string></plist>".utf8),
      "property-list", "a declaration of Latin-1"),
  ]

  private static let oddXML: [AppleFixture] = [
    odd(
      "key-twice", "<plist>@<dict><key>a</key><integer>1</integer><key>a</key><integer>2</integer></dict></plist>", "repeated-key",
      "a key twice: the first value is under the key, the other in $entries"),
    odd(
      "key-twice-inside", plist("<dict><key>ports</key> @<dict><key>a</key><true/><key>a</key><false/></dict></dict>"), "repeated-key",
      "a key twice in an inner dictionary, as in launch daemons"),
    odd("zero-after-end", plist("<true/>") + "@\0", "xml-syntax", "a zero byte behind the end"),
    odd("text-after-end", plist("<true/>") + "@junk <b>", "xml-syntax", "text behind the end"),
    odd("list-after-end", plist("<true/>") + "@<plist><false/></plist>", "xml-syntax", "a second list behind the end"),
    odd("value-after-value", "<true/>@<false/>", "xml-syntax", "a second value, without the element around both"),
    odd(
      "attribute-without-name", plist("<string@ =\">apple</string><!--<string \">other</string><!---->"), "xml-syntax",
      "a tag ends at its first >, whatever the quotation marks"),
    odd("attribute-with-end-of-tag", plist("<string@ a=\">\">x</string>"), "xml-syntax", "a > in an attribute ends the tag"),
    odd("attribute-without-value", plist("<string@ a>x</string>"), "xml-syntax", "an attribute without a value is skipped"),
    odd("slash-and-space", plist("<string@ / >x</string>"), "xml-syntax", "an empty element ends with the two characters />"),
    odd(
      "data-without-padding", plist("<array>@<data>AAE</data><data>AAECAw</data></array>"), "xml-value",
      "base64 without padding gives all its bytes"),
    odd("data-left-over-bits", plist("@<data>QR==</data>"), "xml-value", "four bits are left over", losses: 1),
    odd("data-left-over", plist("@<data>AAECA</data>"), "xml-value", "six bits are left over", losses: 1),
    odd("data-with-other-characters", plist("@<data>AA*EC</data>"), "xml-value", "other characters are skipped", losses: 1),
    odd("data-after-padding", plist("@<data>AAE=AAE=</data>"), "xml-value", "a second base64 text behind the padding"),
    odd("data-padding-only", plist("@<data>====</data>"), "xml-value", "padding of nothing"),
    odd("key-as-value", plist("<dict><key>a</key>@<key>b</key></dict>"), "xml-syntax", "a key in the place of a value is a string"),
    odd("key-in-array", plist("<array>@<key>a</key></array>"), "xml-syntax", "a key in an array is a string"),
    odd("key-at-top", plist("@<key>a</key>"), "xml-syntax", "a key at the top is a string"),
    odd("real-out-of-range", plist("<array>@<real>1e999</real><real>-inf</real></array>"), "xml-value", "no number in range", losses: 1),
    odd("date-of-day-0", plist("@<date>2026-03-00T00:00:00Z</date>"), "xml-value", "a day 0 is the day before the first"),
    odd("date-of-leap-second", plist("@<date>2016-12-31T23:59:60Z</date>"), "xml-value", "a second 60 is the next minute"),
    odd("date-of-midnight", plist("@<date>2026-01-01T24:00:00Z</date>"), "xml-value", "an hour 24 is the next day"),
    odd("date-of-no-day", plist("@<date>2026-02-30T00:00:00Z</date>"), "xml-value", "a day after the last is in the next month"),
    odd("date-of-short-year", plist("@<date>26-01-01T00:00:00Z</date>"), "xml-value", "a year of two digits is the year 26"),
    odd(
      "xml-lists/odd/utf-16-lone-surrogate",
      Array(utf16("<plist><string>a", isBigEndian: false)) + [0x3D, 0xD8]
        + Array(utf16("b</string></plist>", isBigEndian: false).dropFirst(2)),
      "property-list", losses: 1, "ill-formed-text", at: 34, "half of a surrogate pair in UTF-16"),
    odd(
      "xml-lists/odd/utf-16-odd-length", utf16("<plist><true/></plist>", isBigEndian: false) + [0x0A], "property-list", "xml-syntax",
      at: 46, "half of a code unit at the end"),
  ]

  private static let invalidXML: [AppleFixture] = [
    broken("unknown-entity", plist("<string>@&writer;</string>"), "xml-entity", "no entity but the five predefined ones is expanded"),
    broken(
      "declared-entity", "<?xml version=\"1.0\"?>\n<!DOCTYPE plist @[<!ENTITY a \"&a;&a;\">]>\n<plist><string>&a;</string></plist>",
      "xml-entity", "a document type has no declarations"),
    broken("signed-reference", plist("<string>@&#+65;</string>"), "xml-entity", "the number of a character has no sign"),
    broken("surrogate-reference", plist("<string>@&#xD800;</string>"), "xml-entity", "a character reference to no character"),
    broken(
      "other-encoding", "@<?xml version=\"1.0\" encoding=\"UTF-16\"?><plist><true/></plist>", "xml-encoding",
      "UTF-16 is declared and is not there"),
    broken("unknown-encoding", "@<?xml version=\"1.0\" encoding=\"bogus\"?><plist><true/></plist>", "xml-encoding", "no known encoding"),
    broken("month-13", plist("@<date>2026-13-01T00:00:00Z</date>"), "xml-value", "a month that does not exist gives no date"),
    broken("end-tag-with-attribute", plist("<string>a</string@ b=\"c\">"), "xml-syntax", "an end tag has no attributes"),
    broken("no-end-of-list", head + "<plist><true/>@", "xml-syntax", "the list has no end"),
    broken("web-page", "<!-- page -->@<html></html>", "xml-syntax", "a comment, and something else than a list"),
    broken("wrong-end-tag", plist("<array><string>a</string>@</dict>"), "xml-syntax", "elements are nested"),
    broken("key-without-value", plist("<dict><key>a</key>@</dict>"), "xml-syntax", "a key has a value"),
    broken("value-without-key", plist("<dict>@<true/></dict>"), "xml-syntax", "a value in a dictionary has a key"),
    broken("unknown-element", plist("@<float>1</float>"), "xml-syntax", "an element that property lists do not have"),
    broken("text-in-integer", plist("@<integer>seven</integer>"), "xml-value", "an integer has digits"),
    broken("date-without-time", plist("@<date>2026-11-24</date>"), "xml-value", "a date has a time"),
    broken("two-values", plist("<true/>\n@<false/>"), "xml-syntax", "there is one value"),
    broken("cut-off", head + "<plist><array><string>a@", "xml-syntax", "the end of the file in an element"),
    refused(
      "xml-lists/hostile/513-levels", Array(("<plist>" + String(repeating: "<array>", count: 513)).utf8), "import-depth",
      at: 7 + 7 * 512, "one level more than the limit"),
  ]
}
