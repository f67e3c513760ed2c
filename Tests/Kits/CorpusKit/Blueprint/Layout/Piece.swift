/// A field of a file: the bytes on one line of a `.hex` source, with the comment beside them.
struct Piece: Sendable {
  /// The name of the field in tables and comments, such as `NODE[2].parent`; empty if nothing refers to it.
  var label: String
  /// The bytes.
  var bytes: [UInt8]
  /// The meaning of the bytes.
  var meaning: String
  /// The index at which text begins, if any; text is printed in quotes.
  var textStart: Int?
  /// The nesting depth of the field, which determines the indentation.
  var depth = 0
  /// The correct content, if this is the field at fault.
  var fault: String?
  /// Consecutive fields with the same row are printed on one line.
  var row: String?

  init(_ label: String, _ bytes: [UInt8], _ meaning: String, textStart: Int? = nil, depth: Int = 0) {
    self.label = label
    self.bytes = bytes
    self.meaning = meaning
    self.textStart = textStart
    self.depth = depth
  }

  /// Returns a string with its length prefix.
  static func string(_ label: String, _ text: String, _ meaning: String, depth: Int = 0) -> Piece {
    Piece(label, Bytes.string(text), meaning, textStart: Bytes.varint(text.utf8.count).count, depth: depth)
  }
}
