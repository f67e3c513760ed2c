extension Faults {
  static let stateRecords: [Specimen] = [
    attributes(
      "attributes-empty", "empty-attributes", "R-6.3-1", [.bad("00", "length of the attributes", right: "1 entry at least, or no flag")],
      "The flag says that there are attributes."),
    attributes(
      "attributes-past-end", "length-past-end", "R-5.3-1",
      [.bad("03", "length of the attributes", right: "02"), .good("02 41", "key x.y: integer 1")],
      "The attributes do not end within the record."),
    attributes(
      "attributes-2-to-the-32-less-1", "length-past-end", "R-5.3-1",
      [.bad("ff ff ff ff 0f", "length of the attributes", right: "02"), .good("02 41", "key x.y: integer 1")],
      "The greatest length that can be stored."),
    attributes(
      "attributes-missing", "unexpected-end", "R-5.3-1", at: "STAT", [], "The flag says that there are attributes, but there is no record."),
    attributes(
      "attribute-key-twice", "duplicate-key", "R-6.2-3", key: "x.y",
      [
        .good("04", "length of the attributes"), .good("02 41", "key x.y: integer 1"),
        .bad("02 42", "key x.y: integer 2", right: "another key"),
      ],
      "No attribute key occurs twice."),
    attributes(
      "attribute-keys-exchanged", "key-order", "R-6.2-3", key: "x.y",
      [
        .good("04", "length of the attributes"), .good("03 41", "key x.z: integer 1"),
        .bad("02 42", "key x.y: integer 2", right: "this entry comes first"),
      ],
      "Attribute keys ascend."),
    .fault(
      "key-with-percent-sign", of: Draft(nodes: [DraftNode("100%", state: ["%41": 1])]),
      [Finding("invalid-tag", at: "STAT[1].entry[0].value", "R-6.1-1", path: "100%", key: "%41")],
      "A key and a path with percent signs, which are no escapes in them; the expectation escapes them."
    ) { try $0.set("STAT[1].entry[0].value", [0xff], right: "a tag that is assigned") },
    attributes(
      "attribute-cut", "unexpected-end", "R-5.3-1", at: .end("fault"), key: "x.y",
      [
        .good("01", "length of the attributes"), .bad("02", "key x.y", right: "a value behind it, within the attributes"),
        .good("41", "integer 1"),
      ],
      "The value of an attribute lies behind the attributes."),
    .fault(
      "attribute-without-full-stop", of: Draft(nodes: [DraftNode("root", attributes: ["pinned": true])]),
      [Finding("unknown-attribute", at: "STAT[1].attributes.entry[0]", "R-3.3-3", path: "root", key: "pinned")],
      "No attribute key is registered in version 1.0, so that all contain a full stop."
    ) { try $0.mark("STAT[1].attributes.entry[0]", right: "a key with a full stop") },
    .fault(
      "attribute-key-empty", of: Draft(nodes: [DraftNode("root", attributes: ["": true])]),
      [Finding("empty-key", at: "STAT[1].attributes.entry[0]", "R-6.2-4", path: "root", key: "")], "A key of attributes is not empty."
    ) { try $0.mark("STAT[1].attributes.entry[0]", right: "a key with a full stop") },
    .fault(
      "attribute-sensitive", of: Draft(nodes: [DraftNode("root", attributes: ["x.y": .sensitive(1)])]),
      [Finding("sensitive-misplaced", at: "STAT[1].attributes.entry[0].value.mark", "R-6.1-8", path: "root", key: "x.y")],
      "Attributes are noted by tools and hosts; they are not entries of the state and cannot be marked."
    ) { try $0.mark("STAT[1].attributes.entry[0].value.mark", right: "no mark") },
    provider(
      "provider-name-empty", "string-length", "R-5.2-2",
      [.bad("00", "name of the provider", right: "1 to 1,024 bytes"), .good("01 \"x\"", "name of the thing in it")]),
    provider(
      "provider-identifier-empty", "string-length", "R-5.2-2",
      [.good("01 \"x\"", "name of the provider"), .bad("00", "name of the thing in it", right: "1 to 1,024 bytes")]),
    provider(
      "provider-ill-formed", "invalid-utf8", "R-5.2-1",
      [
        .good("02 \"x\"", "name of the provider, its first byte"), .bad("80", "its second byte", right: "UTF-8"),
        .good("01 \"x\"", "name of the thing in it"),
      ]),
    provider(
      "provider-past-end", "length-past-end", "R-5.3-1",
      [.good("01 \"x\"", "name of the provider"), .bad("02 \"x\"", "name of the thing in it", right: "01")]),
    provider(
      "provider-identifier-missing", "unexpected-end", "R-5.3-1", at: .end("fault"),
      [.bad("01 \"x\"", "name of the provider", right: "another string behind it")]),
    provider("provider-missing", "unexpected-end", "R-5.3-1", at: "STAT", []),
  ]

  private static func attributes(
    _ name: String, _ code: String, _ rule: String, at place: Place = "fault", key: String? = nil, _ parts: [Part], _ reason: String
  ) -> Specimen {
    let draft = Draft(nodes: [DraftNode("root", attributes: ["x.y": 1], record: parts)], rawKeys: ["a", "x.z"])
    return .fault(
      name, of: draft, [Finding(code, at: place, rule, path: "root", key: key)], reason, edit: markIfMissing(parts)
    )
  }

  private static func provider(_ name: String, _ code: String, _ rule: String, at place: Place = "fault", _ parts: [Part]) -> Specimen {
    let draft = Draft(nodes: [DraftNode("root", provider: .init(name: "x", identifier: "x"), record: parts)])
    let reason = "The flag says that there is a provider: two strings of 1 to 1,024 bytes."
    return .fault(name, of: draft, [Finding(code, at: place, rule, path: "root")], reason, edit: markIfMissing(parts))
  }

  /// Marks the length of a missing state record as the field at fault.
  private static func markIfMissing(_ parts: [Part]) -> @Sendable (inout Blueprint) throws -> Void {
    { blueprint in
      if parts.isEmpty { try blueprint.mark("NODE[1].stateLength", right: "the length of a state record") }
    }
  }

  static let stateOrder: [Specimen] = [
    .fault(
      "state-records-exchanged", of: Samples.family, [order(2, "root/left")], "The state records of two siblings lie in the wrong order."
    ) { blueprint in
      try blueprint.set("NODE[2].stateOffset", Bytes.u32(2), right: "0")
      try blueprint.adapt("NODE[3].stateOffset", Bytes.u32(0))
    },
    .fault(
      "state-records-in-sorted-order", of: Draft(nodes: [DraftNode("zebra", state: ["n": 1]), DraftNode("apple", state: ["n": 2])]),
      [order(2, "zebra")], "State records follow the saved order of siblings, not that of their identifiers."
    ) { blueprint in
      try blueprint.set("NODE[2].stateOffset", Bytes.u32(2), right: "0")
      try blueprint.adapt("NODE[1].stateOffset", Bytes.u32(0))
    },
    .fault(
      "state-records-breadth-first",
      of: Draft(nodes: [DraftNode("a", state: ["n": 1], children: [DraftNode("c", state: ["n": 2])]), DraftNode("b", state: ["n": 3])]),
      [order(3, "a/c")], "State records lie in preorder, though node records lie breadth first."
    ) { blueprint in
      try blueprint.set("NODE[3].stateOffset", Bytes.u32(4), right: "2")
      try blueprint.adapt("NODE[2].stateOffset", Bytes.u32(2))
    },
    .fault(
      "state-records-with-gap", of: Samples.family, [order(3, "root/right")], "A byte between two state records."
    ) { blueprint in
      try blueprint.insert([Piece("extra", [0], "")], before: "STAT[3].entry[0]", right: "nothing here")
      try blueprint.adapt("NODE[3].stateOffset", Bytes.u32(3))
    },
    .fault(
      "state-record-shared", of: Samples.family, [order(3, "root/right")],
      "Two nodes share one state record: a small file could stand for any amount of state."
    ) { blueprint in
      try blueprint.remove("STAT[3].entry[0]", right: nil)
      try blueprint.remove("STAT[3].entry[0].value", right: nil)
      try blueprint.set("NODE[3].stateOffset", Bytes.u32(0), right: "2, and a record there")
    },
    .fault(
      "state-records-overlapping", of: Draft(nodes: [DraftNode("left", state: ["a": 1, "b": 2]), DraftNode("right", state: ["b": 2])]),
      [order(2, "right")], "The state record of one node is the second half of that of another."
    ) { blueprint in
      try blueprint.remove("STAT[2].entry[0]", right: nil)
      try blueprint.remove("STAT[2].entry[0].value", right: nil)
      try blueprint.set("NODE[2].stateOffset", Bytes.u32(2), right: "4, and a record there")
    },
    .fault(
      "state-record-shared-by-three",
      of: Draft(nodes: [DraftNode("a", state: ["n": 1]), DraftNode("b", state: ["n": 1]), DraftNode("c", state: ["n": 1])]),
      [order(2, "b"), order(3, "c")], "Three nodes share one state record: each but the first is refused before it is read (E0)."
    ) { blueprint in
      for record in 2...3 {
        try blueprint.remove("STAT[\(record)].entry[0]", right: nil)
        try blueprint.remove("STAT[\(record)].entry[0].value", right: nil)
      }
      try blueprint.set("NODE[2].stateOffset", Bytes.u32(0), right: "2, and a record there")
      try blueprint.adapt("NODE[3].stateOffset", Bytes.u32(0))
    },
    .fault(
      "state-offset-without-state", of: Samples.family, [order(1, "root")],
      "A node without state record has offset 0, so that there is one form only."
    ) { try $0.set("NODE[1].stateOffset", Bytes.u32(2), right: "0") },
    .fault(
      "state-offset-at-end-without-state", of: Samples.family, [order(4, "root/left/leaf")],
      "A node without state record whose offset is the end of the section."
    ) { try $0.set("NODE[4].stateOffset", Bytes.u32(4), right: "0") },
    .fault(
      "state-section-with-a-byte-more", of: Samples.family, [Finding("unused-bytes", at: "fault", "R-6.3-2")],
      "A byte behind the last state record."
    ) { try $0.insert([Piece("extra", [0], "")], after: "STAT[3].entry[0].value", right: "nothing here") },
    .fault(
      "state-section-unused", of: Draft(nodes: [DraftNode("root")]), [Finding("unused-bytes", at: "STAT", "R-6.3-2")],
      "No node has state, but the section is not empty."
    ) { blueprint in
      var extra = Piece("extra", [0x01, 0x41], "")
      extra.fault = "nothing here"
      blueprint.sections[2].pieces.append(extra)
    },
    .fault(
      "state-record-one-byte-short", of: Samples.family,
      [Finding("unexpected-end", at: "STAT[3].entry[0].value", "R-5.3-1", path: "root/right", key: "a")],
      "The length in the node record ends the state record behind its key."
    ) { try $0.set("NODE[3].stateLength", Bytes.u32(1), right: "2") },
  ]

  private static func order(_ record: Int, _ path: String) -> Finding {
    Finding("state-order", at: .field("NODE[\(record)].stateOffset", plus: 0), "R-6.3-2", path: path)
  }
}
