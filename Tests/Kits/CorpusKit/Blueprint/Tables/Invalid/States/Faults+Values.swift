extension Faults {
  static let tags: [Specimen] = [
    tag("0b"), tag("0f"), tag("29"), tag("2f"), tag("39"), tag("3f"), tag("e0"), tag("ff"),
    value(
      "tag-in-array", "invalid-tag", "R-6.1-1",
      [.good("04 02", "array of 2 bytes"), .good("41", "integer 1"), .bad("0c", "tag", right: "an assigned tag")],
      "An unassigned tag within an array, where the reader that skips arrays does not look."),
  ]

  private static func tag(_ source: String) -> Specimen {
    value(
      "tag-\(source)", "invalid-tag", "R-6.1-1", [.bad(source, "tag", right: "an assigned tag")],
      "The tag \(source) is not assigned in version 1, and its value cannot be skipped.")
  }

  static let numbers: [Specimen] = [
    integer("0-with-payload", "10 00", "0", "40"),
    integer("63-with-payload", "10 3f", "63", "7f"),
    integer("64-in-two-bytes", "11 40 00", "64", "10 40"),
    integer("256-in-three-bytes", "12 00 01 00", "256", "11 00 01"),
    integer("2-to-the-56-less-1-in-eight-bytes", "17 ff*7 00", "2^56 - 1", "16 ff ff ff ff ff ff ff"),
    integer("minus-1-in-two-bytes", "19 00 00", "-1", "18 00"),
    integer("minus-256-in-two-bytes", "19 ff 00", "-256", "18 ff"),
    integer("minus-2-in-eight-bytes", "1f 01 00*7", "-2", "18 01"),
    value(
      "integer-minus-2-to-the-63-less-1", "integer-range", "R-6.1-3",
      [.bad("1f 00*7 80", "integer -2^63 - 1", right: "1f ff ff ff ff ff ff ff 7f is the least")], "One less than the least integer."),
    value(
      "integer-minus-2-to-the-64", "integer-range", "R-6.1-3",
      [.bad("1f ff*8", "integer -2^64", right: "1f ff ff ff ff ff ff ff 7f is the least")], "The least that the bytes could say."),
    float("float-0-with-payload", "21 00", "float64 0.0", "20"),
    float("float-1.5-in-three-bytes", "23 00 f8 3f", "float64 1.5", "22 f8 3f"),
    float("float-1.5-in-eight-bytes", "28 00*6 f8 3f", "float64 1.5", "22 f8 3f"),
    float("float-0-in-eight-bytes", "28 00*8", "float64 0.0", "20"),
    float("date-0-with-payload", "31 00", "date 0.0", "30"),
    float("date-in-eight-bytes", "38 00*6 f8 3f", "date 1.5", "32 f8 3f"),
  ]

  private static func integer(_ name: String, _ source: String, _ number: String, _ right: String) -> Specimen {
    value(
      "integer-\(name)", "integer-not-minimal", "R-6.1-2", [.bad(source, "integer \(number)", right: right)],
      "An integer has one form only: the least number of bytes.")
  }

  private static func float(_ name: String, _ source: String, _ meaning: String, _ right: String) -> Specimen {
    value(name, "float-not-minimal", "R-6.1-4", [.bad(source, meaning, right: right)], "Zeros at the less significant end are left out.")
  }

  static let otherValues: [Specimen] = [
    value(
      "string-empty-in-long-form", "string-not-minimal", "R-6.1-5", [.bad("06 00", "the empty string", right: "80")],
      "A string of up to 63 bytes has its length in the tag."),
    value(
      "string-63-bytes-in-long-form", "string-not-minimal", "R-6.1-5",
      [.bad("06 3f \"\(String(repeating: "s", count: 63))\"", "string of 63 bytes", right: "bf")],
      "The longest string that has its length in the tag."),
    value(
      "url-empty", "string-length", "R-5.2-2", [.good("08", "url"), .bad("00", "its length", right: "1 at least")],
      "A url has at least one byte (R-6.1-6)."),
    value(
      "url-ill-formed", "invalid-utf8", "R-5.2-1", [.good("08 02 \"a\"", "url of 2 bytes"), .bad("ff", "its last byte", right: "UTF-8")],
      "A url is well-formed UTF-8, whatever URLs are (R-6.1-6)."),
    value(
      "reference-empty", "empty-reference", "R-6.1-7", [.bad("0a 00", "reference", right: "1 component at least")],
      "A reference to the empty path: it would refer to the app itself."),
    value(
      "reference-component-empty", "string-length", "R-5.2-2",
      [.good("0a 03 01 \"a\"", "reference"), .bad("00", "its second component", right: "1 byte at least")],
      "Each component is an identifier, and has at least one byte (R-3.1-1)."),
    value(
      "reference-component-ill-formed", "invalid-utf8", "R-5.2-1",
      [.good("0a 04 01 \"a\" 01", "reference"), .bad("c3", "its second component", right: "UTF-8")],
      "Each component is well-formed UTF-8 (R-6.1-6)."),
    value(
      "sensitive-twice", "sensitive-misplaced", "R-6.1-8",
      [.good("03", "mark"), .bad("03", "second mark", right: "a value"), .good("41", "integer 1")], "A value is marked once at most."),
    value(
      "sensitive-in-array", "sensitive-misplaced", "R-6.1-8",
      [.good("04 03 41", "array of 3 bytes, 1 first"), .bad("03", "mark", right: "an element"), .good("42", "integer 2")],
      "Elements of an array cannot be marked one by one."),
    value(
      "sensitive-in-nested-array", "sensitive-misplaced", "R-6.1-8",
      [
        .good("03", "mark of the whole value"), .good("04 04 04 02", "array in an array"), .bad("03", "mark", right: "an element"),
        .good("41", "integer 1"),
      ],
      "Within an array there is no entry, however deep."),
  ]
}
