/// The key table of a draft (R-4.3-13), and the resulting key references (Spec 6.2).
struct KeyTable {
  /// The keys in table order.
  let keys: [String]
  private let places: [[UInt8]: Int]

  init(of draft: Draft) {
    var all: Set<[UInt8]> = Set(draft.rawKeys.map { Array($0.utf8) })
    Self.collect(draft.application, into: &all)
    var waiting = draft.nodes
    while let node = waiting.popLast() {
      Self.collect(node.attributes, into: &all)
      Self.collect(node.state, into: &all)
      waiting += node.children
    }
    let sorted = all.filter { $0.count <= 63 }.sorted { $0.lexicographicallyPrecedes($1) }.prefix(1024)
    keys = sorted.map { String(decoding: $0, as: UTF8.self) }
    places = Dictionary(uniqueKeysWithValues: zip(sorted, 0...))
  }

  /// Returns the reference to a key.
  func reference(to key: String, label: String, depth: Int) -> Piece {
    guard let place = places[Array(key.utf8)] else {
      let bytes = [0] + Bytes.string(key)
      return Piece(label, bytes, "entry, key inline: \(Comment.quoted(key))", textStart: bytes.count - key.utf8.count, depth: depth)
    }
    let bytes = place < 239 ? [UInt8(place + 1)] : [UInt8(0xf0 + (place - 239) / 256), UInt8((place - 239) % 256)]
    return Piece(label, bytes, "entry, key \(place) of the table: \(Comment.quoted(key))", depth: depth)
  }

  private static func collect(_ entries: DraftEntries, into keys: inout Set<[UInt8]>) {
    for entry in entries.sorted {
      keys.insert(Array(entry.key.utf8))
      collect(entry.value, into: &keys)
    }
  }

  private static func collect(_ value: DraftValue, into keys: inout Set<[UInt8]>) {
    switch value {
    case .array(let elements): elements.forEach { collect($0, into: &keys) }
    case .dictionary(let entries): collect(entries, into: &keys)
    case .sensitive(let value): collect(value, into: &keys)
    default: break
    }
  }
}
