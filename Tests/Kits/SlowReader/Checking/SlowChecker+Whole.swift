extension SlowChecker {
  /// Spec 7.2 F: the whole file, if it has no findings other than those of E10.
  mutating func checkWhole(_ structure: SlowStructure, usedKeys: [Bool], skipsKeys: Bool) {
    let (metadata, nodes) = (structure.metadata, structure.nodes)

    // F1, F2
    if let finding = findingInStrings(metadata, nodes) { report(finding) }
    let stringsEnd = nodes.records.filter(\.hasLongIdentifier).map { $0.longOffset + $0.longLength }.max() ?? 0
    reportUnusedBytes(behind: stringsEnd, in: metadata.stringSection)

    // F3, F4
    if let finding = findingInStateOrder(nodes) { report(finding) }
    let statesEnd = nodes.records.filter { $0.stateLength > 0 }.map { $0.stateOffset + $0.stateLength }.max() ?? 0
    reportUnusedBytes(behind: statesEnd, in: metadata.stateSection)

    // F5
    if let finding = findingInTables(metadata, nodes, usedKeys: skipsKeys ? nil : usedKeys) { report(finding) }

    // F6 to F8
    if let section = metadata.linkSection {
      do throws(SlowFinding) {
        _ = try SlowLink.entries(bytes, section, nodes)
      } catch {
        report(error)
      }
    }
  }

  /// F1, R-6.5-3: each long identifier is either new, directly after those seen so far, or exactly an earlier one.
  private func findingInStrings(_ metadata: SlowMetadata, _ nodes: SlowNodeTable) -> SlowFinding? {
    var end: UInt64 = 0
    var seenLengths: [UInt64: UInt64] = [:]
    var seenBytes: Set<[UInt8]> = []
    for (index, record) in nodes.records.enumerated() where record.hasLongIdentifier {
      if record.longOffset == end {
        guard seenBytes.insert(nodes.identifiers[index] ?? []).inserted else {
          return SlowFinding("duplicate-string", at: record.offset + 44)
        }
        seenLengths[end] = record.longLength
        end += record.longLength
      } else if seenLengths[record.longOffset] != record.longLength {
        return SlowFinding("string-order", at: record.offset + 44)
      }
    }
    return nil
  }

  /// F3, R-6.3-2: in preorder, each state record begins at the end of the previous one; a missing record has offset 0.
  private func findingInStateOrder(_ nodes: SlowNodeTable) -> SlowFinding? {
    var end: UInt64 = 0
    var toVisit = [0]
    while let index = toVisit.popLast() {
      let record = nodes.records[index]
      guard record.stateOffset == (record.stateLength > 0 ? end : 0) else { return SlowFinding("state-order", at: record.offset + 16) }
      end += record.stateLength
      toVisit += nodes.childrenInSavedOrder(of: index).reversed()
    }
    return nil
  }

  /// F2, F4: bytes at the end of a section that no record refers to.
  private mutating func reportUnusedBytes(behind end: UInt64, in section: Range<Int>) {
    let left = section.dropFirst(Int(clamping: end))
    if let first = left.first { report("unused-bytes", at: first) }
  }

  /// F5, R-4.3-11 to R-4.3-13: every entry of the tables is used.
  private func findingInTables(_ metadata: SlowMetadata, _ nodes: SlowNodeTable, usedKeys: [Bool]?) -> SlowFinding? {
    let usedOrigins = Set(nodes.records.map(\.origin))
    for (index, entry) in metadata.origins.enumerated() where !usedOrigins.contains(UInt64(index) + 1) {
      return SlowFinding("unused-origin", at: entry.offset)
    }
    let usedTypes = Set(nodes.records.map(\.type))
    for (index, entry) in metadata.types.enumerated() where !usedTypes.contains(UInt64(index) + 1) {
      return SlowFinding("unused-type", at: entry.offset)
    }
    guard let usedKeys else { return nil }
    for (entry, isUsed) in zip(metadata.keys, usedKeys) where !isUsed {
      return SlowFinding("unused-key", at: entry.offset)
    }
    return nil
  }
}
