extension Links {
  /// Adds damaged links and bases: what costs content and what does not (R-15.4-3).
  mutating func addDamaged() throws {
    let draft = LinkSamples.link(after: digest, [1, 1, 0], [DraftNode("a", state: ["n": 9])])
    try addDamagedBlock("damaged", draft, chain: ["base", "damaged"], "A damaged link.")
    let block = "block-damaged 0x\(String(try Place.field("body", plus: 0).offset(in: Blueprint(draft).assemble()), radix: 16)) R-4.4-2"
    addChain(["base", "damaged", "recreated"], applied: 0, result: "base", error: block)
    addChain(["base", "changed", "damaged"], applied: 1, result: "changed-result", error: block)
    try addDamagedBlock(
      "damaged-base", LinkSamples.base, chain: ["damaged-base", "changed"],
      "A damaged base: no link can be applied, and the base is not changed.")
    addHarmless()
    try addIntactFaults(draft)
    try addHarmful()
  }

  /// Adds links in which every block is intact and a finding that is no damage counts.
  private mutating func addIntactFaults(_ draft: Draft) throws {
    try addFault(
      .fault(
        "prefix-copies-differ", in: LinkSamples.folder, of: draft, [Finding("prefix-copies-differ", at: "prefixCopy", "R-4.1-1")],
        "Both prefixes are intact and differ: that is no damage, and the link cannot be applied."
      ) { try $0.set("prefixCopy.minorVersion", Bytes.u16(1), right: "0, as in the first copy") })
    try addFault(
      .fault(
        "unused-leaf", in: LinkSamples.folder, of: draft, [Finding("tree-padding", at: "tree.leaf[1]", "R-4.4-2")],
        "The unused leaf is not 0: that is no damage, and the link cannot be applied."
      ) { try $0.set("tree.leaf[1]", Bytes.u64(1), right: "0") })
    try addFault(
      .fault(
        "value-of-later-type", in: LinkSamples.folder,
        of: LinkSamples.link(after: digest, [1, 1, 0], [DraftNode("a", state: ["n": "x"])]),
        [Finding("unknown-value-type", at: "STAT[2].entry[0].value", "R-6.1-1", path: "root/a", key: "n")],
        "A value of unknown type: its keys cannot be renumbered, so the link cannot be applied."
      ) { try $0.adapt("STAT[2].entry[0].value", [0xc0, 0x00]) })
  }

  /// Adds damage of both copies, with which a link cannot be applied; the last finding of the list is the error.
  private mutating func addHarmful() throws {
    guard let link = specimens.first(where: { $0.name == "changed" }) else { return }
    let file = try link.assemble()
    let prefix = Finding("prefix-damaged", at: "prefix", "R-4.2-2")
    let metadata = [Finding("metadata-damaged", at: "metadata", "R-4.3-1"), Finding("metadata-damaged", at: "metadataCopy", "R-4.3-1")]
    let tree = [Finding("tree-damaged", at: "tree", "R-4.4-1"), Finding("tree-damaged", at: "treeCopy", "R-4.4-1")]
    let cases: [(part: String, steps: [Damage.Step], findings: [Finding])] = [
      ("prefixes", [.flip("prefix.prefixDigest", mask: 0x01), .flip("prefixCopy", mask: 0x80)], [prefix]),
      ("metadata", [.flip("directory.count", mask: 0x01), .flip("metadataCopy", mask: 0x01)], metadata),
      (
        "trees", [.flip("tree.leaf[0]", mask: 0x01), .flip("treeCopy", mask: 0x01)],
        tree + [Finding("blocks-unverifiable", at: "body", "R-4.4-3")]
      ),
    ]
    for (part, steps, findings) in cases {
      let name = "changed-damaged-both-\(part)"
      append(
        Damage(name, in: LinkSamples.folder, of: link, steps, findings, "Both copies are damaged, so that content is lost to a reader."))
      if let error = findings.last { addChain(base: name, error: try error.expected(in: file).description) }
    }
  }

  private mutating func addDamagedBlock(_ name: String, _ draft: Draft, chain: [String], _ reason: String) throws {
    let finding = Finding("block-damaged", at: "body", "R-4.4-2")
    let specimen = Specimen.fault(name, in: LinkSamples.folder, of: draft, [finding], reason) {
      try $0.set("tree.leaf[0]", Bytes.u64(7), right: "the checksum of the block")
    }
    append(specimen)
    addChain(chain, applied: 0, result: chain[0], error: try finding.expected(in: specimen.assemble()).description)
  }

  /// Adds damage of spare copies, with which a chain gives the same archive.
  private mutating func addHarmless() {
    let prefix = Finding("prefix-damaged", at: "prefix", "R-4.2-2")
    let metadata = Finding("metadata-damaged", at: "metadataCopy", "R-4.3-1")
    let tree = Finding("tree-damaged", at: "tree", "R-4.4-1")
    let prefixBit = Damage.Step.flip("prefix.prefixDigest", mask: 0x01)
    let metadataBit = Damage.Step.flip("metadataCopy", mask: 0x01)
    let treeBit = Damage.Step.flip("tree.leaf[0]", mask: 0x01)
    let cases: [(suffix: String, steps: [Damage.Step], findings: [Finding], what: String)] = [
      ("first-prefix", [prefixBit], [prefix], "first prefix"),
      ("second-prefix", [.flip("prefixCopy", mask: 0x80)], [Finding("prefix-damaged", at: "prefixCopy", "R-4.2-2")], "second prefix"),
      (
        "first-metadata", [.flip("directory.count", mask: 0x01)], [Finding("metadata-damaged", at: "metadata", "R-4.3-1")],
        "first copy of the metadata"
      ),
      ("second-metadata", [metadataBit], [metadata], "second copy of the metadata"), ("tree", [treeBit], [tree], "first copy of the tree"),
      ("copies", [prefixBit, metadataBit, treeBit], [prefix, metadata, tree], "first prefix, the second metadata and the first tree"),
    ]
    for link in ["changed", "swapped"] {
      guard let original = specimens.first(where: { $0.name == link }) else { continue }
      for (suffix, steps, findings, what) in cases {
        let name = "\(link)-damaged-\(suffix)"
        append(
          Damage(name, in: LinkSamples.folder, of: original, steps, findings, "A bit of the \(what) is damaged: the link can be applied."))
        addChain(["base", name], applied: 1, result: "\(link)-result")
      }
    }
    guard let base = specimens.first(where: { $0.name == "base" }), let extra = specimens.first(where: { $0.name == "entry-too-many" })
    else { return }
    append(
      Damage(
        "base-damaged-copies", in: LinkSamples.folder, of: base, [prefixBit, metadataBit, treeBit], [prefix, metadata, tree],
        "A base with a damaged bit in a copy of each kind: links can be applied to it."))
    addChain(["base-damaged-copies", "changed"], applied: 1, result: "changed-result")
    addChain(["base-damaged-copies", "swapped"], applied: 1, result: "swapped-result")
    addChain(["base-damaged-copies", "changed-damaged-copies"], applied: 1, result: "changed-result")
    let fault = extra.findings[0]
    append(
      Damage(
        "entry-too-many-and-damaged-prefix", in: LinkSamples.folder, of: extra, [prefixBit], [prefix, fault],
        "A damaged prefix, and an entry too many in LINK, which is found beside it (F7)."))
    if let expected = try? fault.expected(in: extra.assemble()) {
      addChain(base: "entry-too-many-and-damaged-prefix", error: expected.description)
    }
  }
}
