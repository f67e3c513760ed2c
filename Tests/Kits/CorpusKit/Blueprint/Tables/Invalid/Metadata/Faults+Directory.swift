extension Faults {
  static let directory: [Specimen] = [
    .fault(
      "section-code-with-digit", of: Samples.rich, [Finding("section-code", at: "directory[3].code", "R-4.3-3")],
      "A section code is four letters."
    ) { try $0.set("directory[3].code", Array("exA1".utf8), right: "a letter instead of the digit") },
    .fault(
      "section-code-with-small-third-letter", of: Samples.rich, [Finding("section-code", at: "directory[3].code", "R-4.3-3")],
      "The third letter is reserved and always a capital."
    ) { try $0.set("directory[3].code", Array("exam".utf8), right: "exAm") },
    .fault(
      "section-code-beyond-ascii", of: Samples.rich, [Finding("section-code", at: "directory[3].code", "R-4.3-3")],
      "A letter of another alphabet, in Latin-1."
    ) { try $0.set("directory[3].code", [0xe4, 0x78, 0x41, 0x6d], right: "four ASCII letters") },
    letter("section-code-with-bracket", "exA[", "The byte behind Z is no letter."),
    letter("section-code-with-at-sign", "exA@", "The byte before A is no letter."),
    letter("section-code-with-brace", "exA{", "The byte behind z is no letter."),
    letter("section-code-with-grave-accent", "exA`", "The byte before a is no letter."),
    letter("section-code-with-bracket-as-third", "ex[m", "The third letter is a capital: the byte behind Z is none."),
    letter("section-code-with-at-sign-as-third", "ex@m", "The third letter is a capital: the byte before A is none."),
    .fault(
      "sections-exchanged", of: Samples.family, [Finding("section-order", at: "directory[0].code", "R-4.3-4")],
      "NODE, STRS and STAT come first, in this order."
    ) { blueprint in
      try blueprint.set("directory[0].code", Array("STRS".utf8), right: "NODE")
      try blueprint.adapt("directory[1].code", Array("NODE".utf8))
    },
    .fault(
      "section-node-twice", of: Samples.rich, [Finding("section-order", at: "directory[3].code", "R-4.3-4")],
      "A second NODE section behind the first three."
    ) { try $0.set("directory[3].code", Array("NODE".utf8), right: "the code of an ancillary section") },
    .fault(
      "sections-not-ascending", of: twoSections, [Finding("section-order", at: "directory[4].code", "R-4.3-4")],
      "Ancillary sections are sorted by their codes."
    ) { try $0.exchange("directory[3].code", "directory[4].code", right: "the other one comes second") },
    .fault(
      "section-twice", of: twoSections, [Finding("section-order", at: "directory[4].code", "R-4.3-4")], "No code occurs twice."
    ) { try $0.set("directory[4].code", Array("exAm".utf8), right: "another code") },
    .fault(
      "section-stat-missing", of: Samples.empty, [Finding("section-order", at: "directory.count", "R-4.3-4")],
      "All three sections must be there, even if they are empty."
    ) { blueprint in
      try blueprint.remove("directory[2].code", right: nil)
      try blueprint.remove("directory[2].length", right: nil)
      try blueprint.set("directory.count", [2], right: "3, with an entry for STAT")
    },
    .fault(
      "no-sections", of: Samples.empty, [Finding("section-order", at: "directory.count", "R-4.3-4")], "An empty directory."
    ) { blueprint in
      blueprint.metadata.removeAll { $0.label.hasPrefix("directory[") }
      try blueprint.set("directory.count", [0], right: "3, with entries for NODE, STRS and STAT")
    },
    sectionLengths("sections-one-byte-short", [("directory[3].length", 2)], "The last byte of the body belongs to no section."),
    sectionLengths("sections-one-byte-long", [("directory[3].length", 4)], "The last section runs past the body."),
    sectionLengths("sections-2-to-the-32-less-1", [("directory[2].length", 0xffff_ffff)], "The greatest length that can be stored."),
    sectionLengths(
      "sections-sum-overflows", [("directory[1].length", 0x8000_0000), ("directory[2].length", 0x8000_0004)],
      "Two lengths whose sum is right if it is computed in 32 bits."),
    .fault(
      "node-table-empty", of: Samples.empty, [Finding("node-table-length", at: "directory[0].code", "R-4.3-6")], "There is always record 0."
    ) { blueprint in
      try blueprint.set("directory[0].length", [0], right: "48")
      try blueprint.adapt("directory[1].length", [48])
    },
    .fault(
      "node-table-with-part-of-a-record", of: Samples.family, [Finding("node-table-length", at: "directory[0].code", "R-4.3-6")],
      "A byte behind the last record."
    ) { try $0.insert([Piece("extra", [0], "")], after: "NODE[4].identifier", right: "nothing here") },
    .fault(
      "node-table-with-cut-record", of: Samples.family, [Finding("node-table-length", at: "directory[0].code", "R-4.3-6")],
      "The last record has 47 bytes."
    ) { try $0.set("NODE[4].identifier", [4] + Array("leaf".utf8) + [UInt8](repeating: 0, count: 13), right: "one more zero") },
  ]

  private static func letter(_ name: String, _ code: String, _ reason: String) -> Specimen {
    .fault(
      name, of: Samples.rich, [Finding("section-code", at: "directory[3].code", "R-4.3-3")], reason
    ) { try $0.set("directory[3].code", Array(code.utf8), right: "four ASCII letters, the third a capital") }
  }

  private static let twoSections = Draft(sections: [
    DraftSection(code: "exAm", bytes: [1], base64: "AQ=="), DraftSection(code: "zzZz", bytes: [2], base64: "Ag=="),
  ])

  private static func sectionLengths(_ name: String, _ lengths: [(label: String, value: Int)], _ reason: String) -> Specimen {
    let finding = Finding("section-lengths", at: "directory.count", "R-4.3-5")
    return .fault(name, of: Samples.rich, [finding], reason) { blueprint in
      for (label, value) in lengths {
        let right = try blueprint.piece(label).meaning
        try blueprint.set(label, Bytes.varint(value), right: right)
      }
    }
  }
}
