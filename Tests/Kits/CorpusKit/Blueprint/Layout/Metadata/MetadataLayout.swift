/// The metadata of a draft (Spec 4.3) as pieces.
struct MetadataLayout {
  let draft: Draft
  let origins: [[UInt8]]
  let types: TypeTable
  let keys: KeyTable
  let sections: [Blueprint.Section]

  /// The label of the zeros after the entries of the volatile header.
  static let padding = "volatile.padding"

  /// Returns the six consecutive parts.
  func pieces() throws -> [Piece] {
    let isVolatile = { Draft.volatileKeys.contains($0) }
    let header = draft.header.sorted
    let count = { (label: String, number: Int, noun: String) in
      Piece("\(label).count", Bytes.varint(number), Comment.count(number, noun))
    }
    var pieces = try entries(header.filter { isVolatile($0.key) }, label: "volatile", what: "in the volatile header")
    // The number of zeros is known only after all edits.
    pieces.append(Piece(Self.padding, [], "zeros up to 192 bytes"))
    pieces.append(count("directory", sections.count, "section"))
    pieces += directory()
    pieces += try entries(header.filter { !isVolatile($0.key) }, label: "header", what: "in the header")
    pieces.append(count("origins", origins.count, "origin"))
    pieces += origins.enumerated().flatMap { Self.origin($1, label: "origins[\($0)]") }
    pieces.append(count("types", types.entries.count, "type"))
    pieces += types.entries.enumerated().flatMap { Self.type($1, label: "types[\($0)]") }
    pieces.append(count("keys", keys.keys.count, "key"))
    return pieces + keys.keys.enumerated().map { Piece.string("keys[\($0)]", $1, "key \($0)") }
  }

  private func entries(_ entries: [DraftEntries.Entry], label: String, what: String) throws -> [Piece] {
    let writer = ValueWriter(keys: keys)
    let count = Piece("\(label).count", Bytes.varint(entries.count), "\(Comment.count(entries.count, "entry", plural: "entries")) \(what)")
    return try [count]
      + entries.enumerated().flatMap { index, entry in
        let name = "\(label)[\(index)]"
        return [Piece.string(name + ".key", entry.key, "key")] + (try writer.pieces(entry.value, label: name + ".value", depth: 1))
      }
  }

  private func directory() -> [Piece] {
    sections.enumerated().flatMap { index, section in
      let length = section.bytes.count
      return [
        Piece("directory[\(index)].code", Array(section.name.utf8), "section code", textStart: 0),
        Piece("directory[\(index)].length", Bytes.varint(length), Comment.count(length, "byte"), depth: 1),
      ]
    }
  }

  private static func origin(_ bytes: [UInt8], label: String) -> [Piece] {
    var pieces = [Piece(label, [bytes[0]], "present: \(["nothing", "bundleVersion", "timestamp", "both"][Int(bytes[0] & 3)])")]
    var rest = bytes.dropFirst()
    if bytes[0] & 1 != 0 {
      let head = rest[rest.startIndex] < 0x80 ? 1 : 2
      let length = Int(rest[rest.startIndex] & 0x7f) + (head == 1 ? 0 : 128 * Int(rest[rest.startIndex + 1]))
      pieces.append(Piece("\(label).bundleVersion", Array(rest.prefix(head + length)), "bundleVersion", textStart: head, depth: 1))
      rest = rest.dropFirst(head + length)
    }
    if bytes[0] & 2 != 0 {
      pieces.append(Piece("\(label).timestamp", Array(rest.prefix(8)), "timestamp: bits of a float64", depth: 1))
      rest = rest.dropFirst(8)
    }
    pieces.append(Piece("\(label).sessionsCarried", Array(rest), "sessionsCarried", depth: 1))
    return pieces
  }

  private static func type(_ entry: TypeTable.Entry, label: String) -> [Piece] {
    let tag = String(decoding: entry.tag, as: UTF8.self)
    return [
      Piece.string("\(label).tag", tag, "tag"),
      Piece("\(label).schemaVersion", Bytes.varint(entry.schema), "schemaVersion \(entry.schema)", depth: 1),
    ]
  }
}
