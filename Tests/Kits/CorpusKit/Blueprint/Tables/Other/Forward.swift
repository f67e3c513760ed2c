/// Files of later versions, accepted or refused by a reader of version 1.0 (Spec chapter 9).
enum Forward {
  static var all: [Specimen] { accepted + refused }

  private static let accepted: [Specimen] = [
    later("minor-version-1", Samples.family, [], "A later minor version that uses nothing new (R-9.1-1)."),
    later("minor-version-65535", minor: 65_535, Samples.family, [], "The latest minor version there can be (R-9.1-1)."),
    later(
      "minor-1-header-key", Draft(header: ["bundleVersion": "42", "colour": "red"]), [],
      "A header key that may be registered by then (R-3.3-1)."),
    later(
      "minor-1-attribute", Draft(nodes: [DraftNode("root", attributes: ["pinned": true])]), [],
      "An attribute key that may be registered by then (R-3.3-3)."),
    later(
      "minor-1-ancillary-sections",
      Draft(sections: [
        DraftSection(code: "nOTe", bytes: [1], base64: "AQ=="), DraftSection(code: "nOTE", bytes: [2], base64: "Ag=="),
      ]), [],
      "Ancillary sections that may be registered by then: one is safe to copy, one is not."),
  ]

  private static let refused: [Specimen] = [
    later(
      "minor-1-value-type", Draft(application: ["a": 1, "b": .raw([unknown("c0")]), "c": 3]),
      [value("b", at: "fault")], "A value of a later type: it cannot be read, but what is around it can (R-6.1-1)."),
    later(
      "minor-1-value-type-df", Draft(application: ["a": .raw([unknown("df")])]), [value("a", at: "fault")], "The last of the reserved tags."
    ),
    later(
      "minor-1-value-type-in-array", Draft(application: ["a": [1, .raw([unknown("c1")]), 3]]), [value("a", at: "fault")],
      "A value of a later type within an array: the whole entry cannot be read."),
    later(
      "minor-1-value-type-in-dictionary", Draft(application: ["a": .dictionary(["b": .sensitive(.raw([unknown("c2")]))])]),
      [value("a", at: "fault")], "A value of a later type within a dictionary, marked as sensitive."),
    later(
      "minor-1-value-types-in-two-nodes",
      Draft(nodes: [
        DraftNode("a", state: ["n": .raw([unknown("c0")])]), DraftNode("b", state: ["n": 1]),
        DraftNode("c", state: ["n": .raw([.good("d0 01 ff", "value of an unknown type")])]),
      ]),
      [
        Finding("unknown-value-type", at: "STAT[1].entry[0].value.part[0]", "R-6.1-1", path: "a", key: "n"),
        Finding("unknown-value-type", at: "STAT[3].entry[0].value.part[0]", "R-6.1-1", path: "c", key: "n"),
      ],
      "Each state record has its own finding."),
    later(
      "minor-1-value-type-and-its-keys",
      Draft(
        application: ["a": .raw([.bad("c0 02 02 41", "value of an unknown type, which uses key b", right: "a known type")])], rawKeys: ["b"]
      ),
      [value("a", at: "fault")], "The key that only the unknown value may use does not count as unused (F5)."),
    .fault(
      "minor-1-volatile-key", in: "forward",
      of: Draft(minorVersion: 1, header: ["timestamp": .date(816_901_200.0, json: "2026-11-20T21:00:00Z")]),
      [Finding("header-group", at: "fault", "R-4.3-9")],
      "An unknown key in the volatile header: no later minor version registers volatile keys."
    ) { blueprint in
      let entry = [Piece.string("later.key", "uptime", "key"), Piece("later.value", [0x45], "integer 5", depth: 1)]
      try blueprint.insert(entry, after: "volatile[0].value", right: "this entry belongs into the other header")
      try blueprint.adapt("volatile.count", [2])
    },
    .fault(
      "value-type-in-version-1.0", in: "forward", of: Draft(application: ["a": .raw([unknown("c0")])]), [value("a", at: "fault")],
      "No file of version 1.0 has such a value, but it is reported in the same way."),
    later(
      "minor-1-header-key-with-null", Draft(header: ["colour": .raw([.bad("00", "null", right: "one of the types that R-3.3-2 lists")])]),
      [Finding("header-type", at: "fault", "R-3.3-2")], "Under an unknown header key the types are those of keys with a full stop."),
    majorVersion,
    prefix("major-version-0", "majorVersion", Bytes.u16(0), "unsupported-version", "R-4.2-3", "1", "There is no version 0."),
    prefix(
      "major-version-257", "majorVersion", Bytes.u16(257), "unsupported-version", "R-4.2-3", "1",
      "The version is right but for its higher byte."),
    prefix(
      "major-version-65535", "majorVersion", Bytes.u16(65_535), "unsupported-version", "R-4.2-3", "1",
      "The latest major version there can be."),
    prefix(
      "feature-bit-0", "features", Bytes.u32(1), "unsupported-feature", "R-4.2-4", "0",
      "An incompatible feature that this version does not know."),
    prefix(
      "feature-bit-31", "features", Bytes.u32(0x8000_0000), "unsupported-feature", "R-4.2-4", "0",
      "The highest bit is as unknown as the others."),
    section("critical-section", "INDX", "A critical section that is registered later: the file cannot be understood without it."),
    section("critical-section-private", "XyZz", "A critical section of somebody else."),
  ]

  /// A file of major version 2.
  static let majorVersion = prefix(
    "major-version-2", "majorVersion", Bytes.u16(2), "unsupported-version", "R-4.2-3", "1",
    "A later major version: nothing behind its prefix is looked at.")

  private static func unknown(_ tag: String) -> Part {
    .bad("\(tag) 02 01 02", "value of an unknown type, 2 bytes", right: "a known type")
  }

  private static func value(_ key: String, at place: Place) -> Finding {
    Finding("unknown-value-type", at: place, "R-6.1-1", path: "", key: key)
  }

  private static func later(_ name: String, minor: Int = 1, _ draft: Draft, _ findings: [Finding] = [], _ reason: String) -> Specimen {
    var draft = draft
    draft.minorVersion = minor
    return Specimen(folder: "forward", name: name, draft: draft, findings: findings, hasJSON: findings.isEmpty, reason: reason)
  }

  private static func prefix(
    _ name: String, _ field: String, _ bytes: [UInt8], _ code: String, _ rule: String, _ right: String, _ reason: String
  ) -> Specimen {
    let label = "prefix.\(field)"
    return .fault(name, in: "forward", of: Samples.family, [Finding(code, at: .field(label, plus: 0), rule)], reason) { blueprint in
      try blueprint.set(label, bytes, right: right)
    }
  }

  private static func section(_ name: String, _ code: String, _ reason: String) -> Specimen {
    let draft = Draft(sections: [DraftSection(code: code, bytes: [1], base64: "AQ==")])
    let finding = Finding("unknown-critical-section", at: "directory[3].code", "R-4.3-7")
    return .fault(name, in: "forward", of: draft, [finding], reason) { try $0.mark("directory[3].code", right: "a small first letter") }
  }
}
