extension Vectors {
  static let sections: [Specimen] = [
    .vector(
      "section-safe-to-copy", Draft(sections: [DraftSection(code: "exAm", bytes: [1, 2, 3], base64: "AQID")]),
      "An unknown ancillary section that a rewriting program keeps."),
    .vector(
      "section-not-safe-to-copy", Draft(sections: [DraftSection(code: "exAM", bytes: [1, 2, 3], base64: "AQID")]),
      "An unknown ancillary section that a rewriting program drops when anything else changes."),
    .vector(
      "section-registered-later", Draft(sections: [DraftSection(code: "nOTe", bytes: Array("text".utf8), base64: "dGV4dA==")]),
      "The second letter says that the code is registered; this version does not know it, and passes it over."),
    .vector(
      "section-beside-sensitive-value",
      Draft(application: ["token": .sensitive("abc")], sections: [DraftSection(code: "exAm", bytes: Array("abc".utf8), base64: "YWJj")]),
      "A program that puts something else in the place of the sensitive value leaves out the section, which may have it too (R-8-7)."),
    .vector(
      "section-empty", Draft(sections: [DraftSection(code: "exAm", bytes: [], base64: "")]), "A section may be empty."),
    .vector(
      "sections-sorted",
      Draft(
        application: ["n": 1],
        sections: [
          DraftSection(code: "zzZz", bytes: [3], base64: "Aw=="), DraftSection(code: "exAm", bytes: [2], base64: "Ag=="),
          DraftSection(code: "exAM", bytes: [1], base64: "AQ=="),
        ]),
      "Ancillary sections lie in ascending order of their codes, capitals before small letters."),
  ]
}
