extension Vectors {
  static let identifiers: [Specimen] = [
    identifier("1-byte", "a", "The shortest identifier."),
    identifier("18-bytes", "navigation-bar-top", "The longest identifier in short form: no padding."),
    identifier("19-bytes", "navigation-bar-top2", "The shortest identifier in long form."),
    identifier("1024-bytes", String(repeating: "0123456789abcdef", count: 64), "The longest identifier."),
    identifier("slash-and-tilde", "a/b~c", "In the text form of a path these are escaped; in the file they are not."),
    identifier("spaces", " a b ", "Spaces are kept."),
    identifier("newline", "a\nb\r", "Control characters are kept."),
    identifier("right-to-left", "\u{5e9}\u{5dc}", "Right-to-left text."),
    identifier("star", "**", "A pattern character means nothing in an identifier."),
    identifier("split-scalar", "abcdefghijk\u{e9}lmnopqrstu", "The first twelve bytes of a long identifier may end within a scalar value."),
    .vector(
      "identifiers-nfc-and-nfd", Draft(nodes: [DraftNode("\u{e9}"), DraftNode("e\u{301}")]),
      "Siblings whose identifiers look the same but differ in bytes."),
    .vector(
      "identifiers-with-nul", Draft(nodes: [DraftNode("a"), DraftNode("a\u{0}"), DraftNode("a\u{0}\u{0}")]),
      "Identifiers that differ only in zeros at their end: the length tells them apart."),
    .vector(
      "identifiers-prefixes",
      Draft(nodes: [
        DraftNode("navigation-bar-buttons"), DraftNode("navigation-bar"), DraftNode("navigation"), DraftNode("nav"), DraftNode("navi"),
      ]),
      "An identifier comes before those it begins, in short form or long."),
    .vector(
      "identifiers-same-beginning",
      Draft(nodes: [DraftNode("sidebar-section-three"), DraftNode("sidebar-section-one-a"), DraftNode("sidebar-section-two-b")]),
      "Long identifiers with the same first twelve bytes are told apart by STRS."),
    .vector(
      "identifiers-shared",
      Draft(nodes: [
        DraftNode("left-hand-side-panel", children: [DraftNode("content-view-of-notes"), DraftNode("toolbar-view-of-notes")]),
        DraftNode("right-hand-side-panel", children: [DraftNode("content-view-of-notes", children: [DraftNode("right-hand-side-panel")])]),
      ]),
      "A long identifier that several nodes have is stored once, where the first record uses it."),
  ]

  private static func identifier(_ name: String, _ identifier: String, _ reason: String) -> Specimen {
    .vector("identifier-\(name)", Draft(nodes: [DraftNode(identifier)]), reason)
  }
}
