extension Faults {
  static let rootRecord: [Specimen] = [
    root("root-record-with-parent", "parent", Bytes.u32(1), "It has no parent."),
    root("root-record-with-saved-order", "savedOrder", Bytes.u32(1), "It has no siblings."),
    root("root-record-with-type", "type", Bytes.u16(1), "The empty path has no type."),
    root("root-record-with-origin", "origin", Bytes.u16(1), "The application state is always of this save."),
    root("root-record-with-provider", "flags", [1], "The empty path has no provider."),
    root("root-record-with-unknown-flag", "flags", [0x80], "An unknown bit; that the field is not 0 is found first."),
    root("root-record-with-identifier", "identifier", [1, 0x61] + [UInt8](repeating: 0, count: 17), "The empty path has no identifier."),
    root(
      "root-record-with-byte-behind-identifier", "identifier", [UInt8](repeating: 0, count: 18) + [1],
      "All 19 bytes of the field are 0."),
  ]

  private static func root(_ name: String, _ field: String, _ bytes: [UInt8], _ reason: String) -> Specimen {
    let label = "NODE[0].\(field)"
    let finding = Finding("root-record", at: .field(label, plus: 0), "R-6.4-1", path: "")
    return .fault(name, of: Samples.rich, [finding], reason) { try $0.set(label, bytes, right: "0") }
  }

  static let children: [Specimen] = [
    .fault(
      "first-child-of-root-record-0", of: Samples.empty, [range(0, "firstChild", "R-6.4-2", "")],
      "The children of record 0 begin at record 1, even if there are none."
    ) { try $0.set("NODE[0].firstChild", Bytes.u32(0), right: "1") },
    .fault(
      "first-child-of-root-record-2", of: Draft(nodes: [DraftNode("a")]),
      [range(0, "firstChild", "R-6.4-2", ""), range(1, "firstChild", "R-6.4-2", nil)],
      "Record 1 is nobody's child, so that its path is not known, and the next range does not continue this one."
    ) { try $0.set("NODE[0].firstChild", Bytes.u32(2), right: "1") },
    lastRecord("first-child-own-index", "firstChild", 4, "R-6.4-2", "5", "A record that would be its own first child."),
    lastRecord("first-child-past-end", "firstChild", 6, "R-6.4-2", "5", "The range does not continue that of the record before."),
    lastRecord("first-child-2-to-the-24-more", "firstChild", 0x0100_0005, "R-6.4-2", "5", "The index is right but for its highest byte."),
    lastRecord("first-child-2-to-the-31", "firstChild", 0x8000_0000, "R-6.4-2", "5", "An index that is negative if taken as signed."),
    lastRecord("first-child-2-to-the-32-less-1", "firstChild", 0xffff_ffff, "R-6.4-2", "5", "The greatest index that can be stored."),
    lastRecord("child-count-1", "childCount", 1, "R-6.4-3", "0", "A child behind the last record."),
    lastRecord("child-count-2-to-the-31", "childCount", 0x8000_0000, "R-6.4-3", "0", "A count for which nothing must be set aside."),
    lastRecord(
      "child-count-2-to-the-32-less-1", "childCount", 0xffff_ffff, "R-6.4-3", "0",
      "The sum of firstChild and this does not fit into 32 bits."),
    .fault(
      "first-child-backwards", of: Samples.family,
      [
        range(2, "firstChild", "R-6.4-2", "root/left"), range(3, "firstChild", "R-6.4-2", "root/right"),
        Finding("parent-mismatch", at: "NODE[4].parent", "R-6.4-4"),
      ],
      "A node whose child is its parent: a walk down would never end. The next record does not continue this one; the child is left out."
    ) { try $0.set("NODE[2].firstChild", Bytes.u32(1), right: "4") },
    .fault(
      "first-child-leaves-a-hole", of: Samples.family,
      [range(3, "firstChild", "R-6.4-2", "root/right"), range(4, "firstChild", "R-6.4-2", "root/left/leaf")],
      "The range of a node without children has its place too; the next record does not continue it."
    ) { try $0.set("NODE[3].firstChild", Bytes.u32(6), right: "5") },
    .fault(
      "child-ranges-overlapping", of: Samples.family, [range(2, "firstChild", "R-6.4-2", "root/left")],
      "Record 4 is claimed by two parents: the range of record 2 does not continue that of record 1."
    ) { try $0.set("NODE[1].childCount", Bytes.u32(3), right: "2") },
    .fault(
      "child-count-of-root-record-past-end", of: Samples.family,
      [range(0, "childCount", "R-6.4-3", ""), range(1, "firstChild", "R-6.4-2", "root")],
      "A range past the last record. Record 1 lies in it, so that its path is known (R-12-1)."
    ) { try $0.set("NODE[0].childCount", Bytes.u32(5), right: "1") },
    .fault(
      "child-count-of-parent-2-to-the-32-less-1", of: Samples.family,
      [range(1, "childCount", "R-6.4-3", "root"), range(2, "firstChild", "R-6.4-2", "root/left")],
      "A range past every record. Records 2 and 3 lie in it, so that their paths are known (R-12-1)."
    ) { try $0.set("NODE[1].childCount", Bytes.u32(0xffff_ffff), right: "2") },
  ]

  private static func range(_ record: Int, _ field: String, _ rule: String, _ path: String?) -> Finding {
    Finding("child-range", at: .field("NODE[\(record)].\(field)", plus: 0), rule, path: path)
  }

  private static func lastRecord(
    _ name: String, _ field: String, _ value: Int, _ rule: String, _ right: String, _ reason: String
  ) -> Specimen {
    .fault(name, of: Samples.family, [range(4, field, rule, "root/left/leaf")], reason) { blueprint in
      try blueprint.set("NODE[4].\(field)", Bytes.u32(value), right: right)
    }
  }

  static let parents: [Specimen] = [
    parent("parent-own-index", 4, 4, "2", "A node that is its own parent: a walk up would never end."),
    parent("parent-behind", 2, 4, "1", "A node and its child are each other's parents."),
    parent(
      "parent-is-sibling", 3, 2, "1",
      "The record is not in the range of children of the record that it names. Record 4 has the same parent now and is compared with it.",
      then: [Finding("sibling-order", at: "NODE[4].identifier", "R-6.4-9", path: "root/left/leaf")]),
    parent("parent-is-root-record", 4, 0, "2", "A node that names record 0, whose child it is not."),
    parent("parent-past-end", 4, 5, "2", "There is no such record."),
    parent("parent-2-to-the-24-more", 4, 0x0100_0002, "2", "The index is right but for its highest byte."),
    parent("parent-2-to-the-31", 4, 0x8000_0000, "2", "An index that is negative if taken as signed."),
    parent("parent-2-to-the-32-less-1", 4, 0xffff_ffff, "2", "The greatest index that can be stored."),
  ]

  private static func parent(
    _ name: String, _ record: Int, _ value: Int, _ right: String, _ reason: String, then more: [Finding] = []
  ) -> Specimen {
    let label = "NODE[\(record)].parent"
    let finding = Finding("parent-mismatch", at: .field(label, plus: 0), "R-6.4-4")
    return .fault(name, of: Samples.family, [finding] + more, reason) {
      try $0.set(label, Bytes.u32(value), right: right)
    }
  }

  static let recordFields: [Specimen] = [
    field("saved-order-past-end", 3, "savedOrder", Bytes.u32(2), "saved-order", "R-6.4-5", "1", "There are two siblings, 0 and 1."),
    field("saved-order-twice", 3, "savedOrder", Bytes.u32(0), "saved-order", "R-6.4-5", "1", "The other sibling has 0 already."),
    field(
      "saved-order-2-to-the-31", 2, "savedOrder", Bytes.u32(0x8000_0000), "saved-order", "R-6.4-5", "0",
      "Nothing must be set aside for such a place."),
    field(
      "saved-order-2-to-the-32-less-1", 4, "savedOrder", Bytes.u32(0xffff_ffff), "saved-order", "R-6.4-5", "0", "An only child has place 0."
    ),
    field("type-index-without-types", 1, "type", Bytes.u16(1), "type-index", "R-6.4-6", "0", "The type table is empty."),
    field("type-index-65535", 3, "type", Bytes.u16(65_535), "type-index", "R-6.4-6", "0", "The greatest index that can be stored."),
    field("origin-index-without-origins", 1, "origin", Bytes.u16(1), "origin-index", "R-6.4-6", "0", "The origin table is empty."),
    field("origin-index-65535", 4, "origin", Bytes.u16(65_535), "origin-index", "R-6.4-6", "0", "The greatest index that can be stored."),
    .fault(
      "type-index-256-more", of: Samples.rich, [Finding("type-index", at: "NODE[3].type", "R-6.4-6", path: "root")],
      "The index is right but for its higher byte."
    ) { try $0.set("NODE[3].type", Bytes.u16(256 + 3), right: "3") },
    .fault(
      "origin-index-256-more", of: Samples.rich, [Finding("origin-index", at: "NODE[2].origin", "R-6.4-6", path: "panel")],
      "The index is right but for its higher byte."
    ) { try $0.set("NODE[2].origin", Bytes.u16(256 + 2), right: "2") },
    field(
      "state-offset-2-to-the-24-more", 3, "stateOffset", Bytes.u32(0x0100_0002), "state-range", "R-6.4-8", "2",
      "The offset is right but for its highest byte."),
    .fault(
      "type-index-of-node-with-percent-sign", of: Draft(nodes: [DraftNode("50% off", children: [DraftNode("%25")])]),
      [Finding("type-index", at: "NODE[2].type", "R-6.4-6", path: "50% off/%25")],
      "A path with percent signs, which are no escapes in it; the expectation escapes them."
    ) { try $0.set("NODE[2].type", Bytes.u16(1), right: "0") },
    .fault(
      "type-index-one-more", of: Samples.rich, [Finding("type-index", at: "NODE[3].type", "R-6.4-6", path: "root")],
      "The index is one more than the table has entries."
    ) { try $0.set("NODE[3].type", Bytes.u16(4), right: "3") },
    .fault(
      "origin-index-one-more", of: Samples.rich, [Finding("origin-index", at: "NODE[2].origin", "R-6.4-6", path: "panel")],
      "The index is one more than the table has entries."
    ) { try $0.set("NODE[2].origin", Bytes.u16(3), right: "2") },
    field("flag-bit-2", 2, "flags", [0x04], "node-flags", "R-6.4-7", "00", "An unknown bit may change what the state record means."),
    field("flag-bit-7", 1, "flags", [0x80], "node-flags", "R-6.4-7", "00", "The highest bit is as unknown as the others."),
    field(
      "state-length-one-more", 3, "stateLength", Bytes.u32(3), "state-range", "R-6.4-8", "2", "The record runs past the section.",
      at: "stateOffset"),
    field(
      "state-length-2-to-the-31", 3, "stateLength", Bytes.u32(0x8000_0000), "state-range", "R-6.4-8", "2",
      "A length that is negative if taken as signed.", at: "stateOffset"),
    field(
      "state-length-2-to-the-32-less-1", 3, "stateLength", Bytes.u32(0xffff_ffff), "state-range", "R-6.4-8", "2",
      "Offset and length do not fit into 32 bits together.", at: "stateOffset"),
    field(
      "state-offset-2-to-the-32-less-1", 3, "stateOffset", Bytes.u32(0xffff_ffff), "state-range", "R-6.4-8", "2",
      "Offset and length do not fit into 32 bits together."),
    field(
      "state-offset-past-end", 4, "stateOffset", Bytes.u32(5), "state-range", "R-6.4-8", "0",
      "Even a record of no bytes must lie within the section."),
  ]

  private static func field(
    _ name: String, _ record: Int, _ field: String, _ bytes: [UInt8], _ code: String, _ rule: String, _ right: String, _ reason: String,
    at other: String? = nil
  ) -> Specimen {
    let path = ["", "root", "root/left", "root/right", "root/left/leaf"][record]
    let finding = Finding(code, at: .field("NODE[\(record)].\(other ?? field)", plus: 0), rule, path: path)
    return .fault(name, of: Samples.family, [finding], reason) { blueprint in
      try blueprint.set("NODE[\(record)].\(field)", bytes, right: right)
    }
  }

  static let siblings: [Specimen] = [
    .fault(
      "siblings-exchanged", of: Samples.family, [Finding("sibling-order", at: "NODE[3].identifier", "R-6.4-9", path: "root/left")],
      "Siblings ascend by identifier, else a search would not find them."
    ) { try $0.exchange("NODE[2].identifier", "NODE[3].identifier", right: "this identifier comes first") },
    .fault(
      "siblings-in-other-case", of: Draft(nodes: [DraftNode("B"), DraftNode("a")]),
      [Finding("sibling-order", at: "NODE[2].identifier", "R-6.4-9", path: "B")], "Order is that of bytes: capitals come first."
    ) { try $0.exchange("NODE[1].identifier", "NODE[2].identifier", right: "this identifier comes first") },
    .fault(
      "siblings-with-same-beginning-exchanged", of: Draft(nodes: [DraftNode("sidebar-section-one"), DraftNode("sidebar-section-two")]),
      [Finding("sibling-order", at: "NODE[2].identifier", "R-6.4-9", path: "sidebar-section-one")],
      "The first twelve bytes are the same; STRS decides."
    ) { blueprint in
      let (one, two) = (Array("sidebar-section-one".utf8), Array("sidebar-section-two".utf8))
      try blueprint.adapt("STRS[0]", two)
      try blueprint.adapt("STRS[1]", one)
      try blueprint.mark("NODE[2].identifier", right: "this identifier comes first")
    },
    .fault(
      "short-sibling-behind-longer", of: Draft(nodes: [DraftNode("navigation"), DraftNode("navigation-bar-buttons")]),
      [Finding("sibling-order", at: "NODE[2].identifier", "R-6.4-9", path: "navigation")],
      "An identifier comes before those that it begins."
    ) { try $0.exchange("NODE[1].identifier", "NODE[2].identifier", right: "this identifier comes first") },
    .fault(
      "sibling-behind-it-and-a-zero-byte", of: Draft(nodes: [DraftNode("a"), DraftNode("a\u{0}")]),
      [Finding("sibling-order", at: "NODE[2].identifier", "R-6.4-9", path: "a")],
      "The 18 bytes of both fields are the same; the lengths decide."
    ) { try $0.exchange("NODE[1].identifier", "NODE[2].identifier", right: "this identifier comes first") },
    .fault(
      "sibling-twice", of: Samples.family, [Finding("duplicate-identifier", at: "NODE[3].identifier", "R-3.1-3", path: "root/left")],
      "Two siblings have one path."
    ) { try $0.set("NODE[3].identifier", [4] + Array("left".utf8) + [UInt8](repeating: 0, count: 14), right: "another identifier") },
    .fault(
      "long-sibling-twice", of: Draft(nodes: [DraftNode("left-hand-side-panel"), DraftNode("zebra")]),
      [Finding("duplicate-identifier", at: "NODE[2].identifier", "R-3.1-3", path: "left-hand-side-panel")],
      "Two siblings share one long identifier."
    ) { blueprint in
      try blueprint.set("NODE[2].identifier", blueprint.piece("NODE[1].identifier").bytes, right: "another identifier")
    },
  ]
}
