extension Links {
  /// Adds links that break a rule of Spec 15.1 or 15.2.
  mutating func addFaulty() throws {
    try addFaultyHeaders()
    try addFaultyRecords()
    try addFaultyPlaces()
  }

  private mutating func addFault(
    _ name: String, _ entries: [UInt8], _ children: [DraftNode]?, _ finding: Finding, _ reason: String, application: DraftEntries = [:]
  ) throws {
    let draft = LinkSamples.link(after: 1, entries, children, application: application)
    try addFault(.fault(name, in: LinkSamples.folder, of: draft, [finding], reason))
  }

  private mutating func addFault(_ name: String, _ draft: Draft, _ finding: Finding, _ reason: String) throws {
    try addFault(.fault(name, in: LinkSamples.folder, of: draft, [finding], reason))
  }

  /// Adds a link with a finding, and its chain after the base.
  mutating func addFault(_ specimen: Specimen) throws {
    append(specimen)
    let file = try specimen.assemble()
    for finding in specimen.findings { addChain(base: specimen.name, error: try finding.expected(in: file).description) }
  }

  private mutating func addFaultyHeaders() throws {
    var draft = LinkSamples.link(after: 1, [1], nil)
    draft.header = [:]
    try addFault(
      "digest-missing", draft, Finding("link-header", at: "header.count", "R-15.1-1"), "A link names the file before it.")
    for (name, digits, reason) in [
      ("digest-in-capitals", "00000000000000AB", "The digits are small letters."),
      ("digest-short", "000000000000001", "A digest has 16 digits."),
      ("digest-long", "00000000000000001", "A digest has 16 digits, and no more."),
    ] {
      draft.header = ["baseContentDigest": .string(digits)]
      try addFault(name, draft, Finding("link-header", at: "header[0].value", "R-15.1-2"), reason)
    }
    draft.header = ["baseContentDigest": 1]
    try addFault("digest-as-integer", draft, Finding("header-type", at: "header[0].value", "R-3.3-2"), "A digest is a string.")
  }

  private mutating func addFaultyRecords() throws {
    let node = [DraftNode("a")]
    try addFault(
      "entry-missing", [1, 1], node, Finding("unexpected-end", at: .end("LINK"), "R-5.3-1"), "Each record has an entry.")
    try addFault(
      "entry-too-many", [1, 1, 1, 1], node, Finding("unused-bytes", at: .field("LINK", plus: 3), "R-15.2-1"),
      "There are no more entries than records.")
    for (name, change) in [("entry-3", 3), ("entry-6", 6), ("entry-8", 8)] as [(String, UInt8)] {
      try addFault(
        name, [1, 1, change], node, Finding("link-entry", at: .field("LINK", plus: 2), "R-15.2-1"), "There is no such change.")
    }
    try addFault(
      "entry-of-application", [2, 1, 1], node, Finding("link-entry", at: "LINK", "R-15.2-1"), "The application cannot be removed.")
    try addFault(
      "application-unchanged-with-state", [1], nil, Finding("link-record", at: "NODE[0].stateLength", "R-15.2-2", path: ""),
      "What is unchanged has no state here.", application: ["n": 1])
    try addFault(
      "unchanged-with-state", [1, 1, 1], [DraftNode("a", state: ["n": 1])],
      Finding("link-record", at: "NODE[2].stateLength", "R-15.2-2", path: "root/a"), "What is unchanged has no state here.")
    try addFault(
      "unchanged-with-type", [1, 1, 1], [DraftNode("a", type: "T")],
      Finding("link-record", at: "NODE[2].type", "R-15.2-2", path: "root/a"), "What is unchanged has no type here.")
    var draft = LinkSamples.link(after: 1, [1, 1, 1], [DraftNode("a", origin: 1)])
    draft.origins = [DraftOrigin(bundleVersion: "40")]
    try addFault(
      "unchanged-with-origin", draft, Finding("link-record", at: "NODE[2].origin", "R-15.2-2", path: "root/a"),
      "What is unchanged has no origin here.")
    let flagged = LinkSamples.link(after: 1, [1, 1, 1], node)
    try addFault(
      .fault(
        "unchanged-with-flags", in: LinkSamples.folder, of: flagged, [Finding("unexpected-end", at: "STAT", "R-5.3-1", path: "root/a")],
        "What is unchanged has no provider here; that its names are missing is found first."
      ) { try $0.set("NODE[2].flags", [1], right: "00") })
    try addFault(
      "removed-with-type", [1, 1, 2], [DraftNode("a", type: "T")],
      Finding("link-record", at: "NODE[2].type", "R-15.2-2", path: "root/a"), "What is removed has no type.")
    try addFault(
      "removed-with-children", [1, 1, 2, 1], [DraftNode("a", children: node)],
      Finding("link-record", at: "NODE[2].childCount", "R-15.2-2", path: "root/a"), "Nothing is below what is removed.")
    try addFault(
      "siblings-in-other-order", [1, 1, 1, 1], [DraftNode("b"), DraftNode("a")],
      Finding("saved-order", at: "NODE[2].savedOrder", "R-15.2-3", path: "root/a"), "Siblings are in the order of their identifiers.")
  }

  private mutating func addFaultyPlaces() throws {
    let nodes = [DraftNode("a"), DraftNode("b"), DraftNode("c")]
    for (name, entries, place, reason) in [
      ("place-after-itself", [1, 1, 1, 5, 2, 1], 4, "A node does not follow itself."),
      ("place-beyond-siblings", [1, 1, 1, 5, 4, 1], 4, "There are three siblings."),
      ("place-after-removed", [1, 1, 2, 5, 1, 1], 3, "A node cannot follow one that is gone."),
      ("place-taken", [1, 1, 1, 5, 1, 5, 1], 5, "Only one node comes directly after another."),
      ("place-first-taken", [1, 1, 5, 0, 5, 0, 1], 4, "Only one node is the first."),
    ] as [(String, [UInt8], Int, String)] {
      try addFault(name, entries, nodes, Finding("link-place", at: .field("LINK", plus: place), "R-15.2-4"), reason)
    }
    try addFault(
      "circle-of-two", [1, 1, 1, 5, 3, 5, 2], nodes, Finding("link-cycle", at: .field("LINK", plus: 3), "R-15.2-5"),
      "Two nodes that follow each other.")
    try addFault(
      "circle-of-three", [1, 1, 5, 3, 5, 1, 5, 2], nodes, Finding("link-cycle", at: .field("LINK", plus: 2), "R-15.2-5"),
      "Three nodes that follow each other in a circle.")
  }
}
