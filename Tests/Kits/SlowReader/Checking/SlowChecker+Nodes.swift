extension SlowChecker {
  /// Spec 7.2 D: the node records, in ascending order.
  mutating func checkNodes(_ metadata: SlowMetadata, _ damage: SlowDamage) -> SlowNodeTable {
    var table = SlowNodeTable()
    for offset in stride(from: metadata.nodeSection.lowerBound, to: metadata.nodeSection.upperBound, by: SlowNodeRecord.size) {
      table.records.append(SlowNodeRecord(bytes, at: offset))
      table.isSkipped.append(!damage.isIntact(offset..<offset + SlowNodeRecord.size))
    }

    // D5: the known depths of the records so far.
    var depths: [Int] = []
    // D6: the values of `savedOrder` in the run that ends before the current record.
    var run: Set<UInt64> = []

    for (index, record) in table.records.enumerated() {
      let parent = Int(clamping: record.parent)
      let knowsParent = index > 0 && parent < index && !table.isSkipped[parent]
      depths.append(index == 0 ? 0 : knowsParent ? depths[parent] + 1 : 1)

      if table.isSkipped[index] {
        table.hasFinding.append(false)
        table.identifiers.append(nil)
        run = []
        continue
      }

      // The run continues if the previous record is part of one (it is not record 0, and was not skipped) and has the
      // same parent.
      let continuesRun = index > 1 && !table.isSkipped[index - 1] && table.records[index - 1].parent == record.parent
      if !continuesRun { run = [] }

      let (identifier, identifierFinding) = readIdentifier(of: record, metadata, damage)
      let finding =
        findingInLinks(at: index, table, depth: depths[index], run: run)
        ?? findingInFields(of: record, metadata)
        ?? (index > 0 ? identifierFinding : nil)
        ?? (continuesRun ? findingInOrder(of: record, identifier, after: table.identifiers[index - 1]) : nil)
      if let finding { report(finding) }

      table.hasFinding.append(finding != nil)
      table.identifiers.append(index > 0 ? identifier : nil)
      if index > 0 { run.insert(record.savedOrder) }
    }
    return table
  }

  /// D1 to D6: the indices in a record, for its parent, its children and their order.
  private func findingInLinks(at index: Int, _ table: SlowNodeTable, depth: Int, run: Set<UInt64>) -> SlowFinding? {
    let record = table.records[index]
    let count = UInt64(table.count)

    // D1, R-6.4-1: the first field that is not 0.
    if index == 0 {
      let fields = [
        (0, record.parent == 0), (4, record.savedOrder == 0), (24, record.type == 0), (26, record.origin == 0), (28, record.flags == 0),
        (29, record.identifier.allSatisfy { $0 == 0 }),
      ]
      if let field = fields.first(where: { !$0.1 }) { return SlowFinding("root-record", at: record.offset + field.0) }
    }

    // D2, R-6.4-2
    let followsPrevious =
      index == 0
      ? record.firstChild == 1
      : table.isSkipped[index - 1] || record.firstChild == table.records[index - 1].childrenEnd
    guard record.firstChild > UInt64(index), followsPrevious else { return SlowFinding("child-range", at: record.offset + 8) }

    // D3, R-6.4-3
    guard record.childrenEnd <= count else { return SlowFinding("child-range", at: record.offset + 12) }

    if index > 0 {
      // D4, R-6.4-4
      guard record.parent < UInt64(index) else { return SlowFinding("parent-mismatch", at: record.offset) }
      let parent = Int(clamping: record.parent)
      let knowsParent = !table.isSkipped[parent]
      if knowsParent, !table.records[parent].hasChild(index) { return SlowFinding("parent-mismatch", at: record.offset) }

      // D5, R-6.4-10
      guard depth <= 256 else { return SlowFinding("path-depth", at: record.offset) }

      // D6, R-6.4-5
      if knowsParent {
        let isPlace = record.savedOrder < table.records[parent].childCount && record.savedOrder < count
        guard isPlace, !run.contains(record.savedOrder) else { return SlowFinding("saved-order", at: record.offset + 4) }
      }
    }
    return nil
  }

  /// D7 to D9: the other fields before the identifier.
  private func findingInFields(of record: SlowNodeRecord, _ metadata: SlowMetadata) -> SlowFinding? {
    // D7, R-6.4-6
    guard record.type <= UInt64(metadata.types.count) else { return SlowFinding("type-index", at: record.offset + 24) }
    guard record.origin <= UInt64(metadata.origins.count) else { return SlowFinding("origin-index", at: record.offset + 26) }
    // D8, R-6.4-7
    guard !record.hasUnknownFlags else { return SlowFinding("node-flags", at: record.offset + 28) }
    // D9, R-6.4-8
    guard record.stateOffset + record.stateLength <= UInt64(metadata.stateSection.count) else {
      return SlowFinding("state-range", at: record.offset + 16)
    }
    return nil
  }

  /// D10 to D13: the identifier, R-6.5-1, R-6.5-2, R-3.1-1.
  ///
  /// Returns the identifier if there is no finding and all its bytes are intact.
  private func readIdentifier(
    of record: SlowNodeRecord, _ metadata: SlowMetadata, _ damage: SlowDamage
  ) -> (identifier: [UInt8]?, finding: SlowFinding?) {
    if record.hasLongIdentifier {
      // D10
      guard (19...1024).contains(record.longLength) else { return (nil, SlowFinding("identifier-form", at: record.offset + 42)) }
      // D11
      guard record.longOffset + record.longLength <= UInt64(metadata.stringSection.count) else {
        return (nil, SlowFinding("identifier-range", at: record.offset + 44))
      }
      let start = metadata.stringSection.lowerBound + Int(clamping: record.longOffset)
      let length = Int(clamping: record.longLength)
      guard damage.isIntact(start..<start + length) else { return (nil, nil) }
      // D12
      let text = SlowBytes.part(of: bytes, at: start, count: length)
      if let place = SlowUTF8.firstIllFormed(in: text) { return (nil, SlowFinding("invalid-utf8", at: place)) }
      // D13
      guard Array(text.prefix(12)) == record.longBeginning else { return (nil, SlowFinding("identifier-form", at: record.offset + 30)) }
      return (Array(text), nil)
    } else {
      // D10
      guard (1...18).contains(record.shortLength) else { return (nil, SlowFinding("identifier-form", at: record.offset + 29)) }
      let length = Int(record.shortLength)
      guard record.shortBytes.dropFirst(length).allSatisfy({ $0 == 0 }) else {
        return (nil, SlowFinding("identifier-form", at: record.offset + 30))
      }
      // D12
      let text = SlowBytes.part(of: bytes, at: record.offset + 30, count: length)
      if let place = SlowUTF8.firstIllFormed(in: text) { return (nil, SlowFinding("invalid-utf8", at: place)) }
      return (Array(text), nil)
    }
  }

  /// D14, R-3.1-3, R-6.4-9, for a record with the same parent as the previous one.
  private func findingInOrder(of record: SlowNodeRecord, _ identifier: [UInt8]?, after previous: [UInt8]?) -> SlowFinding? {
    guard let identifier, let previous else { return nil }
    if identifier == previous { return SlowFinding("duplicate-identifier", at: record.offset + 29) }
    return SlowBytes.areAscending(previous, identifier) ? nil : SlowFinding("sibling-order", at: record.offset + 29)
  }
}
