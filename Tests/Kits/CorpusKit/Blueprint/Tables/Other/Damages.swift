/// Valid files with bytes changed afterwards.
enum Damages {
  /// The original files.
  static var bases: [Specimen] { [base, fullBase, deepBase, spareBase, deepEntry] }

  static var all: [Damage] { prefixes + metadataAndTree + deepTree + blocks + lengths }

  /// About 20 KiB: blocks 0 and 1 hold node records, 1 to 3 long identifiers, 3 to 5 state records.
  static let base = Specimen(
    folder: "damaged", name: "base", draft: baseDraft, hasJSON: true,
    reason: "The valid archive from which most damaged ones are made; NODE, STRS and STAT have a block of their own each.")

  private static let baseDraft = Draft(
    header: ["bundleVersion": "42", "timestamp": .date(816_901_200.25, json: "2026-11-20T21:00:00.250Z")],
    application: ["front": .reference(["window", "group-03-of-an-archive-that-gets-damaged"])],
    nodes: [DraftNode("window", type: "Window", children: (0..<24).map(group))], isCompact: true)

  private static func group(_ number: Int) -> DraftNode {
    let digits = number < 10 ? "0\(number)" : "\(number)"
    let leaves = (0..<5).map { place in
      let fill = [UInt8](repeating: UInt8(5 * number + place + 100), count: 60)
      let state: DraftEntries = ["fill": .data(fill), "row": .integer(Int128(place))]
      return DraftNode("leaf-\(digits)-\(place)-whose-name-is-too-long-for-its-record", type: "Leaf", state: state)
    }
    return DraftNode("group-\(digits)-of-an-archive-that-gets-damaged", type: "Group", schema: number % 2, children: leaves)
  }

  private static let prefixes: [Damage] = [
    Damage(
      "front-prefix-bit", of: base, [.flip("prefix.minorVersion", mask: 0x01)], [front],
      "One bit of the first prefix: the second one stands in."),
    Damage(
      "front-prefix-magic-bit", of: base, [.flip("prefix.magic", mask: 0x08)], [front],
      "One bit of the magic: the second prefix says that it is an archive."),
    Damage(
      "front-prefix-question-mark", of: base, [.write("prefix.magic", [0x3f])], [front],
      "The first byte looks like a transfer that took the file for text, but the second prefix is intact and gives the right length."),
    Damage(
      "front-prefix-property-list", of: base, [.write("prefix.magic", Array("bplist00".utf8))], [front],
      "The first bytes are those of a property list: the second prefix says that it is an archive (R-K1-1 of the imports)."),
    Damage(
      "front-prefix-digest-bit", of: base, [.flip("prefix.prefixDigest", mask: 0x80)], [front], "One bit of the digest of the first prefix."
    ),
    Damage("front-prefix-zeroed", of: base, [.zero("prefix", to: .end("prefix"))], [front], "The whole first prefix is gone."),
    Damage(
      "back-prefix-bit", of: base, [.flip(.field("prefixCopy", plus: 16), mask: 0x01)], [back],
      "One bit of the length in the second prefix."),
    Damage("back-prefix-magic-bit", of: base, [.flip("prefixCopy", mask: 0x80)], [back], "One bit of the magic of the second prefix."),
    Damage("back-prefix-zeroed", of: base, [.zero("prefixCopy", to: .end("prefixCopy"))], [back], "The whole second prefix is gone."),
    Damage(
      "both-prefixes", of: base, [.flip("prefix.treeRoot", mask: 0x10), .flip(.field("prefixCopy", plus: 40), mask: 0x10)], [front],
      "Both prefixes are damaged in the same bit, so that they are still the same: nothing behind them can be trusted."),
    Damage(
      "front-prefix-bit-of-later-version", of: Forward.majorVersion, [.flip("prefix.prefixDigest", mask: 0x01)],
      [front, Finding("unsupported-version", at: "prefix.majorVersion", "R-4.2-3")],
      "The second prefix stands in and says that the file is of another major version; the offset is that of the field in the first prefix."
    ),
    Damage(
      "front-prefix-bit-and-trailing-byte", of: base, [.flip("prefix.fileLength", mask: 0x01), .append([0])], [front],
      "The second prefix is not at the end any more and cannot stand in."),
  ]

  private static let front = Finding("prefix-damaged", at: "prefix", "R-4.2-2")
  private static let back = Finding("prefix-damaged", at: "prefixCopy", "R-4.2-2")
  private static let metadata = Finding("metadata-damaged", at: "metadata", "R-4.3-1")
  private static let metadataCopy = Finding("metadata-damaged", at: "metadataCopy", "R-4.3-1")
  private static let tree = Finding("tree-damaged", at: "tree", "R-4.4-1")
  private static let treeCopy = Finding("tree-damaged", at: "treeCopy", "R-4.4-1")

  private static let metadataAndTree: [Damage] = [
    Damage(
      "metadata-first-copy", of: base, [.flip("header[0].value", mask: 0x01)], [metadata],
      "The bundle version has another bit; the second copy is used."),
    Damage("metadata-second-copy", of: base, [.flip("metadataCopy", mask: 0x01)], [metadataCopy], "One bit of the second copy (R-4.1-1)."),
    Damage(
      "metadata-both-copies", of: base, [.flip("directory.count", mask: 0x01), .flip(.field("metadataCopy", plus: 3), mask: 0x04)],
      [metadata, metadataCopy], "Both copies are damaged, in different places: without metadata nothing else can be checked."),
    Damage(
      "tree-first-copy", of: base, [.flip("tree.leaf[2]", mask: 0x01)], [tree],
      "One bit of a leaf in the first copy; the second copy is used."),
    Damage("tree-second-copy", of: base, [.flip("treeCopy", mask: 0x01)], [treeCopy], "One bit of the second copy."),
    Damage(
      "tree-both-copies", of: base, [.flip("tree.leaf[1]", mask: 0x01), .flip(.field("treeCopy", plus: 20), mask: 0x01)],
      [tree, treeCopy, Finding("blocks-unverifiable", at: "body", "R-4.4-3")],
      "Both copies of the only tree node are damaged: no block can be verified, though all are as they were."),
  ]

  /// An archive of more than 2 MiB, so that the tree has two levels.
  static let deepBase = Specimen(
    folder: "damaged", name: "base-of-two-levels", draft: deepDraft, hasJSON: false,
    reason: "A valid archive of more than 2 MiB, so that the tree has two levels; nearly all of it is one value of zeros.")

  /// One tree node that is full.
  private static let fullBase = Specimen(
    folder: "damaged", name: "base-of-512-leaves",
    draft: Draft(nodes: [DraftNode("root", state: ["zeros": .data([UInt8](repeating: 0, count: 2_090_000))])]), hasJSON: false,
    reason: "A valid archive whose tree has exactly 512 leaves, the last of them unused, so that one tree node holds them all.")

  private static let deepEntry = Specimen.fault(
    "entry-above-the-leaves", in: "invalid/4.4-tree", of: deepDraft,
    [
      Finding("tree-damaged", at: "tree.leaf[0]", "R-4.4-1"), Finding("tree-damaged", at: .field("treeCopy", plus: 16), "R-4.4-1"),
      Finding("blocks-unverifiable", at: "body", "R-4.4-3"),
    ],
    "An entry of the second level is not the checksum of its node; the root above it is right. The other node and its blocks are fine."
  ) { try $0.set("tree.level2[0]", Bytes.u64(1), right: "the checksum of the first 512 leaves, with seed 2^32") }

  private static let deepDraft = Draft(
    nodes: [DraftNode("root", state: ["zeros": .data([UInt8](repeating: 0, count: 2_100_000))])])

  /// An archive in which the second leaf node holds only the unused leaf.
  private static let spareBase = Specimen(
    folder: "damaged", name: "base-with-spare-node",
    draft: Draft(nodes: [DraftNode("root", state: ["zeros": .data([UInt8](repeating: 0, count: 2_095_000))])]), hasJSON: false,
    reason: "A valid archive whose tree has two levels; its second node of leaves holds nothing but the unused leaf.")

  private static let deepTree: [Damage] = [
    Damage(
      "spare-node-both-copies", of: spareBase,
      [.flip("tree.leaf[512]", mask: 0x01), .flip(.field("treeCopy", plus: 16 + 4096), mask: 0x01)],
      [
        Finding("tree-damaged", at: "tree.leaf[512]", "R-4.4-1"),
        Finding("tree-damaged", at: .field("treeCopy", plus: 16 + 4096), "R-4.4-1"),
      ],
      "Both copies of a tree node without blocks below it are damaged: all blocks can be verified."),
    Damage(
      "two-levels-top-first-copy", of: deepBase, [.flip("tree.level2[1]", mask: 0x01)], [tree], "One bit of the top node in the first copy."
    ),
    Damage(
      "two-levels-top-both-copies", of: deepBase, [.flip("tree.level2[0]", mask: 0x01), .flip(.field("treeCopy", plus: 8), mask: 0x01)],
      [tree, treeCopy, Finding("blocks-unverifiable", at: "body", "R-4.4-3")],
      "Both copies of the top node are damaged: no block can be verified."),
    Damage(
      "two-levels-leaf-second-copy", of: deepBase, [.flip(.field("treeCopy", plus: 16 + 8), mask: 0x01)],
      [Finding("tree-damaged", at: .field("treeCopy", plus: 16), "R-4.4-1")], "One bit of the first node of leaves, in the second copy."),
    Damage(
      "two-levels-leaves-both-copies", of: deepBase,
      [.flip("tree.leaf[513]", mask: 0x01), .flip(.field("treeCopy", plus: 16 + 4096), mask: 0x01)],
      [
        Finding("tree-damaged", at: "tree.leaf[512]", "R-4.4-1"),
        Finding("tree-damaged", at: .field("treeCopy", plus: 16 + 4096), "R-4.4-1"),
        Finding("blocks-unverifiable", at: 0x201000, "R-4.4-3"),
      ],
      "Both copies of the second node of leaves are damaged: the blocks from 513 on cannot be verified, those before can."
    ),
  ]

  private static let blocks: [Damage] = [
    Damage(
      "block-of-nodes", of: base, [.flip("NODE[5].savedOrder", mask: 0x01)], [block("body")],
      "A bit of a node record: the records of block 0 are skipped, those of block 1 are checked."),
    Damage(
      "block-of-nodes-and-strings", of: base, [.flip(0x1fff, mask: 0x80)], [block(0x1000)],
      "A bit of a long identifier takes the node records of the same block with it."),
    Damage(
      "block-of-strings", of: base, [.flip(0x2800, mask: 0x20)], [block(0x2000)],
      "A bit of a long identifier: its node has state that can be read, but no name."),
    Damage(
      "block-of-states", of: base, [.flip(0x4800, mask: 0x01)], [block(0x4000)],
      "A bit of a state record: the nodes whose records lie elsewhere keep theirs."),
    Damage("block-of-states-last-byte", of: base, [.flip(0x4fff, mask: 0x01)], [block(0x4000)], "The last bit of a block."),
    Damage("block-of-states-first-byte", of: base, [.flip(0x5000, mask: 0x01)], [block(0x5000)], "The first bit of the block behind it."),
    Damage(
      "blocks-in-all-sections", of: base, [.flip("NODE[1].parent", mask: 0x01), .flip(0x2000, mask: 0x01), .flip(0x4000, mask: 0x01)],
      [block("body"), block(0x2000), block(0x4000)], "Three damaged blocks, each with a finding of its own."),
    Damage("block-zeroed", of: base, [.zero(0x4000, to: 0x5000)], [block(0x4000)], "A block that was never written."),
    Damage(
      "block-0-zeroed", of: base, [.zero(0, to: 0x1000)], [front, metadata, tree, block("body")],
      "The first block of the file is lost: prefix, metadata and tree are read from their second copies."),
    Damage(
      "end-zeroed", of: base, [.zero(0x5000, to: .end("prefixCopy"))], [back, metadataCopy, treeCopy, block(0x5000)],
      "The end of the file was never written, though its length was set."),
    Damage(
      "blocks-swapped", of: base, [.swap(0x3000, 0x4000, count: 4096)], [block(0x3000), block(0x4000)],
      "Two blocks in each other's place: their checksums are seeded with their numbers."),
  ]

  private static func block(_ place: Place) -> Finding { Finding("block-damaged", at: place, "R-4.4-2") }

  private static let lengths: [Damage] = [
    cut("to-nothing", 0, "empty-file", "R-4.2-1", at: 0, "Cut to no byte at all."),
    cut("within-magic", 7, "too-short", "R-4.2-1", at: 0, "Cut within the magic."),
    cut("behind-magic", 8, "truncated", "R-4.1-2", at: 8, "Cut behind the magic: it is an archive, but its length is not known."),
    cut("within-prefix", 63, "truncated", "R-4.1-2", at: 63, "The last byte of the prefix is missing."),
    cut("behind-prefix", 64, "truncated", "R-4.1-2", at: 64, "Nothing but the prefix is left."),
    cut(
      "within-metadata", .field("metadata", plus: 10), "truncated", "R-4.1-2", at: .field("metadata", plus: 10), "Cut within the metadata."),
    cut("at-block-boundary", 0x4000, "truncated", "R-4.1-2", at: 0x4000, "Cut within the body, at a block boundary, as a full disk would."),
    cut(
      "before-second-copies", "metadataCopy", "truncated", "R-4.1-2", at: "metadataCopy",
      "The body is whole, the second copies are missing."),
    cut("before-second-prefix", "prefixCopy", "truncated", "R-4.1-2", at: "prefixCopy", "Only the second prefix is missing."),
    cut(
      "one-byte", .field("prefixCopy", plus: 63), "truncated", "R-4.1-2", at: .field("prefixCopy", plus: 63),
      "Only the last byte is missing."),
    trailing("trailing-zero", [0], "A zero behind the end."),
    trailing("trailing-line-feed", [0x0a], "A line feed behind the end, as an editor adds it."),
    trailing("trailing-block", [UInt8](repeating: 0, count: 4096), "A block of zeros behind the end."),
    trailing(
      "trailing-archive", (try? Specimen.vector("", Draft(), "").assemble().bytes) ?? [],
      "Another archive behind the end, intact: nothing is appended to an archive."),
  ]

  private static func cut(_ name: String, _ length: Place, _ code: String, _ rule: String, at place: Place, _ reason: String) -> Damage {
    Damage("truncated-\(name)", of: base, [.truncate(length)], [Finding(code, at: place, rule)], reason)
  }

  private static func trailing(_ name: String, _ bytes: [UInt8], _ reason: String) -> Damage {
    Damage(name, of: base, [.append(bytes)], [Finding("trailing-bytes", at: .end("prefixCopy"), "R-4.1-2")], reason)
  }
}
