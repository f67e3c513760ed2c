/// The `STAT` section of a draft (Spec 6.3): the state records in preorder, and their ranges.
struct StateLayout {
  private(set) var pieces: [Piece] = []
  /// The offset and length of each node's state record.
  private(set) var ranges: [(offset: Int, length: Int)]

  init(_ records: [DraftRecord], writer: ValueWriter, isCompact: Bool) throws {
    ranges = records.map { _ in (0, 0) }
    var offset = 0
    for index in DraftRecord.preorder(records) {
      let record = try Self.record(records[index].node, label: "STAT[\(index)]", writer: writer)
      let length = record.reduce(0) { $0 + $1.bytes.count }
      guard length > 0 else { continue }
      ranges[index] = (offset, length)
      offset += length
      pieces += isCompact ? record.map(Self.inRow) : record
    }
  }

  /// Returns the piece with the row of its entry, so that the entry is printed on one line.
  private static func inRow(_ piece: Piece) -> Piece {
    guard let start = piece.label.firstRange(of: ".entry["), let end = piece.label[start.upperBound...].firstIndex(of: "]") else {
      return piece
    }
    var piece = piece
    piece.row = String(piece.label[...end])
    return piece
  }

  private static func record(_ node: DraftNode, label: String, writer: ValueWriter) throws -> [Piece] {
    if let parts = node.record { return try Part.pieces(parts, label: label, depth: 0) }
    var pieces: [Piece] = []
    if let provider = node.provider {
      pieces.append(.string(label + ".provider.name", provider.name, "name of the provider"))
      pieces.append(.string(label + ".provider.identifier", provider.identifier, "name of the thing in it"))
    }
    if !node.attributes.isEmpty {
      let content = try writer.pieces(node.attributes, label: label + ".attributes", depth: 1)
      let length = content.reduce(0) { $0 + $1.bytes.count }
      pieces.append(Piece(label + ".attributes.length", Bytes.varint(length), "attributes, \(Comment.count(length, "byte"))"))
      pieces += content
    }
    return pieces + (try writer.pieces(node.state, label: label, depth: 0))
  }
}
