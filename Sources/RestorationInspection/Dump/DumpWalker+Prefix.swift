import ArchiveFormat

extension DumpWalker {
  /// Explains a copy of the prefix at `position` (Spec §4.2).
  mutating func walkPrefix(_ name: String) {
    let end = min(position + ArchivePrefix.byteCount, bytes.count)
    guard end - position == ArchivePrefix.byteCount, ArchivePrefix.isIntact(bytes.span.extracting(position..<end)) else {
      explainRest(until: end, "\(name): damaged")
      return
    }
    let prefix = ArchivePrefix(reading: bytes.span.extracting(position..<end))
    structure(name) { walker in
      walker.explain(8, "magic")
      walker.explain(2, "majorVersion: \(prefix.majorVersion)")
      walker.explain(2, "minorVersion: \(prefix.minorVersion)")
      walker.explain(4, "features: \(prefix.features == 0 ? "none" : hexadecimal(UInt64(prefix.features)))")
      walker.explain(8, "fileLength: \(prefix.fileLength)")
      walker.explain(4, "metadataLength: \(prefix.metadataLength)")
      walker.explain(4, "treeLength: \(prefix.treeLength)")
      walker.explain(8, "volatileDigest")
      walker.explain(8, "treeRoot")
      walker.explain(8, "contentDigest")
      walker.explain(8, "prefixDigest")
    }
  }

  /// Explains a copy of the checksum tree at `position`, from the top level down (Spec §4.4).
  mutating func walkTree(_ records: ArchiveRecords, in range: Range<Int>, _ copy: String) {
    guard range.lowerBound == position else { return }
    let tree = records.layout.tree
    structure("checksum tree, \(copy)") { walker in
      for level in stride(from: tree.topLevel, through: 1, by: -1) {
        for node in 0..<tree.nodeCount(level: level) { walker.walkTreeNode(node, level: level, records) }
      }
    }
  }

  private mutating func walkTreeNode(_ node: Int, level: Int, _ records: ArchiveRecords) {
    let layout = records.layout
    let end = position + layout.tree.byteRange(level: level, node: node).count
    guard end <= bytes.count, records.blocks.isIntact(bytes.span.extracting(position..<end), asNode: node, level: level) else {
      explainRest(until: end, "node \(node) of level \(level): damaged")
      return
    }
    var entry = node * ChecksumTree.fanOut
    while position < end {
      explain(8, Self.meaning(ofEntry: entry, level: level, layout))
      entry += 1
    }
  }

  private static func meaning(ofEntry entry: Int, level: Int, _ layout: FileLayout) -> String {
    guard level == 1 else { return "checksum of node \(entry) of level \(level - 1)" }
    let block = layout.blocks.lowerBound + entry
    return layout.blocks.contains(block) ? "checksum of block \(block)" : "spare"
  }
}

/// Returns a number in the notation of the Spec.
func hexadecimal(_ number: UInt64) -> String {
  "0x\(String(number, radix: 16))"
}
