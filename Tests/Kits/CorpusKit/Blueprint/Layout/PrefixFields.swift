/// The fields of the prefix (Spec 4.2).
struct PrefixFields {
  /// All fields in order; the digest is the last.
  private(set) var pieces: [Piece]
  private let fixed: [String: Piece]

  init(fixed: [String: Piece]) {
    self.fixed = fixed
    pieces = []
  }

  /// Computes all fields.
  ///
  /// Fields fixed by an edit are kept, and the digest is computed from the result.
  mutating func fill(fileLength: Int, metadata: [UInt8], treeLength: Int, treeRoot: UInt64) {
    // Seeded with the fixed root if there is one, so that the only fault is its mismatch with the tree.
    let contentSeed = fixed["prefix.treeRoot"].map { $0.bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } } ?? treeRoot
    let fields = [
      ("magic", [0x89, 0x52, 0x53, 0x54, 0x0d, 0x0a, 0x1a, 0x0a], "89 \"RST\" 0d 0a 1a 0a"),
      ("majorVersion", Bytes.u16(1), "1"),
      ("minorVersion", Bytes.u16(0), "0"),
      ("features", Bytes.u32(0), "none"),
      ("fileLength", Bytes.u64(UInt64(fileLength)), "\(fileLength)"),
      ("metadataLength", Bytes.u32(metadata.count), "\(metadata.count)"),
      ("treeLength", Bytes.u32(treeLength), "\(treeLength)"),
      ("volatileDigest", Bytes.u64(XXHash64.hash(metadata.prefix(192))), "XXH64 of the volatile header"),
      ("treeRoot", Bytes.u64(treeRoot), "checksum of the top node of the tree"),
      (
        "contentDigest", Bytes.u64(XXHash64.hash(metadata.dropFirst(192), seed: contentSeed)),
        "XXH64 of the metadata behind the volatile header, seeded with the root"
      ),
    ]
    pieces = fields.map { Piece("prefix.\($0.0)", $0.1, $0.2) }
    Self.makeFinal(&pieces, fixed: fixed, name: "prefix")
  }

  /// Returns the second copy: the same fields, except those fixed only in the copy.
  func copy(fixed: [String: Piece]) -> [Piece] {
    var copy = pieces.dropLast().map { piece in
      var piece = piece
      piece.label = piece.label.replacing("prefix.", with: "prefixCopy.")
      piece.fault = nil
      return piece
    }
    guard fixed.keys.contains(where: { $0.hasPrefix("prefixCopy.") }) else {
      return copy + pieces.suffix(1)
    }
    Self.makeFinal(&copy, fixed: fixed, name: "prefixCopy")
    return copy
  }

  private static func makeFinal(_ pieces: inout [Piece], fixed: [String: Piece], name: String) {
    for index in pieces.indices {
      take(fixed[pieces[index].label], into: &pieces[index])
    }
    var digest = Piece("\(name).prefixDigest", Bytes.u64(XXHash64.hash(pieces.flatMap(\.bytes))), "XXH64 of the 56 bytes before")
    take(fixed[digest.label], into: &digest)
    pieces.append(digest)
  }

  private static func take(_ override: Piece?, into piece: inout Piece) {
    guard let override else { return }
    piece.bytes = override.bytes
    piece.meaning = piece.label.hasSuffix("magic") ? "" : override.meaning
    piece.fault = override.fault
    piece.textStart = nil
  }
}
