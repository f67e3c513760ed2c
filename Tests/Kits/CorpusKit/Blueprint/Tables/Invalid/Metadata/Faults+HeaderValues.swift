extension Faults {
  static let headerValues: [Specimen] = [
    type("timestamp-as-string", "timestamp", "8a \"2026-11-20\"", "a string", right: "a date"),
    type("timestamp-as-float", "timestamp", "22 f8 3f", "float64 1.5", right: "a date: 32 f8 3f"),
    type("writer-as-null", "writer", "00", "null", right: "a string"),
    type("bundle-version-as-integer", "bundleVersion", "6a", "integer 42", right: "the string \"42\""),
    type("idiom-as-integer", "userInterfaceIdiom", "41", "integer 1, UIKit's number for pad", right: "the string \"pad\""),
    type("dotted-key-with-null", "x.y", "00", "null", right: "one of the types that R-3.3-2 lists"),
    type("dotted-key-with-array", "x.y", "04 00", "an array", right: "no container"),
    type("dotted-key-with-dictionary", "x.y", "05 00", "a dictionary", right: "no container"),
    type("dotted-key-with-reference", "x.y", "0a 02 01 \"a\"", "a reference", right: "one of the types that R-3.3-2 lists"),
    type("dotted-key-with-sensitive-mark", "x.y", "03 41", "a value that is marked as sensitive", right: "no mark: the header has none"),
    type("dotted-key-with-unassigned-tag", "x.y", "0b", "a tag that is not assigned", right: "one of the types that R-3.3-2 lists"),
    type("dotted-key-with-later-type", "x.y", "c0 00", "a value of a later type", right: "one of the types that R-3.3-2 lists"),
    malformed("integer-not-minimal", "integer-not-minimal", "R-6.1-2", [.bad("10 05", "integer 5 with a payload", right: "45")]),
    malformed("integer-below-range", "integer-range", "R-6.1-3", [.bad("1f 00*7 80", "integer -2^63 - 1", right: "-2^63 at least")]),
    malformed("float-not-minimal", "float-not-minimal", "R-6.1-4", [.bad("21 00", "float64 0.0 with a payload", right: "20")]),
    malformed("date-not-minimal", "float-not-minimal", "R-6.1-4", [.bad("33 00 f8 3f", "date 1.5 in three bytes", right: "32 f8 3f")]),
    malformed(
      "string-not-minimal", "string-not-minimal", "R-6.1-5", [.bad("06 01 \"a\"", "short string in the long form", right: "81 \"a\"")]),
    malformed(
      "string-past-end", "length-past-end", "R-5.3-1", [.bad("bf \"a\"", "string of 63 bytes", right: "81: so many bytes are not left")]),
    malformed("string-ill-formed", "invalid-utf8", "R-5.2-1", [.good("81", "string of 1 byte"), .bad("ff", "its byte", right: "UTF-8")]),
    malformed("url-empty", "string-length", "R-5.2-2", [.good("08", "url"), .bad("00", "its length", right: "1 at least")]),
    malformed("uuid-cut", "unexpected-end", "R-5.3-1", [.good("09", "uuid"), .bad("01 02", "its bytes", right: "16 bytes")]),
  ]

  private static func type(_ name: String, _ key: String, _ source: String, _ meaning: String, right: String) -> Specimen {
    let draft = Draft(header: [key: .raw([.bad(source, meaning, right: right)])])
    let reason = "A header value must be of the type that belongs to its key; this is \(meaning)."
    return .fault("header-\(name)", of: draft, [Finding("header-type", at: "fault", "R-3.3-2")], reason)
  }

  private static func malformed(_ name: String, _ code: String, _ rule: String, _ parts: [Part]) -> Specimen {
    let draft = Draft(header: ["x.y": .raw(parts)])
    let reason = "A header value keeps the rules of all values: \(parts.last?.meaning ?? "")."
    return .fault("header-value-\(name)", of: draft, [Finding(code, at: "fault", rule)], reason)
  }
}
