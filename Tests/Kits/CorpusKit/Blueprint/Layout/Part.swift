/// A piece as written in a table: hex notation, its meaning, and the correct content if it is the fault.
struct Part: Sendable {
  /// The bytes in the corpus notation.
  var source: String
  /// The meaning of the bytes.
  var meaning: String
  /// The correct content; nil for a part without a fault.
  var right: String?

  /// Returns a part without a fault.
  static func good(_ source: String, _ meaning: String) -> Part {
    Part(source: source, meaning: meaning)
  }

  /// Returns the part at fault.
  ///
  /// Tables refer to it as `fault`.
  static func bad(_ source: String, _ meaning: String, right: String) -> Part {
    Part(source: source, meaning: meaning, right: right)
  }

  /// Returns the parts as pieces with numbered labels.
  static func pieces(_ parts: [Part], label: String, depth: Int) throws -> [Piece] {
    try parts.enumerated().map { index, part in
      var piece = Piece("\(label).part[\(index)]", try HexNotation.assemble(part.source), part.meaning, depth: depth)
      piece.fault = part.right
      if part.source.contains("\"") {
        piece.textStart = part.source.utf8.prefix { $0 != UInt8(ascii: "\"") }.count { $0 != 0x20 } / 2
      }
      return piece
    }
  }
}
