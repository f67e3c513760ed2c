extension Faults {
  static let identifiers: [Specimen] = [
    short(
      "identifier-empty", [0], "identifier-form", 0, "R-6.5-1", "a length from 1 to 18, or ff",
      "An identifier has at least one byte (R-3.1-1)."),
    short(
      "identifier-length-19", [19] + Array("leaf-leaf-leaf-le1".utf8), "identifier-form", 0, "R-6.5-1", "a length from 1 to 18, or ff",
      "Nineteen bytes do not fit into the field."),
    short(
      "identifier-length-254", [254] + Array("leaf".utf8), "identifier-form", 0, "R-6.5-1", "a length from 1 to 18, or ff",
      "Only ff is the mark of the long form."),
    short(
      "identifier-with-byte-behind", [4] + Array("leaf".utf8) + [UInt8](repeating: 0, count: 13) + [1], "identifier-form", 1, "R-6.5-1",
      "zeros up to the end of the field", "Bytes behind the identifier could hide anything."),
    short(
      "identifier-ill-formed", [4] + Array("lea".utf8) + [0xff], "invalid-utf8", 4, "R-5.2-1", "well-formed UTF-8",
      "An identifier is well-formed UTF-8 (R-3.1-1)."),
    short(
      "identifier-cut", [4] + Array("lea".utf8) + [0xc3], "invalid-utf8", 4, "R-5.2-1", "well-formed UTF-8",
      "The zeros behind an identifier do not belong to it."),
    longForm(
      "identifier-of-18-bytes-in-long-form", length: 18, "identifier-form", 13, "R-6.5-1", "20", "Up to 18 bytes have the short form."),
    longForm(
      "identifier-of-0-bytes-in-long-form", length: 0, "identifier-form", 13, "R-6.5-1", "20",
      "An identifier has at least one byte (R-3.1-1)."),
    longForm(
      "identifier-of-65535-bytes", length: 65_535, "identifier-form", 13, "R-6.5-1", "20",
      "An identifier has at most 1,024 bytes (R-3.1-1)."),
    longForm(
      "identifier-past-end", offset: 22, "identifier-range", 15, "R-6.5-2", "0",
      "STRS has 41 bytes: the last one of the identifier is missing."),
    longForm("identifier-behind-end", offset: 41, "identifier-range", 15, "R-6.5-2", "0", "The identifier would begin where STRS ends."),
    longForm(
      "identifier-offset-2-to-the-31", offset: 0x8000_0000, "identifier-range", 15, "R-6.5-2", "0",
      "An offset that is negative if taken as signed."),
    longForm(
      "identifier-offset-2-to-the-32-less-1", offset: 0xffff_ffff, "identifier-range", 15, "R-6.5-2", "0",
      "Offset and length do not fit into 32 bits together."),
    beginning(
      "identifier-with-other-beginning", "lift-hand-si",
      "The twelve bytes in the record must be those of the identifier, else a search goes astray."),
    beginning("identifier-with-other-twelfth-byte", "left-hand-so", "So must the last of them be."),
    .fault(
      "long-identifier-ill-formed", of: Samples.long, [Finding("invalid-utf8", at: .field("STRS[0]", plus: 17), "R-5.2-1")],
      "A surrogate in a long identifier (R-3.1-1)."
    ) { try $0.set("STRS[0]", Array("left-hand-side-pa".utf8) + [0xed, 0xa0, 0x80], right: "well-formed UTF-8") },
    .fault(
      "long-identifier-cut", of: Samples.long, [Finding("invalid-utf8", at: .field("STRS[0]", plus: 19), "R-5.2-1")],
      "The identifier ends within a scalar value; what follows in STRS belongs to another one."
    ) { try $0.set("STRS[0]", Array("left-hand-side-pane".utf8) + [0xc3], right: "well-formed UTF-8") },
  ]

  /// Returns a fault in the identifier of the last record, "leaf"; zeros after `bytes` are added.
  private static func short(
    _ name: String, _ bytes: [UInt8], _ code: String, _ plus: Int, _ rule: String, _ right: String, _ reason: String
  ) -> Specimen {
    let finding = Finding(code, at: .field("NODE[4].identifier", plus: plus), rule)
    return .fault(name, of: Samples.family, [finding], reason) { blueprint in
      try blueprint.set("NODE[4].identifier", bytes + [UInt8](repeating: 0, count: 19 - bytes.count), right: right)
    }
  }

  /// Returns a fault in the long form of the identifier of record 1, "left-hand-side-panel".
  private static func longForm(
    _ name: String, length: Int = 20, offset: Int = 0, _ code: String, _ plus: Int, _ rule: String, _ right: String, _ reason: String
  ) -> Specimen {
    let finding = Finding(code, at: .field("NODE[1].identifier", plus: plus), rule)
    return .fault(name, of: Samples.long, [finding], reason) { blueprint in
      let what = plus == 13 ? "length" : "offset"
      try blueprint.set("NODE[1].identifier", long("left-hand-si", length, offset), right: "\(what) \(right)")
    }
  }

  /// Returns a fault in the first twelve bytes of the same identifier in its record.
  private static func beginning(_ name: String, _ bytes: String, _ reason: String) -> Specimen {
    .fault(
      name, of: Samples.long, [Finding("identifier-form", at: .field("NODE[1].identifier", plus: 1), "R-6.5-1")], reason
    ) { try $0.set("NODE[1].identifier", long(bytes, 20, 0), right: "\"left-hand-si\"") }
  }

  /// Returns the long form of an identifier with a twelve-byte beginning.
  private static func long(_ beginning: String, _ length: Int, _ offset: Int) -> [UInt8] {
    [0xff] + Array(beginning.utf8) + Bytes.u16(length) + Bytes.u32(offset)
  }

  static let strings: [Specimen] = [
    .fault(
      "strings-exchanged", of: Samples.long, [string("string-order", 1, "left-hand-side-panel")],
      "Long identifiers lie in the order in which the records use them."
    ) { blueprint in
      blueprint.sections[1].pieces.swapAt(0, 1)
      try blueprint.set("NODE[1].identifier", long("left-hand-si", 20, 21), right: "offset 0")
      try blueprint.adapt("NODE[2].identifier", long("right-hand-s", 21, 0))
    },
    .fault(
      "strings-with-gap", of: Samples.long, [string("string-order", 2, "right-hand-side-panel")], "A byte between two long identifiers."
    ) { blueprint in
      try blueprint.insert([Piece("extra", [0], "")], before: "STRS[1]", right: "nothing here")
      try blueprint.adapt("NODE[2].identifier", long("right-hand-s", 21, 21))
    },
    .fault(
      "string-within-another", of: Draft(nodes: [DraftNode("abcdefghijklmnopqrstu"), DraftNode("cdefghijklmnopqrstu")]),
      [string("string-order", 2, "cdefghijklmnopqrstu")], "A long identifier that is a part of another is stored all the same."
    ) { blueprint in
      try blueprint.remove("STRS[1]", right: nil)
      try blueprint.set(
        "NODE[2].identifier", long("cdefghijklmn", 19, 2), right: "offset 21, and the identifier there")
    },
    .fault(
      "string-overlapping-another", of: Draft(nodes: [DraftNode("abcdefghijklmnopqrstu"), DraftNode("stustustustustustustu")]),
      [string("string-order", 2, "stustustustustustustu")], "A long identifier begins with the end of another."
    ) { blueprint in
      try blueprint.adapt("STRS[1]", Array("stustustustustustu".utf8))
      try blueprint.set(
        "NODE[2].identifier", long("stustustustu", 21, 18), right: "offset 21, and the whole identifier there")
    },
    .fault(
      "string-twice",
      of: Draft(nodes: [
        DraftNode("a", children: [DraftNode("content-view-of-notes")]), DraftNode("b", children: [DraftNode("content-view-of-notes")]),
      ]),
      [string("duplicate-string", 4, "b/content-view-of-notes")], "A long identifier is stored once, however many nodes have it."
    ) { blueprint in
      try blueprint.insert(
        [Piece("extra", Array("content-view-of-notes".utf8), "the same again", textStart: 0)], after: "STRS[0]", right: "nothing here")
      try blueprint.adapt("NODE[4].identifier", long("content-view", 21, 21))
    },
    .fault(
      "string-section-with-a-byte-more", of: Samples.long, [Finding("unused-bytes", at: "fault", "R-6.5-3")],
      "A byte behind the last long identifier."
    ) { try $0.insert([Piece("extra", [0], "")], after: "STRS[1]", right: "nothing here") },
    .fault(
      "string-section-unused", of: Samples.family, [Finding("unused-bytes", at: "STRS", "R-6.5-3")],
      "No identifier is long, but the section is not empty."
    ) { blueprint in
      var extra = Piece("extra", Array("nobody-uses-this".utf8), "", textStart: 0)
      extra.fault = "nothing here"
      blueprint.sections[1].pieces.append(extra)
    },
  ]

  private static func string(_ code: String, _ record: Int, _ path: String) -> Finding {
    Finding(code, at: .field("NODE[\(record)].identifier", plus: 15), "R-6.5-3", path: path)
  }
}
