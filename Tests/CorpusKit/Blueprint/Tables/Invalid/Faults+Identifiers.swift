extension Faults {
  static let identifiers: [Specimen] = [
    short(
      "identifier-empty", [0] + [UInt8](repeating: 0, count: 10), "identifier-form", 0, "R-6.5-1", "a length from 1 to 10, or ff",
      "An identifier has at least one byte (R-3.1-1)."),
    short(
      "identifier-length-11", [11] + Array("leaf-leaf1".utf8), "identifier-form", 0, "R-6.5-1", "a length from 1 to 10, or ff",
      "Eleven bytes do not fit into the field."),
    short(
      "identifier-length-254", [254] + Array("leaf".utf8) + [0, 0, 0, 0, 0, 0], "identifier-form", 0, "R-6.5-1",
      "a length from 1 to 10, or ff", "Only ff is the mark of the long form."),
    short(
      "identifier-with-byte-behind", [4] + Array("leaf".utf8) + [0, 0, 0, 0, 0, 1], "identifier-form", 1, "R-6.5-1",
      "zeros up to the end of the field", "Bytes behind the identifier could hide anything."),
    short(
      "identifier-ill-formed", [4] + Array("lea".utf8) + [0xff, 0, 0, 0, 0, 0, 0], "invalid-utf8", 4, "R-5.2-1", "well-formed UTF-8",
      "An identifier is well-formed UTF-8 (R-3.1-1)."),
    short(
      "identifier-cut", [4] + Array("lea".utf8) + [0xc3, 0, 0, 0, 0, 0, 0], "invalid-utf8", 4, "R-5.2-1", "well-formed UTF-8",
      "The zeros behind an identifier do not belong to it."),
    longForm(
      "identifier-of-10-bytes-in-long-form", length: 10, "identifier-form", 5, "R-6.5-1", "15", "Up to ten bytes have the short form."),
    longForm(
      "identifier-of-0-bytes-in-long-form", length: 0, "identifier-form", 5, "R-6.5-1", "15",
      "An identifier has at least one byte (R-3.1-1)."),
    longForm(
      "identifier-of-65535-bytes", length: 65_535, "identifier-form", 5, "R-6.5-1", "15", "An identifier has at most 1,024 bytes (R-3.1-1)."
    ),
    longForm(
      "identifier-past-end", offset: 17, "identifier-range", 7, "R-6.5-2", "0",
      "STRS has 31 bytes: the last one of the identifier is missing."),
    longForm("identifier-behind-end", offset: 31, "identifier-range", 7, "R-6.5-2", "0", "The identifier would begin where STRS ends."),
    longForm(
      "identifier-offset-2-to-the-31", offset: 0x8000_0000, "identifier-range", 7, "R-6.5-2", "0",
      "An offset that is negative if taken as signed."),
    longForm(
      "identifier-offset-2-to-the-32-less-1", offset: 0xffff_ffff, "identifier-range", 7, "R-6.5-2", "0",
      "Offset and length do not fit into 32 bits together."),
    .fault(
      "identifier-with-other-beginning", in: "invalid/6.5-identifiers", of: Samples.long,
      [Finding("identifier-form", at: .field("NODE[1].identifier", plus: 1), "R-6.5-1")],
      "The four bytes in the record must be those of the identifier, else a search goes astray."
    ) { try $0.set("NODE[1].identifier", [0xff] + Array("lift".utf8) + Bytes.u16(15) + Bytes.u32(0), right: "\"left\"") },
    .fault(
      "long-identifier-ill-formed", in: "invalid/6.5-identifiers", of: Samples.long,
      [Finding("invalid-utf8", at: .field("STRS[0]", plus: 12), "R-5.2-1")], "A surrogate in a long identifier (R-3.1-1)."
    ) { try $0.set("STRS[0]", Array("left-side-pa".utf8) + [0xed, 0xa0, 0x80], right: "well-formed UTF-8") },
    .fault(
      "long-identifier-cut", in: "invalid/6.5-identifiers", of: Samples.long,
      [Finding("invalid-utf8", at: .field("STRS[0]", plus: 14), "R-5.2-1")],
      "The identifier ends within a scalar value; what follows in STRS belongs to another one."
    ) { try $0.set("STRS[0]", Array("left-side-pane".utf8) + [0xc3], right: "well-formed UTF-8") },
  ]

  /// A fault in the identifier of the last record, "leaf".
  private static func short(
    _ name: String, _ bytes: [UInt8], _ code: String, _ plus: Int, _ rule: String, _ right: String, _ reason: String
  ) -> Specimen {
    let finding = Finding(code, at: .field("NODE[4].identifier", plus: plus), rule)
    return .fault(name, in: "invalid/6.5-identifiers", of: Samples.family, [finding], reason) { blueprint in
      try blueprint.set("NODE[4].identifier", bytes, right: right)
    }
  }

  /// A fault in the long form of the identifier of record 1, "left-side-panel".
  private static func longForm(
    _ name: String, length: Int = 15, offset: Int = 0, _ code: String, _ plus: Int, _ rule: String, _ right: String, _ reason: String
  ) -> Specimen {
    let finding = Finding(code, at: .field("NODE[1].identifier", plus: plus), rule)
    return .fault(name, in: "invalid/6.5-identifiers", of: Samples.long, [finding], reason) { blueprint in
      let what = plus == 5 ? "length" : "offset"
      let bytes = [0xff] + Array("left".utf8) + Bytes.u16(length) + Bytes.u32(offset)
      try blueprint.set("NODE[1].identifier", bytes, right: "\(what) \(right)")
    }
  }

  static let strings: [Specimen] = [
    .fault(
      "strings-exchanged", in: "invalid/6.5-identifiers", of: Samples.long, [string("string-order", 1, "left-side-panel")],
      "Long identifiers lie in the order in which the records use them."
    ) { blueprint in
      blueprint.sections[1].pieces.swapAt(0, 1)
      try blueprint.set("NODE[1].identifier", [0xff] + Array("left".utf8) + Bytes.u16(15) + Bytes.u32(16), right: "offset 0")
      try blueprint.adapt("NODE[2].identifier", [0xff] + Array("righ".utf8) + Bytes.u16(16) + Bytes.u32(0))
    },
    .fault(
      "strings-with-gap", in: "invalid/6.5-identifiers", of: Samples.long, [string("string-order", 2, "right-side-panel")],
      "A byte between two long identifiers."
    ) { blueprint in
      try blueprint.insert([Piece("extra", [0], "")], before: "STRS[1]", right: "nothing here")
      try blueprint.adapt("NODE[2].identifier", [0xff] + Array("righ".utf8) + Bytes.u16(16) + Bytes.u32(16))
    },
    .fault(
      "string-within-another", in: "invalid/6.5-identifiers", of: Draft(nodes: [DraftNode("abcdefghijklm"), DraftNode("cdefghijklm")]),
      [string("string-order", 2, "cdefghijklm")], "A long identifier that is a part of another is stored all the same."
    ) { blueprint in
      try blueprint.remove("STRS[1]", right: nil)
      try blueprint.set(
        "NODE[2].identifier", [0xff] + Array("cdef".utf8) + Bytes.u16(11) + Bytes.u32(2), right: "offset 13, and the identifier there")
    },
    .fault(
      "string-overlapping-another", in: "invalid/6.5-identifiers",
      of: Draft(nodes: [DraftNode("abcdefghijklm"), DraftNode("klmklmklmklm")]),
      [string("string-order", 2, "klmklmklmklm")], "A long identifier begins with the end of another."
    ) { blueprint in
      try blueprint.adapt("STRS[1]", Array("klmklmklm".utf8))
      try blueprint.set(
        "NODE[2].identifier", [0xff] + Array("klmk".utf8) + Bytes.u16(12) + Bytes.u32(10),
        right: "offset 13, and the whole identifier there")
    },
    .fault(
      "string-twice", in: "invalid/6.5-identifiers",
      of: Draft(nodes: [DraftNode("a", children: [DraftNode("content-view")]), DraftNode("b", children: [DraftNode("content-view")])]),
      [string("duplicate-string", 4, "b/content-view")], "A long identifier is stored once, however many nodes have it."
    ) { blueprint in
      try blueprint.insert(
        [Piece("extra", Array("content-view".utf8), "the same again", textStart: 0)], after: "STRS[0]", right: "nothing here")
      try blueprint.adapt("NODE[4].identifier", [0xff] + Array("cont".utf8) + Bytes.u16(12) + Bytes.u32(12))
    },
    .fault(
      "string-section-with-a-byte-more", in: "invalid/6.5-identifiers", of: Samples.long, [Finding("unused-bytes", at: "fault", "R-6.5-3")],
      "A byte behind the last long identifier."
    ) { try $0.insert([Piece("extra", [0], "")], after: "STRS[1]", right: "nothing here") },
    .fault(
      "string-section-unused", in: "invalid/6.5-identifiers", of: Samples.family, [Finding("unused-bytes", at: "STRS", "R-6.5-3")],
      "No identifier is long, but the section is not empty."
    ) { blueprint in
      var extra = Piece("extra", Array("nobody-uses-this".utf8), "", textStart: 0)
      extra.fault = "nothing here"
      blueprint.sections[1].pieces.append(extra)
    },
  ]

  private static func string(_ code: String, _ record: Int, _ path: String) -> Finding {
    Finding(code, at: .field("NODE[\(record)].identifier", plus: 7), "R-6.5-3", path: path)
  }
}
