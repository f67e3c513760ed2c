/// The type table (Spec 4.3.4) of the nodes of a draft.
struct TypeTable {
  /// A tag and a schema version.
  struct Entry: Hashable {
    var tag: [UInt8]
    var schema: Int
  }

  /// The entries in ascending order of tag, then of schema version.
  let entries: [Entry]

  init(of records: [DraftRecord]) {
    entries = Set(records.compactMap { Self.entry($0.node) }).sorted { first, second in
      first.tag == second.tag ? first.schema < second.schema : first.tag.lexicographicallyPrecedes(second.tag)
    }
  }

  /// Returns the `type` field of a node's record; 0 if the node has no type.
  func index(of node: DraftNode) -> Int {
    Self.entry(node).flatMap { entries.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
  }

  private static func entry(_ node: DraftNode) -> Entry? {
    node.type.map { Entry(tag: Array($0.utf8), schema: node.schema) }
  }
}
