/// The results of transferring an archive as text: each damaged form of the magic in the registry.
enum TextModes {
  static func all() throws -> [PlainFile] {
    let archive = try Specimen.vector("", draft, "").assemble().bytes
    return forms.map { form in
      let bytes = form.change(archive)
      let head = Array(bytes.prefix(form.head))
      return PlainFile(
        "text-mode-\(form.name)", in: "damaged",
        [
          .bad(hex(head), form.meaning, right: "89 52 53 54 0d 0a 1a 0a"),
          .good(hex(Array(bytes.dropFirst(form.head))), "what became of the rest"),
        ],
        [Finding("text-mode-damage", at: .absolute(form.offset), "R-4.2-1")],
        "The whole file went through a transfer for text: \(form.meaning).")
    }
  }

  /// A small archive with all kinds of line ends, and with non-ASCII bytes.
  private static let draft = Draft(
    header: ["bundleVersion": "4.2"],
    nodes: [DraftNode("editor", state: ["text": "one\ntwo\r\nthree\rfour\n", "word": "na\u{ef}ve \u{2603}"])])

  /// A damaged form.
  private struct Form {
    var name: String
    var meaning: String
    /// The number of bytes in the damaged magic.
    var head: Int
    /// The offset of the first byte that differs from the magic.
    var offset: Int
    var change: @Sendable ([UInt8]) -> [UInt8]
  }

  private static let forms: [Form] = [
    Form(name: "line-feed", meaning: "line ends converted to LF", head: 7, offset: 4) { replace($0, crlf: [0x0a]) },
    Form(name: "carriage-return-line-feed", meaning: "line ends converted to CR LF", head: 9, offset: 7) {
      replace($0, lf: [0x0d, 0x0a])
    },
    Form(name: "each-line-feed", meaning: "each LF converted to CR LF", head: 10, offset: 5) {
      replace($0, crlf: [0x0d, 0x0d, 0x0a], lf: [0x0d, 0x0a])
    },
    Form(name: "carriage-return", meaning: "line ends converted to CR", head: 7, offset: 5) { replace($0, crlf: [0x0d], lf: [0x0d]) },
    Form(name: "dropped-line-feed", meaning: "a conversion that dropped the LF behind the CR", head: 7, offset: 5) {
      replace($0, crlf: [0x0d])
    },
    Form(name: "seven-bits", meaning: "eighth bit lost", head: 8, offset: 0) { $0.map { $0 & 0x7f } },
    Form(name: "first-byte-dropped", meaning: "first byte dropped", head: 7, offset: 0) { Array($0.dropFirst()) },
    Form(name: "question-marks", meaning: "each byte beyond ASCII replaced by a question mark", head: 8, offset: 0) {
      $0.map { $0 < 0x80 ? $0 : 0x3f }
    },
    Form(name: "latin-1", meaning: "taken for Latin-1 and converted to UTF-8", head: 9, offset: 0) {
      Array(String(String.UnicodeScalarView($0.map { Unicode.Scalar($0) })).utf8)
    },
    Form(name: "replacement-characters", meaning: "taken for UTF-8, what is none replaced by U+FFFD", head: 10, offset: 0) {
      Array(String(decoding: $0, as: UTF8.self).utf8)
    },
    Form(name: "byte-order-mark", meaning: "a byte order mark put in front", head: 11, offset: 0) { [0xef, 0xbb, 0xbf] + $0 },
  ]

  /// Returns the bytes with each CR LF, and each other LF, replaced.
  private static func replace(_ bytes: [UInt8], crlf: [UInt8] = [0x0d, 0x0a], lf: [UInt8] = [0x0a]) -> [UInt8] {
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == 0x0d, index + 1 < bytes.count, bytes[index + 1] == 0x0a {
        result += crlf
        index += 2
      } else {
        result += bytes[index] == 0x0a ? lf : [bytes[index]]
        index += 1
      }
    }
    return result
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
  }
}
