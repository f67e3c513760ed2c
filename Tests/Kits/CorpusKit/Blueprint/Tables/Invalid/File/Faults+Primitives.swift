extension Faults {
  static let varints: [Specimen] = [
    .fault(
      "varint-not-minimal-in-metadata", of: Samples.empty, [Finding("varint-not-minimal", at: "keys.count", "R-5.1-1")],
      "A needless last byte of 0."
    ) { try $0.set("keys.count", [0x80, 0x00], right: "00") },
    varint("varint-not-minimal-in-two-bytes", "varint-not-minimal", "R-5.1-1", "81 00", "1 in two bytes", "01"),
    varint("varint-not-minimal-in-five-bytes", "varint-not-minimal", "R-5.1-1", "81 80 80 80 00", "1 in five bytes", "01"),
    varint("varint-2-to-the-32", "varint-too-large", "R-5.1-2", "80 80 80 80 10", "2^32", "ff ff ff ff 0f at most"),
    varint("varint-2-to-the-35-less-1", "varint-too-large", "R-5.1-2", "ff ff ff ff 7f", "2^35 - 1", "ff ff ff ff 0f at most"),
    varint(
      "varint-of-six-bytes", "varint-too-large", "R-5.1-2", "80 80 80 80 80 01",
      "2^35: found at the fifth byte, which says that a sixth follows",
      "five bytes at most"),
    varint("varint-without-end", "varint-too-large", "R-5.1-2", "ff*12", "a varint that goes on and on", "five bytes at most"),
    record(
      "varint-cut", "unexpected-end", "R-5.3-1", key: "a",
      [.good("01", "key a"), .good("07", "data"), .bad("80", "the length: another byte should follow", right: "00")],
      "The record ends within a varint."),
    .fault(
      "varint-cut-in-metadata", of: Samples.empty, [Finding("unexpected-end", at: "keys.count", "R-5.3-1")],
      "The metadata ends within a varint."
    ) { try $0.set("keys.count", [0x80], right: "00") },
  ]

  private static func varint(
    _ name: String, _ code: String, _ rule: String, _ source: String, _ meaning: String, _ right: String
  ) -> Specimen {
    let parts: [Part] = [.good("07", "data"), .bad(source, "its length: \(meaning)", right: right), .good("\"x\"", "its byte")]
    return value(name, code, rule, parts, "The length of a value is \(meaning).")
  }

  static let text: [Specimen] = [
    utf8("lone-continuation-byte", "80", "a continuation byte without a first one"),
    utf8("overlong-of-two-bytes", "c0 80", "U+0000 in two bytes"),
    utf8("overlong-of-two-bytes-ascii", "c1 bf", "U+007F in two bytes"),
    utf8("overlong-of-three-bytes", "e0 9f bf", "U+07FF in three bytes"),
    utf8("overlong-of-four-bytes", "f0 8f bf bf", "U+FFFF in four bytes"),
    utf8("high-surrogate", "ed a0 80", "U+D800"),
    utf8("low-surrogate", "ed bf bf", "U+DFFF"),
    utf8("surrogate-pair", "ed a0 bd ed b8 80", "U+1F600 as two surrogates of three bytes each"),
    utf8("above-the-last-scalar", "f4 90 80 80", "U+110000"),
    utf8("byte-f5", "f5 80 80 80", "a first byte that no scalar value has"),
    utf8("byte-fe", "fe", "a byte that never occurs"),
    utf8("byte-ff", "ff", "a byte that never occurs"),
    utf8("cut-by-the-end", "f0 9f 98", "three of four bytes, then the end"),
    utf8("cut-by-ascii", "e2 82 41", "two of three bytes, then a letter"),
    utf8("second-byte-7f-behind-c2", "c2 7f", "a second byte one less than any"),
    utf8("second-byte-c0-behind-df", "df c0", "a second byte one more than any"),
    utf8("second-byte-c0-behind-e0", "e0 c0 80", "a second byte one more than any"),
    utf8("second-byte-7f-behind-e1", "e1 7f 80", "a second byte one less than any"),
    utf8("second-byte-c0-behind-ef", "ef c0 80", "a second byte one more than any"),
    utf8("second-byte-7f-behind-ed", "ed 7f 80", "a second byte one less than any"),
    utf8("second-byte-c0-behind-f0", "f0 c0 80 80", "a second byte one more than any"),
    utf8("second-byte-7f-behind-f1", "f1 7f 80 80", "a second byte one less than any"),
    utf8("second-byte-c0-behind-f3", "f3 c0 80 80", "a second byte one more than any"),
    utf8("second-byte-7f-behind-f4", "f4 7f 80 80", "a second byte one less than any"),
    utf8("third-byte-7f", "e1 80 7f", "a third byte one less than any"),
    utf8("third-byte-c0", "e1 80 c0", "a third byte one more than any"),
    utf8("fourth-byte-7f", "f1 80 80 7f", "a fourth byte one less than any"),
    utf8("fourth-byte-c0", "f1 80 80 c0", "a fourth byte one more than any"),
    utf8("latin-1", "e9 74 e9", "text in Latin-1"),
    value(
      "utf-8-ill-formed-in-long-string", "invalid-utf8", "R-5.2-1",
      [
        .good("06 46", "string of 70 bytes"), .good("61*69", "its first 69 bytes"),
        .bad("c3", "its last byte", right: "a whole scalar value"),
      ],
      "A long string that ends within a scalar value."),
  ]

  private static func utf8(_ name: String, _ source: String, _ meaning: String) -> Specimen {
    let size = (try? HexNotation.assemble(source).count) ?? 0
    let parts: [Part] = [
      .good("\(String(0x82 + size, radix: 16)) \"ab\"", "string of \(2 + size) bytes, two of them right"),
      .bad(source, meaning, right: "well-formed UTF-8"),
    ]
    return value("utf-8-\(name)", "invalid-utf8", "R-5.2-1", parts, "Not well-formed UTF-8: \(meaning).")
  }

  static let bounds: [Specimen] = [
    length("array-past-end", "04", "array", "03", "3 bytes, of which two are there", "02"),
    length("array-of-2-to-the-31-bytes", "04", "array", "80 80 80 80 08", "2^31 bytes", "02"),
    length("array-of-2-to-the-32-less-1-bytes", "04", "array", "ff ff ff ff 0f", "2^32 - 1 bytes", "02"),
    length("dictionary-past-end", "05", "dictionary", "03", "3 bytes, of which two are there", "02"),
    length("long-string-past-end", "06", "string", "40", "64 bytes, of which two are there", "so many bytes"),
    length("data-past-end", "07", "data", "03", "3 bytes, of which two are there", "02"),
    length(
      "data-of-2-to-the-32-less-1-bytes", "07", "data", "ff ff ff ff 0f", "2^32 - 1 bytes: nothing is set aside for them (R-5.3-2)", "02"),
    length("url-past-end", "08", "url", "03", "3 bytes, of which two are there", "02"),
    length("reference-past-end", "0a", "reference", "03", "3 bytes, of which two are there", "02"),
    value(
      "short-string-past-end", "length-past-end", "R-5.3-1",
      [.bad("85 \"abc\"", "string of 5 bytes, of which three are there", right: "83")], "The length in the tag exceeds what is left."),
    payload("integer-cut", "17", "integer of 8 bytes", "01 02 03"),
    payload("float-cut", "28", "float64 of 8 bytes", "01 02 03 04 05 06 07"),
    payload("date-cut", "38", "date of 8 bytes", "01"),
    payload("uuid-cut", "09", "uuid", "00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee"),
    record(
      "value-missing", "unexpected-end", "R-5.3-1", at: .end("fault"), key: "b",
      [.good("01 41", "key a: integer 1"), .bad("02", "key b", right: "a value behind it")], "The record ends behind a key."),
    record(
      "value-missing-behind-mark", "unexpected-end", "R-5.3-1", at: .end("fault"), key: "a",
      [.good("01", "key a"), .bad("03", "the mark of a sensitive value", right: "a value behind it")], "The record ends behind a mark."),
    record(
      "element-cut-by-array", "unexpected-end", "R-5.3-1", key: "a",
      [
        .good("01", "key a"), .good("04 02", "array of two bytes"), .good("11", "integer of two bytes"),
        .bad("40", "its first byte", right: "an array of three bytes"), .good("01", "its second byte, behind the array: key a again"),
        .good("41", "integer 1"),
      ],
      "An element does not end within its array, though there are bytes behind."),
    record(
      "element-string-cut-by-array", "length-past-end", "R-5.3-1", key: "a",
      [
        .good("01", "key a"), .good("04 02", "array of two bytes"), .bad("82 \"b\"", "string of two bytes", right: "81"),
        .good("02 41", "key b: integer 1"),
      ],
      "A string does not end within its array."),
    record(
      "entry-cut-by-dictionary", "unexpected-end", "R-5.3-1", at: .end("fault"), key: "a",
      [
        .good("01", "key a"), .good("05 03", "dictionary of three bytes"), .good("01 41", "key a: integer 1"),
        .bad("02", "key b", right: "a value behind it, within the dictionary"), .good("02 41", "key b: integer 1"),
      ],
      "The value of an entry lies behind its dictionary."),
    record(
      "key-reference-cut", "unexpected-end", "R-5.3-1",
      [.good("01 41", "key a: integer 1"), .bad("f0", "the first byte of a key reference of two", right: "another byte behind it")],
      "The record ends within a key reference, which is one field."),
    value(
      "unknown-value-past-end", "length-past-end", "R-5.3-1",
      [
        .good("c0", "value of an unknown type"), .bad("03", "its length: 3 bytes, of which two are there", right: "02"),
        .good("01 02", "its bytes"),
      ],
      "The length of a value is checked before its type."),
    record(
      "inline-key-past-end", "length-past-end", "R-5.3-1",
      [.good("00", "inline key"), .bad("c8 01", "its length: 200", right: "the bytes that are there"), .good("6b*100", "its bytes")],
      "The length of an inline key exceeds what is left."),
    value(
      "component-past-end", "length-past-end", "R-5.3-1",
      [.good("0a 03", "reference of 3 bytes"), .bad("03 \"ab\"", "component of 3 bytes, of which two are there", right: "02")],
      "A component does not end within its reference."),
    value(
      "component-2-to-the-32-less-1", "string-length", "R-5.2-2",
      [.good("0a 07", "reference of 7 bytes"), .bad("ff ff ff ff 0f \"ab\"", "component of 2^32 - 1 bytes", right: "02")],
      "The bounds of the field are checked before what is left."),
  ]

  private static func length(
    _ name: String, _ tag: String, _ what: String, _ source: String, _ meaning: String, _ right: String
  ) -> Specimen {
    let parts: [Part] = [
      .good(tag, what), .bad(source, "its length: \(meaning)", right: right), .good("41 42", "its two bytes"),
    ]
    return value(name, "length-past-end", "R-5.3-1", parts, "The length of the \(what) is \(meaning).")
  }

  private static func payload(_ name: String, _ tag: String, _ what: String, _ source: String) -> Specimen {
    let parts: [Part] = [.good(tag, what), .bad(source, "all that is left", right: "as many bytes as the tag says")]
    return value(name, "unexpected-end", "R-5.3-1", parts, "The record ends within the payload: \(what).")
  }
}
