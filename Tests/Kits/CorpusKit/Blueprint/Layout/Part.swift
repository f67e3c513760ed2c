/// A piece as a table writes it down: hex notation, what it is, and what would have been right if it is the one at fault.
struct Part: Sendable {
  /// The bytes, in the notation of the corpus.
  var source: String
  /// What they are.
  var meaning: String
  /// What would have been right; nil for a part without fault.
  var right: String?

  /// A part that is as it should be.
  static func good(_ source: String, _ meaning: String) -> Part {
    Part(source: source, meaning: meaning)
  }

  /// The part at fault.
  ///
  /// Tables refer to it as `fault`.
  static func bad(_ source: String, _ meaning: String, right: String) -> Part {
    Part(source: source, meaning: meaning, right: right)
  }

  /// The parts as pieces, labelled one after the other.
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
