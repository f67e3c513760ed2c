extension SlowChecker {
  /// Spec 7.2 B: checksums.
  ///
  /// Returns the offset of the first intact copy of the metadata and the damaged blocks, or nil at a *stop*.
  mutating func checkIntegrity(_ prefix: SlowPrefix, _ layout: SlowLayout) -> (metadataOffset: Int, damage: SlowDamage)? {
    // B1, B2, R-4.3-1
    var metadataOffset: Int?
    for offset in layout.metadataOffsets {
      let volatile = SlowBytes.part(of: bytes, at: offset, count: 192)
      let content = SlowBytes.part(of: bytes, at: offset + 192, count: layout.metadataLength - 192)
      if SlowXXH64.hash(volatile) == prefix.volatileDigest, SlowXXH64.hash(content, seed: prefix.treeRoot) == prefix.contentDigest {
        metadataOffset = metadataOffset ?? offset
      } else {
        report("metadata-damaged", at: offset)
      }
    }
    guard let metadataOffset else { return nil }

    let (leaves, lastLeafOffset) = checkTree(prefix, layout)

    // B5, R-4.4-2: a block whose leaf cannot be verified counts as damaged, without a separate finding.
    var isDamaged: [Bool] = []
    for place in 0..<layout.blockCount {
      let part = layout.bodyPart(ofBlock: place)
      guard place < leaves.count, let leaf = leaves[place] else {
        isDamaged.append(true)
        continue
      }
      let checksum = SlowXXH64.hash(
        SlowBytes.part(of: bytes, at: part.lowerBound, count: part.count), seed: UInt64(layout.firstBlock + place))
      if checksum != leaf { report("block-damaged", at: part.lowerBound) }
      isDamaged.append(checksum != leaf)
    }

    // B6, R-4.4-2
    if layout.blockCount < leaves.count, let unused = leaves.last, let unused, unused != 0, let lastLeafOffset {
      report("tree-padding", at: lastLeafOffset)
    }
    return (metadataOffset, SlowDamage(firstBlock: layout.firstBlock, isDamaged: isDamaged))
  }

  /// B3 and B4: the checksum tree.
  ///
  /// Returns the leaves, nil for leaves that cannot be verified, and the offset of the last leaf in its first intact
  /// copy.
  private mutating func checkTree(_ prefix: SlowPrefix, _ layout: SlowLayout) -> (leaves: [UInt64?], lastLeafOffset: Int?) {
    let entriesPerNode = Int(SlowTreeShape.entriesPerNode)
    // The expected hashes of a level's nodes, from the level above; nil if unknown.
    var checksums: [UInt64?] = [prefix.treeRoot]
    var lastLeafOffset: Int?
    // The file stores the levels from the top down.
    var levelStart = 0
    for (index, count) in layout.tree.levels.enumerated().reversed() {
      let level = index + 1
      let entryCount = Int(clamping: count)
      var entries: [UInt64?] = []
      for (node, checksum) in checksums.enumerated() {
        let firstEntry = node * entriesPerNode
        let nodeCount = min(entriesPerNode, entryCount - firstEntry)
        guard let checksum else {
          // Nothing is checked below a node without an intact copy.
          entries += Array(repeating: nil, count: nodeCount)
          continue
        }
        // B3, R-4.4-1
        let nodeStart = levelStart + 8 * firstEntry
        var intactCopy: Int?
        for treeOffset in layout.treeOffsets {
          let copy = SlowBytes.part(of: bytes, at: treeOffset + nodeStart, count: 8 * nodeCount)
          if SlowXXH64.hash(copy, seed: UInt64(level) << 32 + UInt64(node)) == checksum {
            intactCopy = intactCopy ?? treeOffset + nodeStart
          } else {
            report("tree-damaged", at: treeOffset + nodeStart)
          }
        }
        guard let intactCopy else {
          // B4, R-4.4-3: no finding if only the unused leaf is below the node.
          let first = firstBodyByte(belowNode: node, ofLevel: level, layout)
          if first < layout.body.upperBound { report("blocks-unverifiable", at: first) }
          entries += Array(repeating: nil, count: nodeCount)
          continue
        }
        for entry in 0..<nodeCount {
          entries.append(SlowBytes.integer(SlowBytes.part(of: bytes, at: intactCopy + 8 * entry, count: 8)))
        }
        if level == 1 { lastLeafOffset = intactCopy + 8 * (nodeCount - 1) }
      }
      checksums = entries
      levelStart += 8 * entryCount
    }
    return (checksums, lastLeafOffset)
  }

  /// Returns the first byte of the body below a tree node; the end of the body if the node holds only the unused leaf.
  private func firstBodyByte(belowNode node: Int, ofLevel level: Int, _ layout: SlowLayout) -> Int {
    var firstLeaf = node
    for _ in 0..<level { firstLeaf *= Int(SlowTreeShape.entriesPerNode) }
    let start = (layout.firstBlock + firstLeaf) * Int(SlowTreeShape.blockSize)
    return min(max(start, layout.body.lowerBound), layout.body.upperBound)
  }
}
