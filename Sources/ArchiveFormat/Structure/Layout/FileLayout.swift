/// The ranges of the parts of an archive, computed from its prefix (Spec §4.1, §4.4).
package struct FileLayout: Sendable, Equatable {
  /// The length of the whole file.
  package let fileLength: Int
  /// The length of the metadata.
  package let metadataLength: Int
  /// The body, which holds the sections.
  package let body: Range<Int>
  /// The checksum tree over the blocks of the body.
  package let tree: ChecksumTree

  /// The length of the smallest body: record 0 of the node table.
  package static let smallestBody = NodeRecord.byteCount
  /// The allowed lengths of the metadata (rule R-4.2-6).
  private static let metadataLengths = UInt64(ArchiveMetadata.volatileByteCount)...FormatLimits.longestMetadata

  /// Computes the layout that `prefix` describes, with the checks A8, A11 and A12 of Spec §7.2.
  package init(_ prefix: ArchivePrefix) throws(FormatError) {
    typealias Field = ArchivePrefix.FieldOffset
    guard prefix.fileLength <= FormatLimits.longestFile, let fileLength = Int(exactly: prefix.fileLength) else {
      throw FormatError(
        .fileTooLarge, at: Field.fileLength, "file length", expected: "at most \(FormatLimits.longestFile)",
        found: .number(prefix.fileLength))
    }
    let around = 2 * UInt64(ArchivePrefix.byteCount) + 2 * (UInt64(prefix.metadataLength) + UInt64(prefix.treeLength))
    guard Self.metadataLengths.contains(UInt64(prefix.metadataLength)), around + UInt64(Self.smallestBody) <= prefix.fileLength else {
      throw FormatError(
        .metadataLength, at: Field.metadataLength, "metadata length",
        expected: "at least \(ArchiveMetadata.volatileByteCount), and what fits into \(fileLength) bytes twice",
        found: .number(prefix.metadataLength))
    }
    let tree = ChecksumTree(bodyLength: fileLength - Int(around))
    guard tree.byteCount == Int(prefix.treeLength) else {
      throw FormatError(
        .treeLength, at: Field.treeLength, "tree length", expected: .number(tree.byteCount), found: .number(prefix.treeLength))
    }
    self.init(bodyLength: fileLength - Int(around), metadataLength: Int(prefix.metadataLength), tree: tree)
  }

  /// Creates the layout of an archive with a body and metadata of these lengths.
  package init(bodyLength: Int, metadataLength: Int, tree: ChecksumTree) {
    let bodyStart = ArchivePrefix.byteCount + metadataLength + tree.byteCount
    body = bodyStart..<(bodyStart + bodyLength)
    fileLength = body.upperBound + bodyStart
    self.metadataLength = metadataLength
    self.tree = tree
  }

  /// The second copy of the prefix.
  package var secondPrefix: Range<Int> { (fileLength - ArchivePrefix.byteCount)..<fileLength }

  /// The two copies of the metadata.
  package var metadataCopies: [Range<Int>] {
    [ArchivePrefix.byteCount, body.upperBound].map { $0..<($0 + metadataLength) }
  }

  /// The two copies of the checksum tree.
  package var treeCopies: [Range<Int>] {
    metadataCopies.map { $0.upperBound..<($0.upperBound + tree.byteCount) }
  }

  /// The blocks that hold bytes of the body, by their numbers on the file's grid.
  package var blocks: Range<Int> {
    (body.lowerBound / ChecksumTree.blockSize)..<((body.upperBound - 1) / ChecksumTree.blockSize + 1)
  }

  /// Returns the range in the file of a part of the body, whose range counts from the start of the body.
  package func fileRange(of part: Range<Int>) -> Range<Int> {
    (body.lowerBound + part.lowerBound)..<(body.lowerBound + part.upperBound)
  }

  /// Returns the range of the body in a block.
  package func bodyRange(ofBlock block: Int) -> Range<Int> {
    let start = block * ChecksumTree.blockSize
    return (start..<(start + ChecksumTree.blockSize)).clamped(to: body)
  }

  /// Returns the range, in the file, of the blocks that a tree node covers.
  package func bodyRange(level: Int, node: Int) -> Range<Int> {
    var leaves = ChecksumTree.fanOut
    for _ in 1..<level { leaves *= ChecksumTree.fanOut }
    let first = blocks.lowerBound + node * leaves
    let last = min(first + leaves, blocks.upperBound)
    guard first < last else { return body.upperBound..<body.upperBound }
    return bodyRange(ofBlock: first).lowerBound..<bodyRange(ofBlock: last - 1).upperBound
  }
}
