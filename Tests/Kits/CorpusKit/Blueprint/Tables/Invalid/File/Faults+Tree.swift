extension Faults {
  static let tree: [Specimen] = [
    .fault(
      "unused-leaf", of: Samples.family, [Finding("tree-padding", at: "tree.leaf[1]", "R-4.4-2")],
      "The leaf that no block needs is not 0; the checksums above it are right."
    ) { try $0.set("tree.leaf[1]", Bytes.u64(1), right: "0") },
    .fault(
      "leaf", of: Samples.family, [Finding("block-damaged", at: "body", "R-4.4-2")],
      "The leaf is not the checksum of its block, in both copies; the tree above it is right."
    ) { try $0.set("tree.leaf[0]", Bytes.u64(1), right: "the checksum of block 0") },
    .fault(
      "leaf-without-seed", of: padded, [Finding("block-damaged", at: "body", "R-4.4-2")],
      "The checksum of a block is seeded with the number of the block, here 1."
    ) { blueprint in
      let file = try blueprint.assemble()
      let body = file.bytes[file.places["body"] ?? 0..<0]
      try blueprint.set("tree.leaf[0]", Bytes.u64(XXHash64.hash(body)), right: "the checksum with seed 1")
    },
    .fault(
      "tree-root", of: Samples.family,
      [
        Finding("tree-damaged", at: "tree", "R-4.4-1"), Finding("tree-damaged", at: "treeCopy", "R-4.4-1"),
        Finding("blocks-unverifiable", at: "body", "R-4.4-3"),
      ],
      "The root in the prefix is not the checksum of the top node, so that neither copy of it can be trusted, and no block."
    ) { try $0.set("prefix.treeRoot", Bytes.u64(0), right: "the checksum of the 16 bytes of the tree, with seed 2^32") },
    .fault(
      "tree-root-without-seed", of: Samples.family,
      [
        Finding("tree-damaged", at: "tree", "R-4.4-1"), Finding("tree-damaged", at: "treeCopy", "R-4.4-1"),
        Finding("blocks-unverifiable", at: "body", "R-4.4-3"),
      ],
      "The checksum of node 0 of level 1 is seeded with 2^32, not with 0."
    ) { blueprint in
      let file = try blueprint.assemble()
      let right = "the checksum with seed 2^32"
      try blueprint.set("prefix.treeRoot", Bytes.u64(XXHash64.hash(file.bytes[file.places["tree"] ?? 0..<0])), right: right)
    },
  ]

  static let digest: [Specimen] = [
    .fault(
      "content-digest", of: Samples.family, metadataDamaged,
      "The content digest belongs to another content: were it believed, a save of this one might be left out."
    ) { try $0.set("prefix.contentDigest", Bytes.u64(0), right: "the digest of this content") },
    .fault(
      "content-digest-with-volatile-header", of: Samples.rich, metadataDamaged,
      "The digest was computed over all of the metadata, so that it changes with every save."
    ) { blueprint in
      let file = try blueprint.assemble()
      let treeRoot = file.bytes[40..<48].reversed().reduce(0) { $0 << 8 | UInt64($1) }
      let wrong = XXHash64.hash(file.bytes[file.places["metadata"] ?? 0..<0], seed: treeRoot)
      try blueprint.set("prefix.contentDigest", Bytes.u64(wrong), right: "over what is behind the volatile header")
    },
    .fault(
      "content-digest-of-metadata-alone", of: Samples.family, metadataDamaged,
      "The hash of the metadata behind the volatile header is seeded with the root of the checksum tree."
    ) { blueprint in
      let file = try blueprint.assemble()
      let stable = file.bytes[file.places["metadata"] ?? 0..<0].dropFirst(192)
      let wrong = XXHash64.hash(stable)
      try blueprint.set("prefix.contentDigest", Bytes.u64(wrong), right: "another seed")
    },
  ]

  /// An archive whose body begins in block 1.
  private static let padded = Draft(header: ["x.padding": .string(String(repeating: "p", count: 3980))], application: ["n": 1])
}
