import Storage

/// Checks the archive as a whole (F1 to F8 of Spec §7.2), after all other checks have passed.
struct WholeChecker {
  let place: RecordFindings.Place
  let metadataCopy: Range<Int>
  let records: NodeRecords
  let stateOrder: StateRecordOrder
  /// The first origin and type that no node uses, and the first key of the table that no entry uses.
  let unusedOrigin: Int?
  let unusedType: Int?
  let unusedKey: Int?

  private typealias Field = NodeRecord.FieldOffset
  private var metadata: ArchiveMetadata { place.metadata }

  /// The range of a long identifier, from the start of `STRS`.
  struct LongIdentifier: BitwiseCopyable {
    let start: Int
    let count: Int
  }

  /// Returns the findings in order.
  func check() -> [Finding] {
    var findings: [Finding] = []
    let strings = fileRange(metadata.strings)
    // An empty section holds no identifier (D11).
    if !strings.isEmpty { checkStrings(at: strings, adding: &findings) }
    if let finding = stateOrder.finding { findings.append(finding) }
    addUnusedBytes(after: stateOrder.end, in: fileRange(metadata.states), rule: "R-6.3-2", to: &findings)
    if let error = findUnusedEntry() { findings.append(Finding(error)) }
    if let finding = linkFinding { findings.append(finding) }
    return findings
  }

  /// The finding of F6 to F8.
  private var linkFinding: Finding? {
    guard let link = metadata.link else { return nil }
    let bytes = place.bytes
    do throws(FormatError) {
      _ = try LinkTable(fileRange(link.range), in: bytes, at: 0, nodes: fileRange(metadata.nodes), in: bytes, at: 0)
      return nil
    } catch {
      // Other findings are in the section, not in a record.
      return Finding(error, node: error.code == .linkRecord || error.code == .savedOrder ? error.node : nil)
    }
  }

  private func fileRange(_ range: Range<Int>) -> Range<Int> {
    let start = place.layout.body.lowerBound
    return (range.lowerBound + start)..<(range.upperBound + start)
  }

  /// Performs checks F1 and F2.
  private func checkStrings(at strings: Range<Int>, adding findings: inout [Finding]) {
    let bytes = place.bytes
    let span = bytes.span
    // This is the length of the shortest long identifier.
    var interner = ByteInterner(capacity: min(metadata.recordCount, strings.count / (IdentifierField.longestShort + 1)))
    // The long identifiers so far, in the order of their offsets.
    var seen = ScratchArray<LongIdentifier>(capacity: 16)
    var next = 0
    var end = 0
    var finding: Finding?
    for index in 1..<max(metadata.recordCount, 1) {
      let start = records.offset(of: index) + Field.identifier
      guard span[start] == IdentifierField.longLead,
        let range = try? IdentifierField(reading: span, at: start, fileOffset: 0).inStrings
      else { continue }
      end = max(end, range.upperBound)
      if finding != nil { continue }
      let offset = start + IdentifierField.FieldOffset.offset
      if range.lowerBound == next {
        let number = interner.intern(span.extracting((strings.lowerBound + range.lowerBound)..<(strings.lowerBound + range.upperBound)))
        if number < seen.count {
          finding = Finding(FormatError(.duplicateString, at: offset, "long identifier", expected: .text("each stored once")), node: index)
        }
        seen.append(LongIdentifier(start: range.lowerBound, count: range.count))
        next = range.upperBound
      } else if !Self.contains(range, seen) {
        finding = Finding(
          FormatError(
            .stringOrder, at: offset, "place of a long identifier", expected: .text("\(next), or that of an earlier one"),
            found: .number(UInt64(range.lowerBound))), node: index)
      }
    }
    if let finding { findings.append(finding) }
    addUnusedBytes(after: end, in: strings, rule: "R-6.5-3", to: &findings)
  }

  /// Whether one of the long identifiers, which are in ascending order, lies at `range`.
  private static func contains(_ range: Range<Int>, _ identifiers: borrowing ScratchArray<LongIdentifier>) -> Bool {
    var low = 0
    var high = identifiers.count
    while low < high {
      let middle = (low + high) / 2
      if identifiers[middle].start < range.lowerBound { low = middle + 1 } else { high = middle }
    }
    return low < identifiers.count && identifiers[low].start == range.lowerBound && identifiers[low].count == range.count
  }

  /// Performs checks F2 and F4.
  private func addUnusedBytes(after used: Int, in section: Range<Int>, rule: StaticString, to findings: inout [Finding]) {
    guard used < section.count else { return }
    findings.append(
      Finding(
        FormatError(
          .unusedBytes, at: section.lowerBound + used, "section", expected: .text("\(used) bytes"), found: .number(UInt64(section.count)),
          rule: rule)))
  }

  /// Performs check F5.
  private func findUnusedEntry() -> FormatError? {
    if let unusedOrigin {
      return FormatError(.unusedOrigin, at: offset(ofOrigin: unusedOrigin), "origin", expected: .text("a node that has it"))
    }
    if let unusedType {
      return FormatError(.unusedType, at: offset(ofType: unusedType), "type", expected: .text("a node that has it"))
    }
    if let unusedKey {
      return FormatError(.unusedKey, at: offset(ofKey: unusedKey), "key", expected: .text("an entry that has it"))
    }
    return nil
  }

  // The tables are the last parts of the metadata and in canonical form, so offsets are computed back from its end.

  private func offset(ofKey index: Int) -> Int {
    (index..<metadata.keys.count).reduce(metadataCopy.upperBound) { $0 - Self.textLength(metadata.keys.byteCount(at: $1)) }
  }

  private func offset(ofType index: Int) -> Int {
    offset(ofKey: 0) - OutputBuffer.varintLength(metadata.keys.count) - metadata.types.byteCount(from: index)
  }

  private func offset(ofOrigin index: Int) -> Int {
    offset(ofType: 0) - OutputBuffer.varintLength(metadata.types.count) - metadata.origins.byteCount(from: index)
  }

  private static func textLength(_ count: Int) -> Int {
    OutputBuffer.varintLength(count) + count
  }
}
