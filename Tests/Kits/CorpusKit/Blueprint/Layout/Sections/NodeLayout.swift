/// The `NODE` section of a draft (Spec 6.4).
struct NodeLayout {
  let pieces: [Piece]

  init(
    draft: Draft, records: [DraftRecord], states: StateLayout, strings: StringLayout, types: TypeTable, origins: [[UInt8]]
  ) {
    pieces = records.indices.flatMap { index in
      let record = records[index]
      let state = states.ranges[index]
      let origin = record.node.origin == 0 ? 0 : (origins.firstIndex(of: draft.origins[record.node.origin - 1].bytes) ?? 0) + 1
      let flags = (record.node.provider == nil ? 0 : 1) | (record.node.attributes.isEmpty ? 0 : 2)
      let identifier = index == 0 ? [UInt8](repeating: 0, count: 19) : strings.field(record.node.identifier)
      let name = "NODE[\(index)]"
      var pieces = [
        Piece("\(name).parent", Bytes.u32(record.parent), "\(record.parent)"),
        Piece("\(name).savedOrder", Bytes.u32(record.savedOrder), "\(record.savedOrder)"),
        Piece("\(name).firstChild", Bytes.u32(record.firstChild), "\(record.firstChild)"),
        Piece("\(name).childCount", Bytes.u32(record.children.count), "\(record.children.count)"),
        Piece("\(name).stateOffset", Bytes.u32(state.offset), "\(state.offset)"),
        Piece("\(name).stateLength", Bytes.u32(state.length), "\(state.length)"),
        Piece("\(name).type", Bytes.u16(types.index(of: record.node)), Self.typeMeaning(record.node)),
        Piece("\(name).origin", Bytes.u16(origin), origin == 0 ? "this save" : "entry \(origin - 1) of the origins"),
        Piece("\(name).flags", [UInt8(flags)], ["none", "provider", "attributes", "provider and attributes"][flags]),
        Self.identifier(name, identifier, record.node.identifier),
      ]
      if draft.isCompact {
        for field in pieces.indices { pieces[field].row = "\(name) \(Comment.quoted(record.node.identifier))" }
      }
      return pieces
    }
  }

  private static func typeMeaning(_ node: DraftNode) -> String {
    node.type.map { "\(Comment.quoted($0)), schema \(node.schema)" } ?? "none"
  }

  private static func identifier(_ name: String, _ bytes: [UInt8], _ text: String) -> Piece {
    if text.isEmpty { return Piece("\(name).identifier", bytes, "none: the empty path") }
    let form = bytes[0] == 0xff ? "long: first twelve bytes, length, offset in STRS" : "short: length, text, zeros"
    return Piece("\(name).identifier", bytes, "\(Comment.quoted(text)), \(form)", textStart: bytes[0] == 0xff ? nil : 1)
  }
}
