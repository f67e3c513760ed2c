/// The archives that the links of the corpus lead from and to (Spec chapter 15).
enum LinkSamples {
  static let folder = "links"

  /// An app with one window and four children; "b" refers to "d".
  static let base = archive([
    DraftNode("a", state: ["n": 1]), DraftNode("b", state: ["n": 2, "see": .reference(["root", "d"])]),
    DraftNode("c", children: [DraftNode("x", state: ["n": 3])]), DraftNode("d", state: ["n": 4]),
  ])

  /// Returns an archive with these children of the window.
  static func archive(_ children: [DraftNode], version: String = "1", theme: DraftValue = "dark") -> Draft {
    Draft(
      header: ["bundleVersion": .string(version)], application: ["theme": theme],
      nodes: [DraftNode("root", type: "Window", schema: 2, state: ["zoom": 1], children: children)])
  }

  /// Returns a link after the file with a digest.
  ///
  /// `entries` are the bytes of the section LINK, `children` the records below the window in the order of their
  /// identifiers; nil is a link without the window.
  static func link(
    after digest: UInt64, _ entries: [UInt8], _ children: [DraftNode]?, version: String = "1", application: DraftEntries = [:]
  ) -> Draft {
    Draft(
      header: ["baseContentDigest": .string(digits(digest)), "bundleVersion": .string(version)], application: application,
      nodes: children.map { [DraftNode("root", children: $0)] } ?? [], sections: [DraftSection(code: "LINK", bytes: entries, base64: "")])
  }

  /// Returns the sixteen digits of a digest (R-15.1-2).
  static func digits(_ digest: UInt64) -> String {
    let digits = String(digest, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Returns the content digest of the file of a draft (Spec 4.2).
  static func digest(of draft: Draft) throws -> UInt64 {
    try Blueprint(draft).assemble().bytes[48..<56].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
