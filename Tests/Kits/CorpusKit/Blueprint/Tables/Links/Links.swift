/// The links and chains of the corpus (Spec chapter 15).
struct Links {
  /// The digest of the file that names itself.
  private static let selfDigest: UInt64 = 0x5e1f_5e1f_5e1f_5e1f
  /// The digests of two files that name each other.
  private static let pairDigests: (UInt64, UInt64) = (0x1111_1111_1111_1111, 0x2222_2222_2222_2222)

  private(set) var specimens: [Specimen] = []
  private(set) var damages: [Damage] = []
  private var rows: [String] = []
  private var madeRows: [String] = []
  let digest: UInt64

  /// Creates all links and chains.
  init() throws {
    digest = try LinkSamples.digest(of: LinkSamples.base)
    add("base", LinkSamples.base, "The archive that the links change: a window with four children.")
    try addLinks()
    try addPaths()
    try addForged()
    try addInapplicable()
    try addFaulty()
    try addDamaged()
  }

  /// The table of chains.
  var chains: String { Self.table(rows) }

  /// The table of canonical links.
  var made: String { Self.table(madeRows) }

  private static func table(_ rows: [String]) -> String {
    rows.sorted { Bytes.ascends($0, $1) }.map { $0 + "\n" }.joined()
  }

  private mutating func add(_ name: String, _ draft: Draft, _ reason: String) {
    specimens.append(
      Specimen(folder: LinkSamples.folder, name: name, draft: draft, hasJSON: false, reason: reason))
  }

  /// Adds a specimen.
  mutating func append(_ specimen: Specimen) {
    specimens.append(specimen)
  }

  /// Adds a damaged copy of a specimen.
  mutating func append(_ damage: Damage) {
    damages.append(damage)
  }

  /// Adds the chain of the base and a link at fault.
  mutating func addChain(base link: String, error: String) {
    addChain(["base", link], applied: 0, result: "base", error: error)
  }

  /// Adds a chain; `error` has the code, the offset or `-`, and the rule, as in an `.expect` file.
  mutating func addChain(_ files: [String], applied: Int, result: String, error: String = "-") {
    rows.append("\(files.joined(separator: " "))\t\(applied)\t\(result)\t\(error)")
  }

  /// Adds the canonical link from one archive to another, after a file of a chain.
  private mutating func addMade(_ old: String, _ new: String, after file: String? = nil, _ link: String) {
    madeRows.append("\(old)\t\(new)\t\(file ?? old)\t\(link)")
  }

  /// Adds a link after the base, the archive that it makes, and their chain.
  private mutating func addLink(_ name: String, _ link: Draft, to result: Draft, isCanonical: Bool = true, _ reason: String) {
    add(name, link, reason)
    add("\(name)-result", result, "What the link \(name) makes of the base.")
    addChain(["base", name], applied: 1, result: "\(name)-result")
    if isCanonical { addMade("base", "\(name)-result", name) }
  }

  private mutating func addLinks() throws {
    let children = LinkSamples.base.nodes[0].children
    add("nothing", LinkSamples.link(after: digest, [1], nil), "The canonical link from an archive to itself.")
    addChain(["base", "nothing"], applied: 1, result: "base")
    addMade("base", "base", "nothing")
    let changed = DraftNode("a", state: ["n": 9, "see": .reference(["root", "c", "x"])])
    addLink(
      "changed", LinkSamples.link(after: digest, [1, 1, 0], [changed]), to: LinkSamples.archive([changed] + children[1...]),
      "One changed node, which refers to one that the link does not have.")
    addLink(
      "application", LinkSamples.link(after: digest, [0], nil, version: "2", application: ["theme": "light"]),
      to: LinkSamples.archive(children, version: "2", theme: "light"), "The state of the application and the header change.")
    addLink(
      "removed", LinkSamples.link(after: digest, [1, 1, 2], [DraftNode("c")]),
      to: LinkSamples.archive(children.filter { $0.identifier != "c" }), "A node is removed, with everything below it.")
    let added = DraftNode("e", type: "Row", state: ["n": 5], children: [DraftNode("y")])
    addLink(
      "added", LinkSamples.link(after: digest, [1, 1, 1, 4, 1, 4, 0], [DraftNode("d"), added]),
      to: LinkSamples.archive(children + [added]), "A new node after the last one, with a node below it.")
    let removed = try LinkSamples.digest(of: LinkSamples.link(after: digest, [1, 1, 2], [DraftNode("c")]))
    let again = DraftNode("c", state: ["n": 6])
    add(
      "recreated", LinkSamples.link(after: removed, [1, 1, 1, 4, 1], [DraftNode("b"), again]),
      "The node that the link before has removed is new: what was below it stays away.")
    add(
      "recreated-result", LinkSamples.archive([children[0], children[1], again, children[3]]), "What the chain makes of the base.")
    addChain(["base", "removed", "recreated"], applied: 2, result: "recreated-result")
    addMade("removed-result", "recreated-result", after: "removed", "recreated")
    addChain(["base", "recreated"], applied: 0, result: "base", error: "wrong-base - R-15.3-1")
    addChain(["removed", "recreated"], applied: 0, result: "removed", error: "wrong-base - R-15.4-2")
    addChain(["base", "base"], applied: 0, result: "base", error: "wrong-base - R-15.4-2")
    addChain(["base", "changed", "changed"], applied: 1, result: "changed-result", error: "wrong-base - R-15.3-1")
  }

  private mutating func addPaths() throws {
    let children = LinkSamples.base.nodes[0].children
    addLink(
      "order", LinkSamples.link(after: digest, [1, 1, 5, 2, 1, 5, 0], [DraftNode("b"), DraftNode("c"), DraftNode("d")]),
      to: LinkSamples.archive([children[3], children[0], children[2], children[1]]), isCanonical: false,
      "Children that move among their siblings: d comes first, and b directly after c.")
    add(
      "order-canonical", LinkSamples.link(after: digest, [1, 1, 1, 5, 1, 5, 0], [DraftNode("a"), DraftNode("c"), DraftNode("d")]),
      "The canonical link for the same order: of a, b and c, in the order a, c, b, the two that stay are a and b, since b was before c.")
    addChain(["base", "order-canonical"], applied: 1, result: "order-result")
    addMade("base", "order-result", "order-canonical")
    addLink(
      "swapped", LinkSamples.link(after: digest, [1, 1, 5, 0], [DraftNode("b")]),
      to: LinkSamples.archive([children[1], children[0], children[2], children[3]]), "Two nodes change places: a stays, and b comes first.")
    add(
      "swapped-otherwise", LinkSamples.link(after: digest, [1, 1, 5, 2, 1], [DraftNode("a"), DraftNode("b")]),
      "The same change, with as many places but a record more: b stays, and a follows it. The link is not the canonical one.")
    addChain(["base", "swapped-otherwise"], applied: 1, result: "swapped-result")
    let below = DraftNode("c", children: [DraftNode("d", state: ["n": 4]), DraftNode("x")])
    let after = DraftNode("c", children: [DraftNode("x", state: ["n": 3]), DraftNode("d", state: ["n": 4])])
    addLink(
      "parent", LinkSamples.link(after: digest, [1, 1, 1, 2, 4, 2, 1], [below, DraftNode("d")]),
      to: LinkSamples.archive([children[0], children[1], after]),
      "A node that moves to another parent is removed in one place and new in the other; the reference to its old path stays.")
    let run = ["p", "q", "r"].map { DraftNode($0) }
    addLink(
      "run", LinkSamples.link(after: digest, [1, 1, 1, 4, 4, 4, 2, 4, 1], [DraftNode("a")] + run),
      to: LinkSamples.archive([children[0], run[2], run[0], run[1]].map { $0 } + children[1...]),
      "Places that follow each other, in another order than the identifiers: r, p and q after a.")
  }

  private mutating func addForged() throws {
    // The free bytes must be among the last ones of the metadata, so there are no types and keys.
    let plain = Draft(header: ["bundleVersion": "1"], nodes: [DraftNode("a")])
    let selfNaming = LinkSamples.link(after: Self.selfDigest, [1], nil)
    add("itself", try ForgedDigest.forged(selfNaming, digest: Self.selfDigest), "A link that names itself: a forged digest.")
    add(
      "before-itself", try ForgedDigest.forged(plain, digest: Self.selfDigest),
      "An archive with the same forged digest as a link that names itself, so that the longest chain has two files.")
    let result = try ForgedDigest.forged(selfNaming, digest: Self.selfDigest)
    var content = plain
    content.header = DraftEntries(result.header.entries.filter { $0.key != "baseContentDigest" }.map { ($0.key, $0.value) })
    add("itself-result", content, "What a link that names itself makes of the archive before it.")
    addChain(["before-itself", "itself*128"], applied: 128, result: "itself-result")
    addChain(["before-itself", "itself*129"], applied: 128, result: "itself-result", error: "chain-length - R-15.4-1")
    addChain(["before-itself", "itself*128", "damaged"], applied: 128, result: "itself-result", error: "chain-length - R-15.4-1")
    addChain(["itself", "itself"], applied: 0, result: "itself", error: "wrong-base - R-15.4-2")
    let (first, second) = Self.pairDigests
    add(
      "pair-1", try ForgedDigest.forged(LinkSamples.link(after: second, [1], nil), digest: first),
      "One of two links that name each other: forged digests.")
    add(
      "pair-2", try ForgedDigest.forged(LinkSamples.link(after: first, [1], nil), digest: second),
      "The other one of two links that name each other.")
    addChain(["base", "pair-1", "pair-2"], applied: 0, result: "base", error: "wrong-base - R-15.3-1")
  }

  private mutating func addInapplicable() throws {
    let absent = [DraftNode("zz")]
    for (name, entries, reason) in [
      ("absent-unchanged", [1, 1, 1], "A node that is unchanged must exist."),
      ("absent-unchanged-with-place", [1, 1, 5, 0], "A node that is unchanged must exist, even if it has a place."),
      ("absent-removed", [1, 1, 2], "A node that is removed must exist."),
      ("absent-without-place", [1, 1, 0], "A new node must have a place."),
    ] as [(String, [UInt8], String)] {
      try addMissing(name, LinkSamples.link(after: digest, entries, absent), record: 2, path: "root/zz", reason)
    }
    try addMissing(
      "absent-several", LinkSamples.link(after: digest, [1, 1, 1, 1, 1], [DraftNode("a", children: [DraftNode("q")])] + absent), record: 3,
      path: "root/zz", "Two nodes do not exist: the one with the smaller index counts, though the other one comes first in preorder.")
    var later = LinkSamples.link(after: digest, [1], nil)
    later.minorVersion = 1
    add("later-version", later, "A link of another minor version than the file before it.")
    addChain(base: "later-version", error: "wrong-base - R-15.3-3")
    later = LinkSamples.link(after: digest, [1, 1, 1], absent)
    later.minorVersion = 1
    add("later-version-and-absent", later, "A link of another minor version with a node that does not exist: the version counts.")
    addChain(base: "later-version-and-absent", error: "wrong-base - R-15.3-3")
    later = LinkSamples.link(after: 1, [1], nil)
    later.minorVersion = 1
    add("later-version-elsewhere", later, "A link of another minor version after another file: the file counts.")
    addChain(base: "later-version-elsewhere", error: "wrong-base - R-15.3-1")
  }

  /// Adds a link with a record whose node does not exist.
  private mutating func addMissing(_ name: String, _ link: Draft, record: Int, path: String, _ reason: String) throws {
    add(name, link, reason)
    let offset = try Place.field("NODE[\(record)].parent", plus: 0).offset(in: Blueprint(link).assemble())
    addChain(base: name, error: ExpectedFinding(code: "missing-node", offset: offset, rule: "R-15.3-2", path: path).description)
  }
}
