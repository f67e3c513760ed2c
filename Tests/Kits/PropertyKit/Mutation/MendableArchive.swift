import ArchiveFormat

/// An archive split into parts that can be changed and reassembled with correct checksums.
///
/// Only then can readers reach faults in the content.
///
/// Parsing verifies nothing, so that a changed archive can be changed again.
struct MendableArchive {
  var prefix: ArchivePrefix
  var metadata: [UInt8]
  var body: [UInt8]

  /// Creates an archive from its parts.
  init(prefix: ArchivePrefix, metadata: [UInt8], body: [UInt8]) {
    self.prefix = prefix
    self.metadata = metadata
    self.body = body
  }

  /// Splits an archive; nil if its prefix does not describe its layout.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 2 * ArchivePrefix.byteCount else { return nil }
    prefix = ArchivePrefix(reading: bytes.span)
    let start = ArchivePrefix.byteCount + Int(prefix.metadataLength) + Int(prefix.treeLength)
    guard 2 * start < bytes.count else { return nil }
    metadata = Array(bytes[ArchivePrefix.byteCount..<(ArchivePrefix.byteCount + Int(prefix.metadataLength))])
    body = Array(bytes[start..<(bytes.count - start)])
  }

  /// The parsed metadata; nil if it cannot be parsed.
  var parsedMetadata: ArchiveMetadata? {
    var reader = MetadataReader(count: metadata.count, fileOffset: 0, bodyLength: body.count, minorVersion: prefix.minorVersion)
    return try? reader.read(metadata.span)
  }

  /// Changes the length of a section in the directory.
  mutating func resize(section index: Int, by change: Int) {
    guard var parsed = parsedMetadata, index < parsed.sections.count else { return }
    let section = parsed.sections[index]
    parsed.sections[index] = SectionEntry(code: section.code, length: max(section.length + change, 0), range: section.range)
    let buffer = OutputBuffer(capacity: metadata.count)
    // The parsed contents fit into the original space.
    try? parsed.append(origins: parsed.allOrigins, types: parsed.allTypes, to: buffer) { buffer in
      buffer.appendVarint(parsed.keys.count)
      for key in parsed.keys.texts { buffer.appendText(key) }
    }
    metadata = buffer.makeArray()
  }

  /// Returns the archive with every length, checksum and digest recomputed.
  func assembled() -> [UInt8] {
    let tree = ArchiveFormat.ChecksumTree(bodyLength: body.count)
    let layout = FileLayout(bodyLength: body.count, metadataLength: metadata.count, tree: tree)
    var leaves = layout.blocks.map { block in
      let range = layout.bodyRange(ofBlock: block)
      let first = range.lowerBound - layout.body.lowerBound
      return XXH64.hash(
        body.span.extracting(first..<(first + range.count)), seed: ArchiveFormat.ChecksumTree.seed(level: 0, node: block))
    }
    while leaves.count < tree.leafCount { leaves.append(0) }
    let treeBuffer = OutputBuffer(capacity: tree.byteCount)
    let root = ArchiveFormat.ChecksumTree.append(leaves: leaves, tree: tree, to: treeBuffer)
    let treeBytes = treeBuffer.makeArray()
    var prefix = prefix
    prefix.fileLength = UInt64(layout.fileLength)
    prefix.metadataLength = UInt32(truncatingIfNeeded: metadata.count)
    prefix.treeLength = UInt32(truncatingIfNeeded: treeBytes.count)
    prefix.treeRoot = root
    // Metadata shorter than the volatile header has no content to digest.
    if metadata.count >= ArchiveMetadata.volatileByteCount {
      prefix.volatileDigest = ArchivePrefix.volatileDigest(metadata: metadata.span)
      prefix.contentDigest = ArchivePrefix.contentDigest(metadata: metadata.span, treeRoot: root)
    }
    let head = prefix.encoded
    return head + metadata + treeBytes + body + metadata + treeBytes + head
  }
}
