extension Faults {
  static let counts: [Specimen] = [
    .fault(
      "volatile-digest", of: Samples.family, metadataDamaged,
      "The digest is not that of the volatile header, so that neither copy can be trusted, and nothing behind them is looked at."
    ) { try $0.set("prefix.volatileDigest", Bytes.u64(0), right: "XXH64 of the volatile header") },
    .fault(
      "volatile-digest-of-all-metadata", of: Samples.family, metadataDamaged,
      "The digest was computed over all of the metadata instead of the first 192 bytes."
    ) { blueprint in
      let file = try blueprint.assemble()
      let wrong = XXHash64.hash(file.bytes[file.places["metadata"] ?? 0..<0])
      try blueprint.set("prefix.volatileDigest", Bytes.u64(wrong), right: "over the volatile header")
    },
    .fault(
      "metadata-with-a-byte-more", of: Samples.rich, [Finding("metadata-trailing-bytes", at: "fault", "R-4.3-2")], "A byte behind the keys."
    ) { try $0.insert([Piece("extra", [0], "")], after: "keys[1]", right: "nothing here") },
    .fault(
      "metadata-without-keys", of: Samples.empty, [Finding("unexpected-end", at: .end("metadata"), "R-5.3-1")],
      "The last part is missing altogether, instead of being empty."
    ) { try $0.remove("keys.count", right: "the number of keys, 00, is missing behind this") },
    .fault(
      "metadata-of-192-bytes", of: Samples.empty, [Finding("unexpected-end", at: .end("metadata"), "R-5.3-1")],
      "The volatile header alone: the prefix allows it (R-4.2-6), but the directory is missing."
    ) { blueprint in
      blueprint.metadata.removeAll { !$0.label.hasPrefix("volatile") }
      try blueprint.mark("volatile.count", right: "the directory and the other parts behind the volatile header")
    },
    .fault(
      "key-count-one-more", of: Samples.rich, [Finding("unexpected-end", at: .end("metadata"), "R-5.3-1")],
      "The metadata ends where another key should begin."
    ) { try $0.set("keys.count", [3], right: "02") },
    .fault(
      "key-count-one-less", of: Samples.rich, [Finding("metadata-trailing-bytes", at: "keys[1]", "R-4.3-2")],
      "The last key is after the end of the table."
    ) { try $0.set("keys.count", [1], right: "02") },
    count(
      "volatile-count-1024", "volatile.count", 1024, Finding("string-length", at: "volatile.padding", "R-5.2-2"),
      "The zeros behind the entries are taken for keys. No memory is set aside for so many (R-5.3-2)."
    ),
    count(
      "directory-count-1024", "directory.count", 1024, Finding("section-code", at: "header.count", "R-4.3-3"),
      "The counts behind the directory are taken for a section code."),
    count(
      "header-count-1024", "header.count", 1024, Finding("string-length", at: "origins.count", "R-5.2-2"),
      "The counts behind the header are taken for keys."),
    count(
      "origin-count-65535", "origins.count", 65_535, Finding("unexpected-end", at: .end("metadata"), "R-5.3-1"),
      "As many origins as there may be, but no bytes for them."),
    count(
      "origin-count-2-to-the-32-less-1", "origins.count", 0xffff_ffff, Finding("table-size", at: "origins.count", "R-4.3-11"),
      "More origins than node records can name."),
    count(
      "type-count-65535", "types.count", 65_535, Finding("string-length", at: "keys.count", "R-5.2-2"),
      "As many types as there may be; the count of the keys is taken for the first of them."),
    count(
      "type-count-2-to-the-31", "types.count", 0x8000_0000, Finding("table-size", at: "types.count", "R-4.3-12"),
      "More types than node records can name."),
    count(
      "key-count-2-to-the-32-less-1", "keys.count", 0xffff_ffff, Finding("table-size", at: "keys.count", "R-4.3-13"),
      "More keys than the table may have."),
    count(
      "key-count-1024", "keys.count", 1024, Finding("unexpected-end", at: .end("metadata"), "R-5.3-1"),
      "As many keys as there may be, but no bytes for them."),
  ]

  /// The findings for a wrong metadata digest.
  static let metadataDamaged = [
    Finding("metadata-damaged", at: "metadata", "R-4.3-1"), Finding("metadata-damaged", at: "metadataCopy", "R-4.3-1"),
  ]

  private static func count(_ name: String, _ label: String, _ value: Int, _ finding: Finding, _ reason: String) -> Specimen {
    .fault(name, of: Samples.empty, [finding], reason) { blueprint in
      try blueprint.set(label, Bytes.varint(value), right: blueprint.piece(label).meaning)
    }
  }
}
