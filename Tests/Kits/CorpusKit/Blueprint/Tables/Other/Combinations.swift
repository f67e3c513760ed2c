/// Damage together with another fault, and several faults together: what a check skips then, and what it does not (Spec 7.2).
///
/// A block is damaged by its leaf, so that all that lies in the block stays readable for people.
enum Combinations {
  static var all: [Specimen] { nodeRecords + links + depths + siblings + identifiers + states + whole }

  static var damages: [Damage] { copies }

  // MARK: - Builders

  /// The draft with a header text that puts a field at an offset of the file.
  static func placed(_ draft: Draft, _ label: String, plus: Int = 0, at offset: Int) -> Draft {
    var draft = draft
    let first = 200
    draft.header = ["x.padding": .string(String(repeating: "p", count: first))]
    guard let place = try? Place.field(label, plus: plus).offset(in: Blueprint(draft).assemble()) else { return draft }
    draft.header = ["x.padding": .string(String(repeating: "p", count: first + offset - place))]
    return draft
  }

  /// A file of `damaged` in which blocks are damaged and an edit may put in another fault.
  static func spoiled(
    _ name: String, _ draft: Draft, leaf: Int, _ findings: [Finding], _ reason: String,
    edit: @escaping @Sendable (inout Blueprint) throws -> Void = { _ in }
  ) -> Specimen {
    .fault(name, in: "damaged", of: draft, findings, reason) { blueprint in
      try edit(&blueprint)
      try blueprint.set("tree.leaf[\(leaf)]", Bytes.u64(1), right: "the checksum of the block")
    }
  }

  static func block(_ place: Place) -> Finding { Finding("block-damaged", at: place, "R-4.4-2") }

  static func node(_ code: String, _ record: Int, _ field: String, plus: Int = 0, _ rule: String, _ path: String? = nil) -> Finding {
    Finding(code, at: .field("NODE[\(record)].\(field)", plus: plus), rule, path: path)
  }

  /// Five records: 0, "root", its children "left" and "right", and "tail" below "left", each with two bytes of state.
  static let family = Draft(nodes: [
    DraftNode(
      "root", state: ["a": 1],
      children: [DraftNode("left", state: ["a": 2], children: [DraftNode("tail", state: ["a": 3])]), DraftNode("right", state: ["a": 4])])
  ])

  /// The family with a record at the beginning of block 1, so that the records before it lie in block 0.
  static func split(before record: Int, plus: Int = 0) -> Draft {
    placed(family, "NODE[\(record)].parent", plus: plus, at: 4096)
  }

  // MARK: - Which records are skipped

  private static let nodeRecords: [Specimen] = [
    spoiled(
      "record-before-damaged-block", split(before: 2), leaf: 1,
      [block(0x1000), node("type-index", 1, "type", "R-6.4-6", "root")],
      "The last byte of record 1 is the last one of an intact block: the record is checked."
    ) { try $0.adapt("NODE[1].type", Bytes.u16(1)) },
    spoiled(
      "record-that-ends-in-damaged-block", split(before: 2, plus: -1), leaf: 1, [block(0x1000)],
      "The last byte of record 1 lies in the damaged block: the type that is wrong is not looked at."
    ) { try $0.adapt("NODE[1].type", Bytes.u16(1)) },
    spoiled(
      "record-behind-damaged-block", split(before: 1), leaf: 0,
      [block("body"), node("type-index", 1, "type", "R-6.4-6", "root")],
      "The first byte of record 1 is the first one of an intact block; its parent is record 0, whose path is always known."
    ) { try $0.adapt("NODE[1].type", Bytes.u16(1)) },
    spoiled(
      "record-that-begins-in-damaged-block", split(before: 1, plus: 1), leaf: 0, [block("body")],
      "The first byte of record 1 lies in the damaged block: the type that is wrong is not looked at."
    ) { try $0.adapt("NODE[1].type", Bytes.u16(1)) },
    spoiled(
      "record-behind-damaged-parent", split(before: 2), leaf: 0,
      [block("body"), node("type-index", 3, "type", "R-6.4-6")],
      "A fault of a node whose parent's record is damaged: it is reported without path."
    ) { try $0.adapt("NODE[3].type", Bytes.u16(1)) },
    .fault(
      "unverifiable-blocks-with-node-fault", in: "damaged", of: family,
      [
        Finding("tree-damaged", at: "tree", "R-4.4-1"), Finding("tree-damaged", at: "treeCopy", "R-4.4-1"),
        Finding("blocks-unverifiable", at: "body", "R-4.4-3"),
      ],
      "Blocks that no tree node vouches for count as damaged: the faults of a node record and of a state record are not looked at."
    ) { blueprint in
      try blueprint.set("prefix.treeRoot", Bytes.u64(0), right: "the checksum of the top node")
      try blueprint.adapt("NODE[1].type", Bytes.u16(1))
      try blueprint.adapt("STAT[2].entry[0].value", [0xff])
    },
  ]

  // MARK: - D2 to D4 and D6

  private static let links: [Specimen] = [
    spoiled(
      "child-range-behind-damaged-record", split(before: 2), leaf: 0, [block("body")],
      "Record 2 takes record 3 for its child too. The range that it should continue is lost, so nothing is found (D2)."
    ) { blueprint in
      try blueprint.adapt("NODE[2].firstChild", Bytes.u32(3))
      try blueprint.adapt("NODE[2].childCount", Bytes.u32(2))
    },
    .fault(
      "child-range-begins-early", in: "invalid/6.4-nodes", of: family, [node("child-range", 2, "firstChild", "R-6.4-2", "root/left")],
      "Record 2 takes record 3 for its child too: its range does not continue the one before. Nothing else shows it."
    ) { blueprint in
      try blueprint.set("NODE[2].firstChild", Bytes.u32(3), right: "4")
      try blueprint.adapt("NODE[2].childCount", Bytes.u32(2))
    },
    spoiled(
      "child-range-continued-behind-damaged-record", split(before: 2), leaf: 0,
      [block("body"), node("child-range", 3, "firstChild", "R-6.4-2"), node("child-range", 4, "firstChild", "R-6.4-2")],
      "Record 3 continues a range that is intact, so its own is checked; record 4 does not continue that of record 3."
    ) { try $0.adapt("NODE[3].firstChild", Bytes.u32(4)) },
    spoiled(
      "first-child-own-index-behind-damaged-record", split(before: 2), leaf: 0,
      [block("body"), node("child-range", 2, "firstChild", "R-6.4-2")],
      "That a first child lies behind its parent is known without the record before."
    ) { blueprint in
      try blueprint.adapt("NODE[2].firstChild", Bytes.u32(2))
      try blueprint.adapt("NODE[2].childCount", Bytes.u32(3))
    },
    spoiled(
      "child-count-behind-damaged-record", split(before: 2), leaf: 0,
      [block("body"), node("child-range", 2, "childCount", "R-6.4-3"), node("child-range", 3, "firstChild", "R-6.4-2")],
      "That children lie within the table is known without the record before."
    ) { try $0.adapt("NODE[2].childCount", Bytes.u32(2)) },
    .fault(
      "first-child-own-index-that-continues", in: "invalid/6.4-nodes", of: Draft(nodes: [DraftNode("a")]),
      [node("child-range", 1, "firstChild", "R-6.4-2")],
      "Record 0 has no children, so the range of record 1 begins at 1 and continues it, but a first child lies behind its parent."
    ) { blueprint in
      try blueprint.adapt("NODE[0].childCount", Bytes.u32(0))
      try blueprint.set("NODE[1].firstChild", Bytes.u32(1), right: "2, and record 1 a child of record 0")
    },
    .fault(
      "child-count-past-end-before-last-record", in: "invalid/6.4-nodes", of: family,
      [node("child-range", 2, "childCount", "R-6.4-3", "root/left"), node("child-range", 3, "firstChild", "R-6.4-2", "root/right")],
      "A child behind the last record, of a record that is not the last; the next one does not continue that range."
    ) { try $0.set("NODE[2].childCount", Bytes.u32(2), right: "1") },
    .fault(
      "child-count-past-end-and-continued", in: "invalid/6.4-nodes", of: family,
      [node("child-range", 3, "childCount", "R-6.4-3", "root/right"), node("child-range", 4, "childCount", "R-6.4-3", "root/left/tail")],
      "A child behind the last record, of a record that is not the last; the next one continues that range, which is past the end too."
    ) { blueprint in
      try blueprint.set("NODE[3].childCount", Bytes.u32(1), right: "0")
      try blueprint.adapt("NODE[4].firstChild", Bytes.u32(6))
    },
    spoiled(
      "parent-of-damaged-record", split(before: 2), leaf: 0, [block("body")],
      "Record 4 names record 1 as its parent instead of record 2. The range of record 1 is lost, so nothing is found (D4)."
    ) { try $0.adapt("NODE[4].parent", Bytes.u32(1)) },
    .fault(
      "parent-is-grandparent", in: "invalid/6.4-nodes", of: family, [node("parent-mismatch", 4, "parent", "R-6.4-4")],
      "Record 4 names record 1 as its parent, whose children end directly before it."
    ) { try $0.set("NODE[4].parent", Bytes.u32(1), right: "2") },
    spoiled(
      "parent-own-index-behind-damaged-record", split(before: 2), leaf: 0,
      [block("body"), node("parent-mismatch", 2, "parent", "R-6.4-4")],
      "That a parent lies before its child is known without any other record."
    ) { try $0.adapt("NODE[2].parent", Bytes.u32(2)) },
    spoiled(
      "parent-in-damaged-block-behind", split(before: 2), leaf: 1, [block(0x1000), node("parent-mismatch", 1, "parent", "R-6.4-4")],
      "That record 3 is damaged does not matter for record 1 that names it as its parent: it lies behind."
    ) { try $0.adapt("NODE[1].parent", Bytes.u32(3)) },
    .fault(
      "parent-of-first-node-own-index", in: "invalid/6.4-nodes", of: family,
      [node("parent-mismatch", 1, "parent", "R-6.4-4"), node("saved-order", 2, "savedOrder", "R-6.4-5")],
      "The first node is its own parent, so that it is in the run of its first child, which has the same place (D6)."
    ) { try $0.set("NODE[1].parent", Bytes.u32(1), right: "0") },
    spoiled(
      "saved-order-behind-damaged-parent", split(before: 2), leaf: 0, [block("body")],
      "Two siblings have the same place, and a third one has a place that is too great. How many there are is lost with their parent (D6)."
    ) { blueprint in
      try blueprint.adapt("NODE[2].savedOrder", Bytes.u32(7))
      try blueprint.adapt("NODE[3].savedOrder", Bytes.u32(7))
    },
    spoiled(
      "saved-order-behind-damaged-record", split(before: 2), leaf: 0, [block("body"), node("saved-order", 4, "savedOrder", "R-6.4-5")],
      "The parent of record 4 is intact, so its place is checked."
    ) { try $0.adapt("NODE[4].savedOrder", Bytes.u32(1)) },
    spoiled(
      "saved-order-past-end-of-table", split(before: 2), leaf: 0,
      [
        block("body"), node("child-range", 2, "childCount", "R-6.4-3"), node("child-range", 3, "firstChild", "R-6.4-2"),
        node("saved-order", 4, "savedOrder", "R-6.4-5"),
      ],
      "Record 2 says that it has a hundred children. The place of its child is less than that, but there are five records (D6)."
    ) { blueprint in
      try blueprint.adapt("NODE[2].childCount", Bytes.u32(100))
      try blueprint.adapt("NODE[4].savedOrder", Bytes.u32(5))
    },
    .fault(
      "saved-order-twice-around-another-parent", in: "invalid/6.4-nodes",
      of: Draft(nodes: [
        DraftNode("a", children: [DraftNode("x"), DraftNode("y"), DraftNode("z")])
      ]),
      [node("parent-mismatch", 3, "parent", "R-6.4-4")],
      "The siblings before and behind record 3 have the same place, but its wrong parent ends their run (D6)."
    ) { blueprint in
      try blueprint.set("NODE[3].parent", Bytes.u32(0), right: "1")
      try blueprint.adapt("NODE[4].savedOrder", Bytes.u32(0))
    },
    spoiled(
      "saved-order-twice-around-damaged-block", manySiblings, leaf: 1, [block(0x1000)],
      "The first and the last of a hundred siblings have the same place, but the records between them are damaged: the run begins anew (D6)."
    ) { try $0.adapt("NODE[100].savedOrder", Bytes.u32(0)) },
    spoiled(
      "saved-order-twice-behind-damaged-block", manySiblings, leaf: 1,
      [block(0x1000), node("saved-order", 100, "savedOrder", "R-6.4-5", "n-1100")],
      "The last two of a hundred siblings have the same place, and both lie behind the damaged block."
    ) { try $0.adapt("NODE[100].savedOrder", Bytes.u32(98)) },
    spoiled(
      "saved-order-twice-at-damaged-block", manySiblings, leaf: 1,
      [block(0x1000), node("saved-order", 95, "savedOrder", "R-6.4-5", "n-1095")],
      "The second record behind the damaged block has the place of the first one there."
    ) { try $0.adapt("NODE[95].savedOrder", Bytes.u32(93)) },
  ]

  /// A hundred siblings: records 0 to 6 lie in block 0, 94 to 100 in block 2; 7 and 93 lie in two blocks.
  private static let manySiblings = placed(
    Draft(nodes: (1...100).map { DraftNode("n-\(1000 + $0)") }, isCompact: true), "NODE[8].parent", at: 4096 + 15)

  // MARK: - D5

  private static let depths: [Specimen] = [
    spoiled(
      "depth-256-behind-damaged-record", chain(257), leaf: 0, [block("body")],
      "A chain of 257 nodes whose first is damaged: the second counts as depth 1 (D5), so that the last is at depth 256."),
    spoiled(
      "depth-257-behind-damaged-record", chain(258), leaf: 0, [block("body"), node("path-depth", 258, "parent", "R-6.4-10")],
      "A chain of 258 nodes whose first is damaged: the last is at depth 257 all the same."),
  ]

  /// Nodes below each other; records 0 and 1 lie in block 0.
  private static func chain(_ count: Int) -> Draft {
    let nodes = (1..<count).reduce([DraftNode("n")]) { children, _ in [DraftNode("n", children: children)] }
    return placed(Draft(nodes: nodes, isCompact: true), "NODE[2].parent", at: 4096)
  }
}
