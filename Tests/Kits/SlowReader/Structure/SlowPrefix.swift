/// One copy of the prefix (Spec 4.2).
struct SlowPrefix {
  static let size = 64

  let bytes: [UInt8]

  /// Reads the copy at `offset`; nil if the file does not have 64 bytes there.
  init?(_ file: [UInt8], at offset: Int) {
    let part = SlowBytes.part(of: file, at: offset, count: Self.size)
    guard offset >= 0, part.count == Self.size else { return nil }
    bytes = Array(part)
  }

  var magic: [UInt8] { Array(SlowBytes.part(of: bytes, at: 0, count: 8)) }
  var majorVersion: UInt64 { field(at: 8, size: 2) }
  var minorVersion: UInt16 { UInt16(truncatingIfNeeded: field(at: 10, size: 2)) }
  var features: UInt64 { field(at: 12, size: 4) }
  var fileLength: UInt64 { field(at: 16, size: 8) }
  var metadataLength: UInt64 { field(at: 24, size: 4) }
  var treeLength: UInt64 { field(at: 28, size: 4) }
  var volatileDigest: UInt64 { field(at: 32, size: 8) }
  var treeRoot: UInt64 { field(at: 40, size: 8) }
  var contentDigest: UInt64 { field(at: 48, size: 8) }
  var prefixDigest: UInt64 { field(at: 56, size: 8) }

  /// Whether the magic is correct (R-4.2-1).
  var hasMagic: Bool { magic == SlowRegistry.magic }

  /// Whether the digest is correct (R-4.2-2).
  var hasRightDigest: Bool { prefixDigest == SlowXXH64.hash(bytes.prefix(56)) }

  private func field(at offset: Int, size: Int) -> UInt64 {
    SlowBytes.integer(SlowBytes.part(of: bytes, at: offset, count: size))
  }
}
