extension Combinations {
  // MARK: - F

  static let whole: [Specimen] = [
    spoiled(
      "unused-type-and-damaged-block", placed(typed, "STAT", at: 4096), leaf: 1, [block(0x1000)],
      "A type that no node has, in a file that is damaged: the checks of the whole are left out (F)."
    ) { try $0.adapt("NODE[2].type", Bytes.u16(1)) },
    .fault(
      "unused-type-and-another-fault", in: "invalid/4.3-metadata", of: typed, [node("node-flags", 1, "flags", "R-6.4-7", "a")],
      "A type that no node has, and an unknown flag: the checks of the whole are left out (F)."
    ) { blueprint in
      try blueprint.adapt("NODE[2].type", Bytes.u16(1))
      try blueprint.set("NODE[1].flags", [4], right: "00")
    },
    .fault(
      "unused-type-and-unknown-value", in: "forward", of: later,
      [
        Finding("unknown-value-type", at: "STAT[1].entry[0].value", "R-6.1-1", path: "a", key: "n"),
        Finding("unused-type", at: "types[1].tag", "R-4.3-12"),
      ],
      "A value of a later type does not end the checks: that a type is unused is found, that a key is unused is not (F)."
    ) { blueprint in
      try blueprint.set("STAT[1].entry[0].value", [0xc0, 0x00], right: "a known type")
      try blueprint.adapt("NODE[1].stateLength", Bytes.u32(3))
      try blueprint.adapt("NODE[2].type", Bytes.u16(1))
    },
    .fault(
      "faults-of-the-whole", in: "invalid/6.5-identifiers", of: everything,
      [
        node("string-order", 2, "identifier", plus: 15, "R-6.5-3", "right-hand-side-panel"),
        Finding("unused-bytes", at: "STRS.extra", "R-6.5-3"),
        node("state-order", 2, "stateOffset", "R-6.3-2", "right-hand-side-panel"),
        Finding("unused-bytes", at: "STAT.extra", "R-6.3-2"),
        Finding("unused-type", at: "types[1].tag", "R-4.3-12"),
      ],
      "A gap and a byte too many in STRS and in STAT, and two unused types: each check ends with its first finding, the others go on (F)."
    ) { blueprint in
      try blueprint.insert([Piece("STRS.gap", [0], "")], before: "STRS[1]", right: "nothing here")
      try blueprint.insert([Piece("STRS.extra", [0], "")], after: "STRS[1]", right: nil)
      try blueprint.adapt("NODE[2].identifier", [0xff] + Array("right-hand-s".utf8) + Bytes.u16(21) + Bytes.u32(21))
      try blueprint.insert([Piece("STAT.gap", [0], "")], before: "STAT[2].entry[0]", right: nil)
      try blueprint.insert([Piece("STAT.extra", [0], "")], after: "STAT[2].entry[0].value", right: nil)
      try blueprint.adapt("NODE[2].stateOffset", Bytes.u32(3))
      for record in 2...3 { try blueprint.adapt("NODE[\(record)].type", Bytes.u16(1)) }
    },
    .fault(
      "state-offset-at-end-of-unused-bytes", in: "invalid/6.3-state", of: Samples.family,
      [node("state-order", 4, "stateOffset", "R-6.3-2", "root/left/leaf"), Finding("unused-bytes", at: "STAT.extra", "R-6.3-2")],
      "A node without state has the end of the section as its offset: it refers to no byte, so that the one before is unused (F4)."
    ) { blueprint in
      try blueprint.insert([Piece("STAT.extra", [0], "")], after: "STAT[3].entry[0].value", right: "nothing here")
      try blueprint.adapt("NODE[4].stateOffset", Bytes.u32(5))
    },
  ]

  private static let typed = Draft(nodes: [DraftNode("a", type: "A", state: ["n": 1]), DraftNode("b", type: "B", state: ["n": 1])])

  private static let later: Draft = {
    var draft = typed
    draft.nodes[1].state = [:]
    draft.rawKeys = ["z"]
    return draft
  }()

  private static let everything = Draft(nodes: [
    DraftNode("left-hand-side-panel", type: "A", state: ["n": 1]), DraftNode("right-hand-side-panel", type: "B", state: ["n": 1]),
    DraftNode("third", type: "C"),
  ])

  // MARK: - Copies

  static let copies: [Damage] = [
    Damage(
      "metadata-first-copy-and-section-lengths", of: fault("sections-one-byte-short"), [.flip("header.count", mask: 0x01)],
      [
        Finding("metadata-damaged", at: "metadata", "R-4.3-1"),
        Finding("section-lengths", at: .field("metadataCopy", plus: 192), "R-4.3-5"),
      ],
      "The first copy of the metadata is damaged; the fault is found in the second one, and its offset is there (C)."),
    Damage(
      "metadata-second-copy-and-section-lengths", of: fault("sections-one-byte-short"), [.flip("metadataCopy", mask: 0x01)],
      [
        Finding("metadata-damaged", at: "metadataCopy", "R-4.3-1"), Finding("section-lengths", at: "directory.count", "R-4.3-5"),
      ],
      "The second copy of the metadata is damaged; the fault is found in the first one (C)."),
    Damage(
      "tree-first-copy-and-unused-leaf", of: fault("unused-leaf"), [.flip("tree.leaf[0]", mask: 0x01)],
      [
        Finding("tree-damaged", at: "tree", "R-4.4-1"), Finding("tree-padding", at: .field("treeCopy", plus: 8), "R-4.4-2"),
      ],
      "The first copy of the only tree node is damaged; the unused leaf is looked up in the second one (B6)."),
    Damage(
      "tree-second-copy-and-unused-leaf", of: fault("unused-leaf"), [.flip("treeCopy", mask: 0x01)],
      [Finding("tree-damaged", at: "treeCopy", "R-4.4-1"), Finding("tree-padding", at: "tree.leaf[1]", "R-4.4-2")],
      "The second copy of the only tree node is damaged; the unused leaf is looked up in the first one (B6)."),
    Damage(
      "tree-both-copies-and-unused-leaf", of: fault("unused-leaf"), [.flip("tree.leaf[0]", mask: 0x01), .flip("treeCopy", mask: 0x01)],
      [
        Finding("tree-damaged", at: "tree", "R-4.4-1"), Finding("tree-damaged", at: "treeCopy", "R-4.4-1"),
        Finding("blocks-unverifiable", at: "body", "R-4.4-3"),
      ],
      "Without an intact copy nothing is known of the unused leaf (B6)."),
    Damage(
      "block-and-unused-leaf", of: fault("unused-leaf"), [.flip("NODE[4].identifier", mask: 0x01)],
      [block("body"), Finding("tree-padding", at: "tree.leaf[1]", "R-4.4-2")], "The unused leaf is checked though a block is damaged (B6)."),
    Damage(
      "front-prefix-bit-and-metadata-length", of: fault("metadata-length-191"), [.flip("prefix.prefixDigest", mask: 0x01)],
      [Finding("prefix-damaged", at: "prefix", "R-4.2-2"), Finding("metadata-length", at: "prefix.metadataLength", "R-4.2-6")],
      "The second prefix stands in; the length at fault is told at its place in the first one (A11)."),
    Damage(
      "back-prefix-bit-and-header-key-twice", of: fault("header-key-twice"), [.flip("prefixCopy", mask: 0x80)],
      [Finding("prefix-damaged", at: "prefixCopy", "R-4.2-2"), Finding("header-order", at: "header[1].key", "R-4.3-8")],
      "That the second prefix is damaged does not end the checks (A13)."),
    Damage(
      "back-prefix-bit-and-unused-type", of: fault("unused-type"), [.flip("prefixCopy", mask: 0x80)],
      [Finding("prefix-damaged", at: "prefixCopy", "R-4.2-2")] + fault("unused-type").findings,
      "A type that no node has, and damage that costs no content: the checks of the whole are not left out (F)."),
    Damage(
      "metadata-copy-and-unused-type", of: fault("unused-type"), [.flip("directory.count", mask: 0x01)],
      [
        Finding("metadata-damaged", at: "metadata", "R-4.3-1"),
        Finding("unused-type", at: .field("metadataCopy", plus: 0x121), "R-4.3-12"),
      ],
      "A type that no node has, in the second copy of the metadata, since the first one is damaged (F5)."),
    Damage(
      "tree-copy-and-unused-type", of: fault("unused-type"), [.flip("treeCopy", mask: 0x01)],
      [Finding("tree-damaged", at: "treeCopy", "R-4.4-1")] + fault("unused-type").findings,
      "A type that no node has, and a damaged copy of the tree: the checks of the whole are not left out (F)."),
  ]

  private static func fault(_ name: String) -> Specimen {
    Faults.all.first { $0.name == name } ?? Specimen(folder: "", name: name, draft: Draft(), hasJSON: false, reason: "")
  }
}
