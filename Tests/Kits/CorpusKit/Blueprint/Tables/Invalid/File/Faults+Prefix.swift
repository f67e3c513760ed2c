extension Faults {
  static let noArchives: [PlainFile] = [
    PlainFile(
      "empty-file", in: "invalid/4.2-prefix", [], [Finding("empty-file", at: 0, "R-4.2-1")],
      "No byte at all: what a crash before the first write leaves."),
    PlainFile(
      "one-byte", in: "invalid/4.2-prefix", [.bad("89", "the first byte of the magic", right: "an archive has 128 bytes and more")],
      [Finding("too-short", at: 0, "R-4.2-1")], "Too short to tell what it is."),
    PlainFile(
      "seven-bytes", in: "invalid/4.2-prefix", [.bad("89 \"RST\" 0d 0a 1a", "the magic without its end", right: "0a behind it, and more")],
      [Finding("too-short", at: 0, "R-4.2-1")], "One byte less than the magic."),
    PlainFile(
      "another-format", in: "invalid/4.2-prefix",
      [
        .bad("89 \"PNG\" 0d 0a 1a 0a", "the magic of another format", right: "89 52 53 54 0d 0a 1a 0a"),
        .good("00 00 00 0d \"IHDR\" 00*200", "what follows there"),
      ],
      [Finding("bad-magic", at: 0, "R-4.2-1")], "A file of another format with a similar beginning."),
    PlainFile(
      "zeros", in: "invalid/4.2-prefix", [.bad("00*200", "zeros", right: "an archive")], [Finding("bad-magic", at: 0, "R-4.2-1")],
      "What some file systems leave behind after a power loss."),
    shortFile(
      "last-prefix-of-127-bytes", 127, "bad-magic", "R-4.2-1", at: 0,
      "The last 64 bytes are a prefix that is right, but the file is too short for a second one to stand in."),
    shortFile(
      "last-prefix-of-128-bytes", 128, "metadata-length", "R-4.2-6", at: 24,
      "The last 64 bytes are a prefix that is right, and the file is just long enough for it to stand in; there is no room for a body."),
    PlainFile(
      "text", in: "invalid/4.2-prefix",
      [.bad("\"{\" 0a \"  \" 22 \"restorationArchive\" 22 \": 1\" 0a \"}\" 0a", "the JSON form", right: "an archive")],
      [Finding("bad-magic", at: 0, "R-4.2-1")], "The JSON form of an archive is not an archive."),
  ]

  /// Zeros, and a prefix that gives the length of the file.
  private static func shortFile(
    _ name: String, _ length: Int, _ code: String, _ rule: String, at place: Place, _ reason: String
  ) -> PlainFile {
    var prefix = PrefixFields(fixed: [:])
    prefix.fill(fileLength: length, metadata: [UInt8](repeating: 0, count: 204), treeLength: 16, treeRoot: 0)
    let source = prefix.pieces.flatMap(\.bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    let first = code == "bad-magic" ? [] : [Finding("prefix-damaged", at: 0, "R-4.2-2")]
    return PlainFile(
      name, in: "invalid/4.2-prefix",
      [.bad("00*\(length - 64)", "zeros", right: "the first prefix, and an archive"), .good(source, "the second prefix")],
      first + [Finding(code, at: place, rule)], reason)
  }

  static let overview: [Specimen] = [
    .fault(
      "file-length-one-less", of: Samples.family, [Finding("trailing-bytes", at: .field("prefixCopy", plus: 63), "R-4.1-2")],
      "The file is a byte longer than both prefixes say."
    ) { try $0.set("prefix.fileLength", Bytes.u64(UInt64($0.fileLength() - 1)), right: "one more") },
    .fault(
      "file-length-one-more", of: Samples.family, [Finding("truncated", at: .end("prefixCopy"), "R-4.1-2")],
      "The file is a byte shorter than both prefixes say."
    ) { try $0.set("prefix.fileLength", Bytes.u64(UInt64($0.fileLength() + 1)), right: "one less") },
    .fault(
      "file-length-0", of: Samples.family, [Finding("trailing-bytes", at: 0, "R-4.1-2")], "A length of 0 leaves every byte behind the end."
    ) { try $0.set("prefix.fileLength", Bytes.u64(0), right: "the length of the file") },
    .fault(
      "file-length-2-to-the-32-less-1", of: Samples.family, [Finding("truncated", at: .end("prefixCopy"), "R-4.1-2")],
      "The greatest length that the format allows, but the file does not have it."
    ) { try $0.set("prefix.fileLength", Bytes.u64(0xffff_ffff), right: "the length of the file") },
    .fault(
      "prefix-copies-differ-in-minor-version", of: Samples.family, [Finding("prefix-copies-differ", at: "prefixCopy", "R-4.1-1")],
      "Each copy is intact by itself, but they do not say the same."
    ) { try $0.set("prefixCopy.minorVersion", Bytes.u16(1), right: "0, as in the first copy") },
    .fault(
      "prefix-copies-differ-in-content-digest", of: Samples.family, [Finding("prefix-copies-differ", at: "prefixCopy", "R-4.1-1")],
      "The second copy names another content."
    ) { try $0.set("prefixCopy.contentDigest", Bytes.u64(0), right: "the content digest of the first copy") },
  ]

  private static func tooLarge(_ name: String, _ length: UInt64, _ reason: String) -> Specimen {
    let finding = Finding("file-too-large", at: "prefix.fileLength", "R-4.2-5")
    return .fault(name, of: Samples.family, [finding], reason) { blueprint in
      try blueprint.set("prefix.fileLength", Bytes.u64(length), right: "the length of the file")
    }
  }

  static let prefix: [Specimen] = [
    tooLarge("file-length-2-to-the-32", 0x1_0000_0000, "The least length that the format does not allow."),
    tooLarge("file-length-2-to-the-63", 0x8000_0000_0000_0000, "A length that is negative if taken as signed."),
    tooLarge("file-length-2-to-the-64-less-1", .max, "The greatest length: it is found to be too large before any sum is made with it."),
    lengthFault(
      "metadata-length-16-mib-and-1", "metadataLength", 16_777_217, "metadata-length", "R-4.2-6",
      "One more than the metadata may have, and more than the file has."),
    lengthFault(
      "metadata-length-2-to-the-31", "metadataLength", 0x8000_0000, "metadata-length", "R-4.2-6",
      "A length that is negative if taken as signed."),
    lengthFault(
      "metadata-length-2-to-the-32-less-1", "metadataLength", 0xffff_ffff, "metadata-length", "R-4.2-6",
      "Twice this does not fit into 32 bits."),
    lengthFault(
      "metadata-length-191", "metadataLength", 191, "metadata-length", "R-4.2-6", of: Samples.empty,
      "One byte less than the volatile header has."),
    lengthFault(
      "metadata-length-one-more", "metadataLength", 213, "metadata-length", "R-4.2-6", of: Samples.empty,
      "Two copies of one byte more leave 46 bytes for the body, which has 48 at least."),
    lengthFault(
      "metadata-length-2-to-the-24-more", "metadataLength", 0x0100_00cc, "metadata-length", "R-4.2-6", of: Samples.empty,
      "The length is right but for its highest byte."),
    lengthFault(
      "tree-length-2-to-the-24-more", "treeLength", 0x0100_0010, "metadata-length", "R-4.2-6", at: "prefix.metadataLength",
      "The length is right but for its highest byte, and does not fit into the file."),
    .fault(
      "body-of-47-bytes", of: Samples.empty, [Finding("metadata-length", at: "prefix.metadataLength", "R-4.2-6")],
      "The body has 48 bytes at least."
    ) { try $0.set("NODE[0].identifier", [UInt8](repeating: 0, count: 18), right: "one more zero") },
    .fault(
      "prefix-copy-magic", of: Samples.family, [Finding("prefix-damaged", at: "prefixCopy", "R-4.2-2")],
      "The second copy has another magic, and a digest that is right for it (A13)."
    ) { try $0.set("prefixCopy.magic", [0x89, 0x52, 0x53, 0x54, 0x0d, 0x0a, 0x1a, 0x0b], right: "89 52 53 54 0d 0a 1a 0a") },
    lengthFault("tree-length-0", "treeLength", 0, "tree-length", "R-4.2-7", "There is no body without a tree."),
    lengthFault("tree-length-8", "treeLength", 8, "tree-length", "R-4.2-7", "Even the smallest tree has two leaves, one of them spare."),
    lengthFault("tree-length-17", "treeLength", 17, "tree-length", "R-4.2-7", "No multiple of 8."),
    lengthFault("tree-length-24", "treeLength", 24, "tree-length", "R-4.2-7", "One leaf more than belongs to the body."),
    lengthFault(
      "tree-length-2-to-the-32-less-1", "treeLength", 0xffff_ffff, "metadata-length", "R-4.2-6", at: "prefix.metadataLength",
      "A tree that does not fit into the file is found by the check that metadata, tree and body fit (A11)."),
    .fault(
      "prefix-digest", of: Samples.family, [Finding("prefix-damaged", at: 0, "R-4.2-2")],
      "Both copies are the same, but their digest is not that of the bytes before it."
    ) { try $0.set("prefix.prefixDigest", Bytes.u64(0), right: "XXH64, seed 0, of the 56 bytes before") },
    .fault(
      "prefix-digest-over-64-bytes", of: Samples.family, [Finding("prefix-damaged", at: 0, "R-4.2-2")],
      "The digest was computed over all 64 bytes, with zeros in its own place."
    ) { blueprint in
      let bytes = try blueprint.assemble().bytes.prefix(56) + [UInt8](repeating: 0, count: 8)
      try blueprint.set("prefix.prefixDigest", Bytes.u64(XXHash64.hash(bytes)), right: "XXH64, seed 0, of the 56 bytes before")
    },
    .fault(
      "magic", of: Samples.family, [Finding("bad-magic", at: 0, "R-4.2-1")],
      "Both copies have a magic that differs in its last byte, and right digests."
    ) { try $0.set("prefix.magic", [0x89, 0x52, 0x53, 0x54, 0x0d, 0x0a, 0x1a, 0x0b], right: "89 52 53 54 0d 0a 1a 0a") },
  ]

  private static func lengthFault(
    _ name: String, _ field: String, _ value: Int, _ code: String, _ rule: String, at place: Place? = nil,
    of draft: Draft = Samples.family, _ reason: String
  ) -> Specimen {
    let label = "prefix.\(field)"
    return .fault(name, of: draft, [Finding(code, at: place ?? .field(label, plus: 0), rule)], reason) {
      blueprint in
      let right = try rightLength(field, of: blueprint)
      try blueprint.set(label, Bytes.u32(value), right: right)
    }
  }

  /// Returns the correct value of a length in the prefix.
  private static func rightLength(_ field: String, of blueprint: Blueprint) throws -> String {
    let part = field == "treeLength" ? "tree" : "metadata"
    return "\(try blueprint.assemble().places[part]?.count ?? 0)"
  }
}
