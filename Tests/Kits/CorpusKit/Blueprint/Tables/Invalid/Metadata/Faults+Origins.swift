extension Faults {
  static let origins: [Specimen] = [
    .fault(
      "origin-with-bit-2", of: Samples.rich, [Finding("origin-flags", at: "origins[0]", "R-4.3-10")],
      "An unknown bit: something may follow that this version cannot pass over."
    ) { try $0.set("origins[0]", [0x05], right: "01") },
    .fault(
      "origin-with-bit-7", of: Samples.rich, [Finding("origin-flags", at: "origins[1]", "R-4.3-10")],
      "The highest bit is as unknown as the others."
    ) { try $0.set("origins[1]", [0x81], right: "01") },
    .fault(
      "origins-exchanged", of: Samples.rich, [Finding("origin-order", at: "origins[1]", "R-4.3-11")], "Origins ascend by their bytes."
    ) { blueprint in
      try blueprint.exchange("origins[0].bundleVersion", "origins[1].bundleVersion", right: "this entry comes before the other")
    },
    .fault(
      "origin-twice", of: Samples.rich, [Finding("origin-order", at: "origins[1]", "R-4.3-11")], "No origin occurs twice."
    ) { blueprint in
      try blueprint.set("origins[1].bundleVersion", text: "40", right: "another bundle version, or another number of sessions")
      try blueprint.adapt("origins[1].sessionsCarried", [0])
    },
    .fault(
      "origin-bundle-version-past-end", of: Samples.rich, [Finding("length-past-end", at: "origins[1].bundleVersion", "R-5.3-1")],
      "A length that the field allows but the metadata does not have."
    ) { try $0.set("origins[1].bundleVersion", Bytes.varint(1000) + Array("41".utf8), right: "02") },
    .fault(
      "origin-bundle-version-ill-formed", of: Samples.rich,
      [Finding("invalid-utf8", at: .field("origins[1].bundleVersion", plus: 2), "R-5.2-1")], "A lone continuation byte."
    ) { try $0.set("origins[1].bundleVersion", [0x02, 0x34, 0x80], right: "well-formed UTF-8") },
    .fault(
      "origin-timestamp-cut", of: Draft(nodes: [DraftNode("a", origin: 1)], origins: [DraftOrigin(timestamp: (0, "2001-01-01T00:00:00Z"))]),
      [Finding("unexpected-end", at: "origins[0].timestamp", "R-5.3-1")], "The metadata ends within the timestamp."
    ) { blueprint in
      blueprint.metadata.removeLast(3)
      try blueprint.set("origins[0].timestamp", [0, 0, 0], right: "eight bytes, and what comes behind an origin")
    },
    .fault(
      "unused-origin",
      of: Draft(nodes: [DraftNode("a", origin: 1)], origins: [DraftOrigin(bundleVersion: "40"), DraftOrigin(bundleVersion: "41")]),
      [Finding("unused-origin", at: "origins[1]", "R-4.3-11")], "An origin that no node has."
    ) { try $0.mark("origins[1]", right: "no second origin") },
  ]

  static let types: [Specimen] = [
    .fault(
      "types-exchanged-schemas", of: Samples.rich, [Finding("type-order", at: "types[1].tag", "R-4.3-12")],
      "Types of one tag ascend by schema version."
    ) { try $0.exchange("types[0].schemaVersion", "types[1].schemaVersion", right: "this entry comes before the other") },
    .fault(
      "types-exchanged-tags", of: Samples.rich, [Finding("type-order", at: "types[2].tag", "R-4.3-12")],
      "Types ascend by tag before schema version."
    ) { try $0.exchange("types[1].tag", "types[2].tag", right: "this entry comes before the other") },
    .fault(
      "type-twice", of: Samples.rich, [Finding("type-order", at: "types[1].tag", "R-4.3-12")],
      "No pair of tag and schema version occurs twice."
    ) { try $0.set("types[1].schemaVersion", [1], right: "2") },
    .fault(
      "type-tag-empty", of: Samples.rich, [Finding("string-length", at: "types[0].tag", "R-5.2-2")], "A tag has at least one byte."
    ) { try $0.set("types[0].tag", [0], right: "1 to 1,024 bytes") },
    .fault(
      "type-tag-ill-formed", of: Samples.rich, [Finding("invalid-utf8", at: .field("types[0].tag", plus: 1), "R-5.2-1")],
      "A byte that never occurs in UTF-8."
    ) { try $0.set("types[0].tag", [0x02, 0xff, 0x41], right: "well-formed UTF-8") },
    .fault(
      "unused-type", of: Samples.rich, [Finding("unused-type", at: "fault", "R-4.3-12")], "A type that no node has."
    ) { blueprint in
      let entry = [Piece.string("extra.tag", "Zoom", "tag"), Piece("extra.schema", [0], "schemaVersion 0", depth: 1)]
      try blueprint.insert(entry, after: "types[2].schemaVersion", right: "no such entry")
      try blueprint.adapt("types.count", [4])
    },
  ]

  static let keyTable: [Specimen] = [
    .fault(
      "keys-exchanged", of: Samples.rich, [Finding("key-table-order", at: "keys[1]", "R-4.3-13")], "The keys of the table ascend."
    ) { try $0.exchange("keys[0]", "keys[1]", right: "this key comes before the other") },
    .fault(
      "key-twice", of: Samples.rich, [Finding("key-table-order", at: "keys[1]", "R-4.3-13")], "No key stands twice in the table."
    ) { try $0.set("keys[1]", text: "a", right: "another key") },
    .fault(
      "key-of-64-bytes", of: Samples.rich, [Finding("string-length", at: "keys[1]", "R-5.2-2")],
      "Longer keys are inline, so that the table stays small."
    ) { try $0.set("keys[1]", text: String(repeating: "k", count: 64), right: "63 bytes at most") },
    .fault(
      "key-past-end", of: Samples.rich, [Finding("length-past-end", at: "keys[1]", "R-5.3-1")],
      "A length that the field allows but the metadata does not have."
    ) { try $0.set("keys[1]", [63, 0x62], right: "01") },
    .fault(
      "key-ill-formed", of: Samples.rich, [Finding("invalid-utf8", at: .field("keys[1]", plus: 2), "R-5.2-1")], "A surrogate in a key."
    ) { try $0.set("keys[1]", [0x04, 0x62, 0xed, 0xa0, 0x80], right: "well-formed UTF-8") },
    .fault(
      "unused-key", of: Samples.rich, [Finding("unused-key", at: "fault", "R-4.3-13")], "A key that no entry has."
    ) {
      blueprint in
      try blueprint.insert([Piece.string("extra", "c", "key 2")], after: "keys[1]", right: "no such key")
      try blueprint.adapt("keys.count", [3])
    },
  ]
}
