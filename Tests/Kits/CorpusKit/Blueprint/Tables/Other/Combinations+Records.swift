extension Combinations {
  // MARK: - D14

  static let siblings: [Specimen] = [
    spoiled(
      "sibling-order-behind-damaged-record", placed(pair, "NODE[2].parent", at: 4096), leaf: 0, [block("body")],
      "Two siblings in the wrong order, of which the first is damaged: they are not compared (D14)."
    ) { try $0.exchange("NODE[1].identifier", "NODE[2].identifier", right: nil) },
    spoiled(
      "sibling-order-behind-damaged-parent", placed(pair, "NODE[1].parent", at: 4096), leaf: 0,
      [block("body"), node("sibling-order", 2, "identifier", "R-6.4-9", "a")],
      "Two siblings in the wrong order, of which none is damaged: they are compared though their parent is."
    ) { try $0.exchange("NODE[1].identifier", "NODE[2].identifier", right: nil) },
    .fault(
      "sibling-order-behind-another-fault", in: "invalid/6.4-nodes", of: pair,
      [node("type-index", 1, "type", "R-6.4-6", "b"), node("sibling-order", 2, "identifier", "R-6.4-9", "a")],
      "The record before has a fault in another field; its identifier is right, so that they are compared (D14)."
    ) { blueprint in
      try blueprint.exchange("NODE[1].identifier", "NODE[2].identifier", right: "this identifier comes first")
      try blueprint.adapt("NODE[1].type", Bytes.u16(1))
    },
    .fault(
      "sibling-order-behind-ill-formed-identifier", in: "invalid/6.4-nodes",
      of: Draft(nodes: [DraftNode("b"), DraftNode("c"), DraftNode("d")]),
      [node("identifier-form", 2, "identifier", "R-6.5-1")],
      "An identifier of no form between two in the wrong order: neither neighbour is compared with it, nor with each other (D14)."
    ) { blueprint in
      try blueprint.set("NODE[2].identifier", [0, 0x63] + [UInt8](repeating: 0, count: 17), right: "01 63")
      try blueprint.adapt("NODE[3].identifier", [1, 0x61] + [UInt8](repeating: 0, count: 17))
    },
    .fault(
      "sibling-order-behind-two-faults", in: "invalid/6.4-nodes", of: pair,
      [node("type-index", 1, "type", "R-6.4-6")],
      "The record before has a wrong type, which is what is reported, and no identifier either: they are not compared (D14)."
    ) { blueprint in
      try blueprint.set("NODE[1].type", Bytes.u16(1), right: "0")
      try blueprint.adapt("NODE[1].identifier", [0, 0x7a] + [UInt8](repeating: 0, count: 17))
    },
    .fault(
      "sibling-order-of-another-parent", in: "invalid/6.4-nodes", of: pair,
      [node("parent-mismatch", 2, "parent", "R-6.4-4")],
      "An identifier that is less than that of the record before, which has another parent: only the parent is at fault."
    ) { blueprint in
      try blueprint.set("NODE[2].parent", Bytes.u32(1), right: "0")
      try blueprint.exchange("NODE[1].identifier", "NODE[2].identifier", right: nil)
    },
  ]

  private static let pair = Draft(nodes: [DraftNode("a"), DraftNode("b")])

  // MARK: - D11 to D14, of long identifiers

  static let identifiers: [Specimen] = [
    spoiled(
      "long-identifier-ill-formed-before-damaged-block", placed(names, "STRS[1]", at: 4096), leaf: 1,
      [block(0x1000), Finding("invalid-utf8", at: .field("STRS[0]", plus: 20), "R-5.2-1")],
      "The last byte of the first identifier is the last one of an intact block: it is read, and is no UTF-8."
    ) { try $0.adapt("STRS[0]", Array("left-hand-side-panel".utf8) + [0xff]) },
    spoiled(
      "long-identifier-ill-formed-into-damaged-block", placed(names, "STRS[1]", plus: -1, at: 4096), leaf: 1, [block(0x1000)],
      "The last byte of the first identifier lies in the damaged block: it is not read (D12)."
    ) { try $0.adapt("STRS[0]", Array("left-hand-side-panel".utf8) + [0xff]) },
    spoiled(
      "long-identifier-with-other-beginning-in-damaged-block", placed(names, "STRS[0]", at: 4096), leaf: 1, [block(0x1000)],
      "The identifier lies in the damaged block, so that its beginning in the record is not compared with it (D13)."
    ) { try $0.adapt("NODE[1].identifier", long("lift-hand-si", 21, 0)) },
    spoiled(
      "long-identifier-out-of-bounds-in-damaged-block", placed(names, "STRS[0]", at: 4096), leaf: 1,
      [
        block(0x1000), node("identifier-form", 1, "identifier", plus: 13, "R-6.5-1"),
        node("identifier-range", 2, "identifier", plus: 15, "R-6.5-2"),
      ],
      "Length and place of a long identifier are checked though its bytes are damaged (D10, D11)."
    ) { blueprint in
      try blueprint.adapt("NODE[1].identifier", long("left-hand-si", 18, 0))
      try blueprint.adapt("NODE[2].identifier", long("right-hand-s", 21, 22))
    },
    spoiled(
      "sibling-order-behind-damaged-identifier", placed(mixedNames, "STRS[0]", at: 4096), leaf: 1, [block(0x1000)],
      "The long identifier of the first sibling is damaged: that the second is less is not known (D14)."
    ) { try $0.adapt("NODE[2].identifier", [1, 0x61] + [UInt8](repeating: 0, count: 17)) },
    spoiled(
      "sibling-order-of-damaged-identifier", placed(names, "STRS[1]", at: 4096), leaf: 1, [block(0x1000)],
      "The long identifier of the second sibling is damaged: that its beginning in the record is less than the first is not enough (D14)."
    ) { try $0.adapt("NODE[2].identifier", long("bight-hand-s", 21, 21)) },
    short(
      "identifier-ill-formed-at-first-byte", [4, 0x80] + Array("eaf".utf8), "invalid-utf8", 1, "R-5.2-1", "well-formed UTF-8",
      "The first byte of an identifier begins no scalar value."),
    short(
      "identifier-with-byte-directly-behind", [4] + Array("leaf".utf8) + [1], "identifier-form", 1, "R-6.5-1",
      "zeros up to the end of the field", "The first byte behind the identifier is not 0, all others are."),
    .fault(
      "long-identifier-ill-formed-at-first-byte", in: "invalid/6.5-identifiers", of: Samples.long,
      [Finding("invalid-utf8", at: "STRS[0]", "R-5.2-1")], "The first byte of a long identifier begins no scalar value."
    ) { try $0.set("STRS[0]", [0x80] + Array("eft-hand-side-panel".utf8), right: "well-formed UTF-8") },
  ]

  private static let names = Draft(nodes: [DraftNode("left-hand-side-panels"), DraftNode("right-hand-side-panel")])
  private static let mixedNames = Draft(nodes: [DraftNode("left-hand-side-panels"), DraftNode("right")])

  private static func long(_ beginning: String, _ length: Int, _ offset: Int) -> [UInt8] {
    [0xff] + Array(beginning.utf8) + Bytes.u16(length) + Bytes.u32(offset)
  }

  private static func short(
    _ name: String, _ bytes: [UInt8], _ code: String, _ plus: Int, _ rule: String, _ right: String, _ reason: String
  ) -> Specimen {
    let finding = node(code, 4, "identifier", plus: plus, rule)
    return .fault(name, in: "invalid/6.5-identifiers", of: Samples.family, [finding], reason) { blueprint in
      try blueprint.set("NODE[4].identifier", bytes + [UInt8](repeating: 0, count: 19 - bytes.count), right: right)
    }
  }

  // MARK: - E

  static let states: [Specimen] = [
    .fault(
      "state-of-node-with-fault", in: "invalid/6.3-state", of: family, [node("type-index", 2, "type", "R-6.4-6", "root/left")],
      "The node record has a fault, so that its state record, which has another, is not read."
    ) { blueprint in
      try blueprint.set("NODE[2].type", Bytes.u16(1), right: "0")
      try blueprint.adapt("STAT[2].entry[0].value", [0xff])
    },
    spoiled(
      "state-of-damaged-node", split(before: 2), leaf: 0, [block("body")],
      "The node record is damaged, so that its state record, which is intact and has a fault, is not read."
    ) { try $0.adapt("STAT[1].entry[0].value", [0xff]) },
    spoiled(
      "state-behind-damaged-node", split(before: 2), leaf: 0,
      [block("body"), Finding("invalid-tag", at: "STAT[2].entry[0].value", "R-6.1-1", key: "a")],
      "The node record is intact, so that its state record is read; the path is not known, for the parent is damaged."
    ) { try $0.adapt("STAT[2].entry[0].value", [0xff]) },
    spoiled(
      "state-before-damaged-block", placed(family, "STAT[2].entry[0]", at: 4096), leaf: 1,
      [block(0x1000), Finding("invalid-tag", at: "STAT[1].entry[0].value", "R-6.1-1", path: "root", key: "a")],
      "The last byte of the first state record is the last one of an intact block: it is read."
    ) { try $0.adapt("STAT[1].entry[0].value", [0xff]) },
    spoiled(
      "state-that-ends-in-damaged-block", placed(family, "STAT[2].entry[0]", plus: -1, at: 4096), leaf: 1, [block(0x1000)],
      "The last byte of the first state record lies in the damaged block: it is not read, though its fault is in front of that."
    ) { try $0.adapt("STAT[1].entry[0]", [0xff]) },
    spoiled(
      "state-behind-damaged-block", placed(large, "STAT[2].entry[0]", at: 8192), leaf: 1,
      [block(0x1000), Finding("invalid-tag", at: "STAT[2].entry[0].value", "R-6.1-1", path: "b", key: "n")],
      "The first byte of the second state record is the first one of an intact block: it is read."
    ) { try $0.adapt("STAT[2].entry[0].value", [0xff]) },
    spoiled(
      "state-that-begins-in-damaged-block", placed(large, "STAT[2].entry[0]", plus: 1, at: 8192), leaf: 1, [block(0x1000)],
      "The first byte of the second state record lies in the damaged block: it is not read."
    ) { try $0.adapt("STAT[2].entry[0].value", [0xff]) },
    spoiled(
      "state-missing-in-damaged-block", placed(family, "STAT[1].entry[0]", at: 4096), leaf: 1,
      [block(0x1000), Finding("unexpected-end", at: "STAT", "R-5.3-1", path: "root")],
      "A flag says that there is a provider, but the state record has no byte, so that none of its bytes is damaged."
    ) { blueprint in
      try blueprint.adapt("NODE[1].flags", [1])
      try blueprint.adapt("NODE[1].stateLength", Bytes.u32(0))
    },
    overlap(
      "state-record-around-another", [.u(1, 2, 2), .u(2, 0, 4)], [order(2)],
      "The second record begins before the first one and ends with it: they share bytes (E0)."),
    overlap(
      "state-record-that-ends-in-another", [.u(1, 2, 4), .u(2, 0, 4), .u(3, 0, 2)], [order(2)],
      "The second record begins before the first one and ends within it: they share bytes (E0). The third one has bytes of its own."),
    overlap(
      "state-record-around-all-of-another", [.u(1, 2, 2), .u(2, 0, 6)], [order(2)],
      "The second record begins before the first one and ends behind it: they share bytes (E0)."),
    overlap(
      "state-record-shared-with-faulty-record", [.u(1, 0, 2), .u(2, 0, 2)], [value(1), order(2)],
      "A record that was read and had a fault counts as read (E0)."
    ) { try $0.adapt("STAT[1].entry[0].value", [0xff]) },
    overlap(
      "state-record-shared-with-faulty-node", [.u(1, 0, 2), .u(2, 0, 2)], [node("type-index", 1, "type", "R-6.4-6", "a")],
      "The node record before has a fault, so that its state record was not read: they may share bytes (E0)."
    ) { try $0.adapt("NODE[1].type", Bytes.u16(1)) },
    overlap(
      "state-record-shared-with-refused-record", [.u(1, 0, 4), .u(2, 2, 4), .u(3, 4, 2)], [order(2)],
      "The third record shares bytes with the second, which was refused and not read, and with no other (E0)."),
    spoiled(
      "state-record-shared-with-damaged-record", placed(three, "STAT[2].entry[0]", at: 4096), leaf: 1,
      [block(0x1000), node("type-index", 3, "type", "R-6.4-6", "c")],
      "The first record goes on into the damaged block and was not read, so that the second one may share its intact bytes (E0)."
    ) { blueprint in
      try blueprint.adapt("NODE[3].type", Bytes.u16(1))
      try blueprint.adapt("NODE[1].stateLength", Bytes.u32(4))
      try blueprint.adapt("NODE[2].stateOffset", Bytes.u32(0))
    },
    spoiled(
      "state-records-overlapping-into-damaged-block", placed(three, "STAT[3].entry[0]", at: 4096), leaf: 1, [block(0x1000)],
      "Three records go on into the damaged block and share bytes: only of the first are the intact entries kept (R-7.6-9)."
    ) { blueprint in
      for (record, offset, length) in [(1, 0, 6), (2, 2, 4), (3, 0, 5)] {
        try blueprint.adapt("NODE[\(record)].stateOffset", Bytes.u32(offset))
        try blueprint.adapt("NODE[\(record)].stateLength", Bytes.u32(length))
      }
    },
    single(
      "state-with-keys-out-of-order", Finding("key-order", at: "STAT[1].entry[2]", "R-6.2-3", path: "a", key: "r"),
      "A key that comes before the one in front of it: what follows is lost, what is before is not (R-7.6-9)."
    ) { try $0.adapt("STAT[1].entry[1]", [5]) },
    single(
      "state-with-ill-formed-text", Finding("invalid-utf8", at: .field("STAT[1].entry[1].value", plus: 1), "R-5.2-1", path: "a", key: "q"),
      "A value whose payload breaks a rule, between others: it alone is lost (R-7.6-9)."
    ) { try $0.adapt("STAT[1].entry[1].value", [0x81, 0xff]) },
    single(
      "state-with-value-of-later-type", Finding("unknown-value-type", at: "STAT[1].entry[1].value", "R-6.1-1", path: "a", key: "q"),
      "A value of unknown type between others: it alone is lost (R-7.6-9)."
    ) { try $0.adapt("STAT[1].entry[1].value", [0xc0, 0x00]) },
    single(
      "state-with-number-not-minimal", Finding("integer-not-minimal", at: "STAT[1].entry[1].value", "R-6.1-2", path: "a", key: "q"),
      "A number with a byte too many: it is part of a head, so that what follows is lost too (R-7.6-9)."
    ) { try $0.adapt("STAT[1].entry[1].value", [0x10, 0x01]) },
  ]

  /// A node with four entries, one of which has a fault, in an intact block before a damaged one.
  private static func single(
    _ name: String, _ finding: Finding, _ reason: String, edit: @escaping @Sendable (inout Blueprint) throws -> Void
  ) -> Specimen {
    let draft = Draft(nodes: [
      DraftNode("a", state: ["p": 1, "q": "x", "r": 3, "s": 4]), DraftNode("b", state: ["n": 5]),
    ])
    return spoiled(name, placed(draft, "STAT[2].entry[0]", at: 4096), leaf: 1, [block(0x1000), finding], reason, edit: edit)
  }

  /// Three nodes with two bytes of state each.
  private static let three = Draft(nodes: [
    DraftNode("a", state: ["n": 1]), DraftNode("b", state: ["o": 2]), DraftNode("c", state: ["p": 3]),
  ])

  /// Two nodes, the first of which has more state than a block.
  private static let large = Draft(nodes: [
    DraftNode("a", state: ["n": .data([UInt8](repeating: 7, count: 4100))]), DraftNode("b", state: ["n": 2]),
  ])

  /// Place and length of the state record of a node.
  private struct Range: Sendable {
    var record, offset, length: Int
    static func u(_ record: Int, _ offset: Int, _ length: Int) -> Range { Range(record: record, offset: offset, length: length) }
  }

  private static func overlap(
    _ name: String, _ ranges: [Range], _ findings: [Finding], _ reason: String,
    edit: @escaping @Sendable (inout Blueprint) throws -> Void = { _ in }
  ) -> Specimen {
    .fault(name, in: "invalid/6.3-state", of: three, findings, reason) { blueprint in
      for range in ranges {
        try blueprint.adapt("NODE[\(range.record)].stateOffset", Bytes.u32(range.offset))
        try blueprint.adapt("NODE[\(range.record)].stateLength", Bytes.u32(range.length))
      }
      try blueprint.mark("NODE[2].stateOffset", right: "bytes of its own")
      try edit(&blueprint)
    }
  }

  private static func order(_ record: Int) -> Finding {
    node("state-order", record, "stateOffset", "R-6.3-2", ["", "a", "b", "c"][record])
  }

  private static func value(_ record: Int) -> Finding {
    Finding("invalid-tag", at: .field("STAT[\(record)].entry[0].value", plus: 0), "R-6.1-1", path: ["", "a", "b", "c"][record], key: "n")
  }
}
