/// One field of a file: the bytes of one line of a `.hex` source, and what the comment beside them says.
struct Piece: Sendable {
  /// The name by which tables and comments refer to the field, such as `NODE[2].parent`; empty if nothing refers to it.
  var label: String
  /// The bytes.
  var bytes: [UInt8]
  /// What the bytes mean.
  var meaning: String
  /// Where text begins among the bytes, if there is any; it is printed in quotes.
  var textStart: Int?
  /// How deep the field lies in others; the line is indented by it.
  var depth = 0
  /// What would have been right, if this is the field at fault.
  var fault: String?
  /// Fields that follow each other with the same row stand on one line.
  var row: String?

  init(_ label: String, _ bytes: [UInt8], _ meaning: String, textStart: Int? = nil, depth: Int = 0) {
    self.label = label
    self.bytes = bytes
    self.meaning = meaning
    self.textStart = textStart
    self.depth = depth
  }

  /// A string with its length in front.
  static func string(_ label: String, _ text: String, _ meaning: String, depth: Int = 0) -> Piece {
    Piece(label, Bytes.string(text), meaning, textStart: Bytes.varint(text.utf8.count).count, depth: depth)
  }
}
