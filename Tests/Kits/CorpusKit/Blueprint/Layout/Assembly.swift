/// A finished file: its bytes, the lines of its source, and where each field lies.
struct Assembly {
  /// A group of lines under one heading.
  struct Group {
    var heading: String
    var rows: [Row] = []
  }

  /// A piece and its offset in the file.
  struct Row {
    var offset: Int
    var piece: Piece
  }

  private(set) var bytes: [UInt8] = []
  private(set) var groups: [Group] = []
  /// Where the field, section or part with a label lies.
  private(set) var places: [String: Range<Int>] = [:]

  /// Adds a group of pieces; its label stands for all of them.
  mutating func add(_ pieces: [Piece], label: String, heading: String) {
    let start = bytes.count
    var group = Group(heading: heading)
    for piece in pieces {
      let place = bytes.count..<bytes.count + piece.bytes.count
      if !piece.label.isEmpty, places[piece.label] == nil { places[piece.label] = place }
      if piece.fault != nil, places["fault"] == nil { places["fault"] = place }
      group.rows.append(Row(offset: bytes.count, piece: piece))
      bytes += piece.bytes
    }
    groups.append(group)
    if !label.isEmpty, places[label] == nil { places[label] = start..<bytes.count }
  }

  /// Gives a name to a range that was added in several groups.
  mutating func name(_ label: String, _ range: Range<Int>) {
    places[label] = range
  }
}
