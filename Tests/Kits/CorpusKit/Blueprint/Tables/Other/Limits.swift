/// Files at the limits of Spec chapter 10, and just beyond them.
enum Limits {
  static var all: [Specimen] { kept + broken + brokenInOrder + brokenTables }

  private static let kept: [Specimen] = [
    valid("identifier-1024-bytes", Draft(nodes: [DraftNode(text(1024, "i"))]), "The longest identifier."),
    valid("path-256-components", chain(256), "The deepest tree: 256 nodes below each other."),
    valid("reference-256-components", value(.reference([String](repeating: "r", count: 256))), "The longest reference."),
    valid("reference-component-1024-bytes", value(.reference([text(1024, "r")])), "The longest component of a reference."),
    valid("key-65535-bytes", Draft(application: [text(65_535, "k"): 1]), "The longest key."),
    valid("header-key-255-bytes", Draft(header: ["x." + text(253, "h"): 1]), "The longest header key."),
    valid(
      "header-1024-entries", Draft(header: .init((0..<1024).map { ("x.\(2000 + $0)", .integer(Int128($0 % 64))) }), isCompact: true),
      "The fullest header."),
    valid(
      "sections-1024", Draft(sections: (0..<1021).map { DraftSection(code: code($0), bytes: [], base64: "") }, isCompact: true),
      "The most sections."),
    valid("key-table-1024-keys", Draft(application: keys(1024), isCompact: true), "The fullest key table."),
    valid(
      "keys-1025", Draft(application: keys(1025), isCompact: true), "The key that sorts behind 1,024 others is inline, though it is short."),
    valid("type-tag-1024-bytes", Draft(nodes: [DraftNode("root", type: text(1024, "t"))]), "The longest type tag."),
    valid(
      "schema-version-2-to-the-32-less-1", Draft(nodes: [DraftNode("root", type: "T", schema: 0xffff_ffff)]), "The greatest schema version."
    ),
    valid(
      "sessions-carried-2-to-the-32-less-1",
      Draft(nodes: [DraftNode("a", origin: 1)], origins: [DraftOrigin(sessionsCarried: 0xffff_ffff)]),
      "The greatest number of sessions."),
    valid(
      "origin-bundle-version-1024-bytes", Draft(nodes: [DraftNode("a", origin: 1)], origins: [DraftOrigin(bundleVersion: text(1024, "9"))]),
      "The longest bundle version of an origin."),
    valid(
      "provider-1024-bytes", Draft(nodes: [DraftNode("a", provider: .init(name: text(1024, "p"), identifier: text(1024, "q")))]),
      "The longest names in a provider reference."),
    valid("arrays-128-deep", value(arrays(128)), "The deepest nesting of arrays."),
    valid("dictionaries-128-deep", value(dictionaries(128)), "The deepest nesting of dictionaries."),
    valid("attribute-arrays-128-deep", attribute(arrays(128)), "The deepest nesting of arrays in an attribute."),
    valid(
      "attribute-dictionaries-128-deep", attribute(dictionaries(128)),
      "The deepest nesting of dictionaries in an attribute: the attributes themselves do not count."),
    valid("arrays-and-dictionaries-128-deep", value(mixed(128)), "Arrays and dictionaries count alike."),
  ]

  private static let broken: [Specimen] = [
    invalid(
      "identifier-1025-bytes", Draft(nodes: [DraftNode(text(1025, "i"))]),
      Finding("identifier-form", at: .field("NODE[1].identifier", plus: 13), "R-6.5-1"), mark: "NODE[1].identifier", "1,024 bytes at most",
      "One byte more than an identifier may have (R-3.1-1)."),
    invalid(
      "path-257-components", chain(257), Finding("path-depth", at: "NODE[257].parent", "R-6.4-10"), mark: "NODE[257].parent",
      "no deeper node", "One component more than a path may have (R-3.1-2)."),
    invalid(
      "reference-257-components", value(.reference([String](repeating: "r", count: 257))),
      Finding("path-depth", at: only, "R-6.1-7", path: "", key: "value"), mark: "STAT[0].entry[0].value", "256 components at most",
      "One component more than a reference may have (R-3.1-2)."),
    invalid(
      "reference-component-1025-bytes", value(.reference([text(1025, "r")])),
      Finding("string-length", at: "STAT[0].entry[0].value[0]", "R-5.2-2", path: "", key: "value"), mark: "STAT[0].entry[0].value[0]",
      "1,024 bytes at most", "One byte more than a component may have (R-6.1-7)."),
    Faults.record(
      "key-65536-bytes", "string-length", "R-5.2-2",
      [
        .good("00", "inline key"), .bad("80 80 04", "its length: 65,536", right: "65,535 at most"),
        .good("6b*65536 41", "its bytes, and integer 1"),
      ],
      "One byte more than a key may have."
    ).moved("limits/invalid"),
    Faults.record(
      "key-2-to-the-32-less-1-bytes", "string-length", "R-5.2-2",
      [.good("00", "inline key"), .bad("ff ff ff ff 0f", "its length: 2^32 - 1", right: "65,535 at most"), .good("6b*80 41", "its bytes")],
      "The limit of a field is checked before what is left."
    ).moved("limits/invalid"),
    invalid(
      "header-key-256-bytes", Draft(header: ["x." + text(254, "h"): 1]), Finding("string-length", at: "header[0].key", "R-5.2-2"),
      mark: "header[0].key", "255 bytes at most", "One byte more than a header key may have."),
    invalid(
      "type-tag-1025-bytes", Draft(nodes: [DraftNode("root", type: text(1025, "t"))]),
      Finding("string-length", at: "types[0].tag", "R-5.2-2"), mark: "types[0].tag", "1,024 bytes at most",
      "One byte more than a type tag may have."),
    invalid(
      "schema-version-2-to-the-32", Draft(nodes: [DraftNode("root", type: "T", schema: 0x1_0000_0000)]),
      Finding("varint-too-large", at: "types[0].schemaVersion", "R-5.1-2"), mark: "types[0].schemaVersion", "2^32 - 1 at most",
      "One more than a varint may be."),
    invalid(
      "sessions-carried-2-to-the-32",
      Draft(nodes: [DraftNode("a", origin: 1)], origins: [DraftOrigin(sessionsCarried: 0x1_0000_0000)]),
      Finding("varint-too-large", at: "origins[0].sessionsCarried", "R-5.1-2"), mark: "origins[0].sessionsCarried", "2^32 - 1 at most",
      "One more than a varint may be."),
    invalid(
      "origin-bundle-version-1025-bytes", Draft(nodes: [DraftNode("a", origin: 1)], origins: [DraftOrigin(bundleVersion: text(1025, "9"))]),
      Finding("string-length", at: "origins[0].bundleVersion", "R-5.2-2"), mark: "origins[0].bundleVersion", "1,024 bytes at most",
      "One byte more than the bundle version of an origin may have."),
    invalid(
      "provider-name-1025-bytes", Draft(nodes: [DraftNode("a", provider: .init(name: text(1025, "p"), identifier: "q"))]),
      Finding("string-length", at: "STAT[1].provider.name", "R-5.2-2", path: "a"), mark: "STAT[1].provider.name", "1,024 bytes at most",
      "One byte more than the name of a provider may have."),
    invalid(
      "provider-identifier-1025-bytes", Draft(nodes: [DraftNode("a", provider: .init(name: "p", identifier: text(1025, "q")))]),
      Finding("string-length", at: "STAT[1].provider.identifier", "R-5.2-2", path: "a"), mark: "STAT[1].provider.identifier",
      "1,024 bytes at most", "One byte more than the name of the thing in a provider may have."),
    nested("arrays-129-deep", arrays(129), String(repeating: "[0]", count: 128), "An array too deep, though it is empty."),
    nested("dictionaries-129-deep", dictionaries(129), String(repeating: ".entry[0].value", count: 128), "A dictionary too deep."),
    .fault(
      "attribute-arrays-129-deep", in: "limits/invalid", of: attribute(arrays(129)),
      [
        Finding(
          "nesting-depth", at: .field("STAT[1].attributes.entry[0].value" + String(repeating: "[0]", count: 128), plus: 0), "R-6.1-9",
          path: "node", key: "x.y")
      ],
      "An array too deep in an attribute."
    ) { try $0.mark("STAT[1].attributes.entry[0].value" + String(repeating: "[0]", count: 128), right: "no array here") },
    nested(
      "dictionary-in-128-arrays", arrays(129, innermost: .dictionary([:])), String(repeating: "[0]", count: 128),
      "A dictionary counts like an array."),
    nested(
      "arrays-1000-deep", arrays(1000), String(repeating: "[0]", count: 128),
      "Reading stops at the first array too deep, before its length."),
  ]

  private static let brokenInOrder: [Specimen] = [
    .fault(
      "arrays-129-deep-past-end", in: "limits/invalid",
      of: value(
        arrays(
          129, innermost: .raw([.good("04", "array"), .bad("01", "its length: 1 byte, of which none is there", right: "no array here")]))),
      [Finding("length-past-end", at: "fault", "R-5.3-1", path: "", key: "value")],
      "An array too deep whose length is wrong too: the length is checked before the depth (E16)."),
    .fault(
      "reference-256-components-and-a-byte", in: "limits/invalid",
      of: value(
        .raw([
          .good("0a 81 04", "reference of 513 bytes"), .good(String(repeating: "01 72 ", count: 256), "256 components, \"r\" each"),
          .bad("ff", "a byte that begins no component", right: "nothing here"),
        ])),
      [Finding("path-depth", at: "STAT[0].entry[0].value.part[0]", "R-6.1-7", path: "", key: "value")],
      "Whatever is left behind 256 components is one too many; it is not read (E15)."),
  ]

  private static let brokenTables: [Specimen] = [
    .fault(
      "key-table-1025-keys", in: "limits/invalid", of: Draft(application: keys(1025), isCompact: true),
      [Finding("table-size", at: "keys.count", "R-4.3-13")], "One key more than the table may have; the last would have been inline."
    ) { blueprint in
      try blueprint.insert([Piece.string("keys[1024]", "key-3024", "key 1024")], after: "keys[1023]", right: nil)
      try blueprint.set("keys.count", Bytes.varint(1025), right: "1,024 at most")
    },
    .fault(
      "key-inline-that-belongs-into-the-full-table", in: "limits/invalid",
      of: Draft(
        applicationRecord: [
          .bad("00 08 \"key-1000\" 41", "key-1000 inline: integer 1", right: "in the table, instead of the last one there")
        ],
        rawKeys: (1001..<2025).map { "key-\($0)" }),
      [Finding("key-inline", at: "fault", "R-6.2-2", path: "", key: "key-1000")],
      "The table is full, but the key sorts before the last one in it."),
    .fault(
      "key-inline-that-is-the-last-of-the-full-table", in: "limits/invalid",
      of: Draft(
        applicationRecord: [.bad("00 08 \"key-2024\" 41", "key-2024 inline: integer 1", right: "f3 10, entry 1,023 of the table")],
        rawKeys: (1001..<2025).map { "key-\($0)" }),
      [Finding("key-inline", at: "fault", "R-6.2-2", path: "", key: "key-2024")],
      "The table is full, and the key is the last one in it."),
    table("origins-65536", "origins", 65_536, "65,535", "R-4.3-11"),
    table("types-65536", "types", 65_536, "65,535", "R-4.3-12"),
    table("header-1025-entries", "header", 1025, "1,024", "R-4.3-14"),
    table("volatile-header-1025-entries", "volatile", 1025, "1,024", "R-4.3-14"),
    table("sections-1025", "directory", 1025, "1,024", "R-4.3-14"),
  ]

  private static let only: Place = "STAT[0].entry[0].value"

  private static func text(_ count: Int, _ character: Character) -> String { String(repeating: character, count: count) }

  private static func value(_ value: DraftValue) -> Draft { Draft(application: ["value": value]) }

  private static func attribute(_ value: DraftValue) -> Draft { Draft(nodes: [DraftNode("node", attributes: ["x.y": value])]) }

  private static func keys(_ count: Int) -> DraftEntries { .init((0..<count).map { ("key-\(2000 + $0)", .integer(Int128($0 % 64))) }) }

  private static func chain(_ depth: Int) -> Draft {
    let nodes = (1..<depth).reduce([DraftNode("n")]) { children, _ in [DraftNode("n", children: children)] }
    return Draft(nodes: nodes, isCompact: true)
  }

  private static func arrays(_ depth: Int, innermost: DraftValue = []) -> DraftValue {
    (1..<depth).reduce(innermost) { inner, _ in [inner] }
  }

  private static func dictionaries(_ depth: Int) -> DraftValue {
    (1..<depth).reduce(.dictionary([:])) { inner, _ in .dictionary(["d": inner]) }
  }

  private static func mixed(_ depth: Int) -> DraftValue {
    (1..<depth).reduce([]) { inner, level in level.isMultiple(of: 2) ? [inner] : .dictionary(["d": inner]) }
  }

  private static func valid(_ name: String, _ draft: Draft, _ reason: String) -> Specimen {
    .vector(name, folder: "limits/valid", draft, reason)
  }

  private static func invalid(
    _ name: String, _ draft: Draft, _ finding: Finding, mark label: String, _ right: String, _ reason: String
  ) -> Specimen {
    .fault(name, in: "limits/invalid", of: draft, [finding], reason) { try $0.mark(label, right: right) }
  }

  private static func nested(_ name: String, _ value: DraftValue, _ below: String, _ reason: String) -> Specimen {
    let label = "STAT[0].entry[0].value\(below)"
    let finding = Finding("nesting-depth", at: .field(label, plus: 0), "R-6.1-9", path: "", key: "value")
    return invalid(name, Limits.value(value), finding, mark: label, "no array or dictionary: 128 levels at most", reason)
  }

  private static func table(_ name: String, _ part: String, _ count: Int, _ most: String, _ rule: String) -> Specimen {
    .fault(
      name, in: "limits/invalid", of: Samples.empty, [Finding("table-size", at: .field("\(part).count", plus: 0), rule)],
      "One more than the table may have: found at the count, before any entry."
    ) { try $0.set("\(part).count", Bytes.varint(count), right: "\(most) at most, and so many entries") }
  }

  /// Returns the section code with a number, in ascending order.
  private static func code(_ number: Int) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    return "p\(letters[number / 26 / 26])\(String(letters[number / 26 % 26]).uppercased())\(letters[number % 26])"
  }
}
