/// The first and the last 64 bytes of every archive (Spec §4.2).
///
/// Layout, digest and magic are the same in all versions.
package struct ArchivePrefix: Sendable, Equatable {
  /// The length of a prefix.
  package static let byteCount = 64
  /// The bytes that every archive begins with.
  package static let magic: [UInt8] = [0x89, 0x52, 0x53, 0x54, 0x0D, 0x0A, 0x1A, 0x0A]
  /// The major version that this code reads and writes.
  package static let majorVersion: UInt16 = 1
  /// The minor version that this code writes; later ones can be read.
  package static let minorVersion: UInt16 = 0

  /// The offsets of the fields.
  package enum FieldOffset {
    package static let majorVersion = 8
    package static let minorVersion = 10
    package static let features = 12
    package static let fileLength = 16
    package static let metadataLength = 24
    package static let treeLength = 28
    package static let volatileDigest = 32
    package static let treeRoot = 40
    package static let contentDigest = 48
    package static let prefixDigest = 56
  }

  package var majorVersion = Self.majorVersion
  package var minorVersion = Self.minorVersion
  package var features: UInt32 = 0
  package var fileLength: UInt64
  package var metadataLength: UInt32
  package var treeLength: UInt32
  package var volatileDigest: UInt64
  package var treeRoot: UInt64
  package var contentDigest: UInt64

  /// Creates a prefix of the version that this code writes.
  package init(
    fileLength: UInt64, metadataLength: UInt32, treeLength: UInt32, volatileDigest: UInt64, treeRoot: UInt64, contentDigest: UInt64
  ) {
    self.fileLength = fileLength
    self.metadataLength = metadataLength
    self.treeLength = treeLength
    self.volatileDigest = volatileDigest
    self.treeRoot = treeRoot
    self.contentDigest = contentDigest
  }

  /// Reads the fields of a prefix; `bytes` holds 64 bytes whose magic and digest have been checked.
  package init(reading bytes: Span<UInt8>) {
    majorVersion = bytes.uint16(at: FieldOffset.majorVersion)
    minorVersion = bytes.uint16(at: FieldOffset.minorVersion)
    features = bytes.uint32(at: FieldOffset.features)
    fileLength = bytes.uint64(at: FieldOffset.fileLength)
    metadataLength = bytes.uint32(at: FieldOffset.metadataLength)
    treeLength = bytes.uint32(at: FieldOffset.treeLength)
    volatileDigest = bytes.uint64(at: FieldOffset.volatileDigest)
    treeRoot = bytes.uint64(at: FieldOffset.treeRoot)
    contentDigest = bytes.uint64(at: FieldOffset.contentDigest)
  }

  /// Whether `bytes` begin with the magic.
  package static func hasMagic(_ bytes: Span<UInt8>) -> Bool {
    bytes.count >= 8 && bytes.uint64(at: 0) == magic.span.uint64(at: 0)
  }

  /// Whether the 64 bytes begin with the magic and match their own digest.
  package static func isIntact(_ bytes: Span<UInt8>) -> Bool {
    hasMagic(bytes)
      && XXH64.hash(bytes.extracting(0..<FieldOffset.prefixDigest)) == bytes.uint64(at: FieldOffset.prefixDigest)
  }

  /// Reads the copy of the prefix that ends at `end`; nil unless it is intact and states that as the end of the file (rule
  /// R-7.1-1).
  init?(copy bytes: Span<UInt8>, endingAt end: Int) {
    // The digest last: salvage tries every position of a file.
    guard Self.hasMagic(bytes), bytes.uint64(at: FieldOffset.fileLength) == UInt64(end), Self.isIntact(bytes) else { return nil }
    self.init(reading: bytes)
  }

  /// Whether a file of `byteCount` bytes, the last of which are `tail`, ends with an intact copy: it is an archive then, whatever
  /// its first bytes are (Spec §7.2, after A14).
  package static func isAtEnd(_ tail: Span<UInt8>, of byteCount: Int) -> Bool {
    byteCount >= 2 * Self.byteCount && tail.count >= Self.byteCount
      && ArchivePrefix(copy: tail.extracting(last: Self.byteCount), endingAt: byteCount) != nil
  }

  /// Returns the digest of the content of an archive (Spec §4.6).
  ///
  /// - Parameters:
  ///   - metadata: The metadata, including the volatile header, which the digest excludes.
  ///   - treeRoot: The root of the checksum tree, which represents the body.
  /// - Returns: The digest.
  package static func contentDigest(metadata: Span<UInt8>, treeRoot: UInt64) -> UInt64 {
    XXH64.hash(metadata.extracting(ArchiveMetadata.volatileByteCount..<metadata.count), seed: treeRoot)
  }

  /// Returns the damage of a copy of the metadata, or nil if it is intact (rule R-4.3-1).
  ///
  /// - Parameters:
  ///   - copy: The bytes. A copy shorter than ``metadataLength`` is damaged, whatever its digests.
  ///   - offset: The offset of the copy in the file.
  /// - Returns: `metadata-damaged`, or nil.
  package func findDamage(inMetadata copy: Span<UInt8>, at offset: Int) -> FormatError? {
    guard copy.count == Int(metadataLength), copy.count >= ArchiveMetadata.volatileByteCount else {
      return FormatError(.metadataDamaged, at: offset, "metadata")
    }
    let content = Self.contentDigest(metadata: copy, treeRoot: treeRoot)
    guard content == contentDigest else {
      return FormatError(.metadataDamaged, at: offset, "metadata", expected: .hexadecimal(contentDigest), found: .hexadecimal(content))
    }
    let volatile = Self.volatileDigest(metadata: copy)
    guard volatile == volatileDigest else {
      return FormatError(
        .metadataDamaged, at: offset, "volatile header", expected: .hexadecimal(volatileDigest), found: .hexadecimal(volatile))
    }
    return nil
  }

  /// Returns the first intact copy of the metadata, and the damage of each copy that lies within the file.
  func examineMetadata(_ copies: [Range<Int>], in file: Span<UInt8>) -> (intact: Range<Int>?, damage: [FormatError]) {
    var intact: Range<Int>?
    var damage: [FormatError] = []
    for copy in copies where copy.upperBound <= file.count {
      // A comparison is cheaper than a second checksum.
      if let intact, file.extracting(copy).isEqual(to: file.extracting(intact)) { continue }
      if let error = findDamage(inMetadata: file.extracting(copy), at: copy.lowerBound) {
        damage.append(error)
      } else {
        intact = intact ?? copy
      }
    }
    return (intact, damage)
  }

  /// Returns the digest of the volatile header (rule R-4.3-1).
  ///
  /// - Parameter metadata: The metadata, which begins with the volatile header.
  /// - Returns: The digest.
  package static func volatileDigest(metadata: Span<UInt8>) -> UInt64 {
    XXH64.hash(metadata.extracting(0..<ArchiveMetadata.volatileByteCount))
  }

  /// The 64 bytes, including the digest.
  package var encoded: [UInt8] {
    let buffer = OutputBuffer(capacity: Self.byteCount)
    buffer.append(contentsOf: Self.magic.span)
    buffer.append(majorVersion)
    buffer.append(minorVersion)
    buffer.append(features)
    buffer.append(fileLength)
    buffer.append(metadataLength)
    buffer.append(treeLength)
    buffer.append(volatileDigest)
    buffer.append(treeRoot)
    buffer.append(contentDigest)
    buffer.append(buffer.withSpan { XXH64.hash($0) })
    return buffer.makeArray()
  }
}

/// The forms that the magic takes after a transfer in text mode (the table in `Spec/registry.md`).
package enum MagicDamage {
  /// The first bytes of a file, by what the transfer did.
  package static let forms: [[UInt8]] = [
    [0x89, 0x52, 0x53, 0x54, 0x0A, 0x1A, 0x0A],  // line ends to line feeds
    [0x89, 0x52, 0x53, 0x54, 0x0D, 0x0A, 0x1A, 0x0D, 0x0A],  // line ends to pairs
    [0x89, 0x52, 0x53, 0x54, 0x0D, 0x0D, 0x0A, 0x1A, 0x0D, 0x0A],  // line feeds to pairs
    [0x89, 0x52, 0x53, 0x54, 0x0D, 0x1A, 0x0D],  // line ends to returns
    [0x89, 0x52, 0x53, 0x54, 0x0D, 0x1A, 0x0A],  // a line feed dropped
    [0x09, 0x52, 0x53, 0x54, 0x0D, 0x0A, 0x1A, 0x0A],  // the eighth bit lost
    [0x52, 0x53, 0x54, 0x0D, 0x0A, 0x1A, 0x0A],  // the first byte dropped
    [0x3F, 0x52, 0x53, 0x54, 0x0D, 0x0A, 0x1A, 0x0A],  // the first byte to a question mark
    [0xC2, 0x89, 0x52, 0x53, 0x54, 0x0D, 0x0A, 0x1A, 0x0A],  // from Latin-1 to UTF-8
    [0xEF, 0xBF, 0xBD, 0x52, 0x53, 0x54, 0x0D, 0x0A, 0x1A, 0x0A],  // replaced as ill-formed UTF-8
    [0xEF, 0xBB, 0xBF, 0x89, 0x52, 0x53, 0x54],  // a byte order mark added
  ]

  /// Returns the offset of the first difference from the magic in a file that begins with a damaged form, or nil if it
  /// does not.
  package static func place(in bytes: Span<UInt8>) -> Int? {
    for form in forms where bytes.count >= form.count && bytes.extracting(0..<form.count).isEqual(to: form.span) {
      return zip(form, ArchivePrefix.magic).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? 0
    }
    return nil
  }
}
