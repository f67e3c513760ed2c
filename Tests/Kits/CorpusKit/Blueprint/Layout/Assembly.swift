/// An assembled file: its bytes, the lines of its source, and the ranges of its fields.
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
  /// The ranges of labelled fields, sections and parts.
  private(set) var places: [String: Range<Int>] = [:]

  /// Adds a group of pieces; its label refers to all of them.
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

  /// Labels a range that was added in several groups.
  mutating func name(_ label: String, _ range: Range<Int>) {
    places[label] = range
  }
}
