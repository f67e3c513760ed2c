/// Checks what concerns the archive as a whole (F1 to F6 of Spec §7.2), once everything else was found in order.
struct WholeChecker {
  let bytes: [UInt8]
  let prefix: ArchivePrefix
  let layout: FileLayout
  let metadata: ArchiveMetadata
  let metadataCopy: Range<Int>
  let nodes: NodeChecker

  private typealias Field = NodeRecord.FieldOffset

  /// Returns the findings in their order.
  func check() -> [Finding] {
    let findings = checkStrings() + checkStates()
    return findings + [findUnusedEntry(), checkContentDigest()].compactMap { $0.map { Finding($0) } }
  }

  private func fileRange(_ range: Range<Int>) -> Range<Int> {
    (range.lowerBound + layout.body.lowerBound)..<(range.upperBound + layout.body.lowerBound)
  }

  /// F1 and F2.
  private func checkStrings() -> [Finding] {
    let strings = fileRange(metadata.strings)
    let span = bytes.span
    var interner = ByteInterner()
    var offsets: [Int: Int] = [:]
    var next = 0
    var end = 0
    var finding: Finding?
    for index in 1..<max(metadata.recordCount, 1) {
      let start = nodes.offset(of: index) + Field.identifier
      guard span[start] == IdentifierField.longLead,
        let range = try? IdentifierField(reading: span, at: start, fileOffset: 0).inStrings
      else { continue }
      end = max(end, range.upperBound)
      if finding != nil { continue }
      let place = start + IdentifierField.FieldOffset.offset
      if range.lowerBound == next {
        let seen = interner.count
        let number = interner.intern(span.extracting((strings.lowerBound + range.lowerBound)..<(strings.lowerBound + range.upperBound)))
        if number < seen {
          finding = Finding(FormatError(.duplicateString, at: place, "long identifier", expected: .text("each stored once")), node: index)
        }
        offsets[range.lowerBound] = range.count
        next = range.upperBound
      } else if offsets[range.lowerBound] != range.count {
        finding = Finding(
          FormatError(
            .stringOrder, at: place, "place of a long identifier", expected: .text("\(next), or that of an earlier one"),
            found: .number(UInt64(range.lowerBound))), node: index)
      }
    }
    return [finding, unusedBytes(behind: end, in: strings, rule: "R-6.5-3")].compactMap { $0 }
  }

  /// F3 and F4.
  private func checkStates() -> [Finding] {
    var next = 0
    var end = 0
    var stack = [0]
    var siblings: [Int] = []
    var finding: Finding?
    while let index = stack.popLast() {
      let record = nodes.record(at: index)
      let expected = record.stateLength == 0 ? 0 : next
      if finding == nil, Int(record.stateOffset) != expected {
        let error = FormatError(
          .stateOrder, at: nodes.offset(of: index) + Field.stateOffset, "place of the state record", expected: .number(UInt64(expected)),
          found: .number(UInt64(record.stateOffset)))
        finding = Finding(error, node: index)
      }
      next += Int(record.stateLength)
      if record.stateLength > 0 { end = max(end, Int(record.stateOffset) + Int(record.stateLength)) }
      // The saved orders are a permutation (D6), so each place is filled.
      let children = Int(record.firstChild)..<(Int(record.firstChild) + Int(record.childCount))
      siblings.removeAll(keepingCapacity: true)
      siblings.append(contentsOf: repeatElement(0, count: children.count))
      for child in children { siblings[Int(nodes.record(at: child).savedOrder)] = child }
      stack.append(contentsOf: siblings.reversed())
    }
    return [finding, unusedBytes(behind: end, in: fileRange(metadata.states), rule: "R-6.3-2")].compactMap { $0 }
  }

  private func unusedBytes(behind used: Int, in section: Range<Int>, rule: StaticString) -> Finding? {
    guard used < section.count else { return nil }
    return Finding(
      FormatError(
        .unusedBytes, at: section.lowerBound + used, "section", expected: .text("\(used) bytes"), found: .number(UInt64(section.count)),
        rule: rule))
  }

  /// F5.
  private func findUnusedEntry() -> FormatError? {
    var usedTypes = [Bool](repeating: false, count: metadata.types.count + 1)
    var usedOrigins = [Bool](repeating: false, count: metadata.origins.count + 1)
    for index in 0..<metadata.recordCount {
      let record = nodes.record(at: index)
      usedTypes[Int(record.type)] = true
      usedOrigins[Int(record.origin)] = true
    }
    if let unused = usedOrigins.dropFirst().firstIndex(of: false) {
      return FormatError(.unusedOrigin, at: offset(ofOrigin: unused - 1), "origin", expected: .text("a node that has it"))
    }
    if let unused = usedTypes.dropFirst().firstIndex(of: false) {
      return FormatError(.unusedType, at: offset(ofType: unused - 1), "type", expected: .text("a node that has it"))
    }
    if nodes.findings.isEmpty, let unused = nodes.usedKeys.firstIndex(of: false) {
      return FormatError(.unusedKey, at: offset(ofKey: unused), "key", expected: .text("an entry that has it"))
    }
    return nil
  }

  // The tables are the last parts of the metadata and in canonical form, so their entries are found from its end.

  private func offset(ofKey index: Int) -> Int {
    metadata.keys.keys[index...].reduce(metadataCopy.upperBound) { $0 - Self.textLength($1) }
  }

  private func offset(ofType index: Int) -> Int {
    let end = metadata.keys.count == 0 ? metadataCopy.upperBound : offset(ofKey: 0)
    return metadata.types[index...].reduce(end - OutputBuffer.varintLength(metadata.keys.count)) {
      $0 - Self.textLength($1.tag) - OutputBuffer.varintLength(Int(clamping: $1.schemaVersion))
    }
  }

  private func offset(ofOrigin index: Int) -> Int {
    let keys = metadata.keys.keys.reduce(metadataCopy.upperBound) { $0 - Self.textLength($1) }
    let types = metadata.types.isEmpty ? keys - OutputBuffer.varintLength(metadata.keys.count) : offset(ofType: 0)
    return metadata.origins[index...].reduce(types - OutputBuffer.varintLength(metadata.types.count)) { $0 - $1.encoded.count }
  }

  private static func textLength(_ text: String) -> Int {
    OutputBuffer.varintLength(text.utf8.count) + text.utf8.count
  }

  /// F6.
  private func checkContentDigest() -> FormatError? {
    let stable = (metadataCopy.lowerBound + metadata.volatileLength)..<metadataCopy.upperBound
    let seed = XXH64.hash(bytes.span.extracting(stable))
    let found = XXH64.hash(bytes.span.extracting(layout.body), seed: seed)
    guard found != prefix.contentDigest else { return nil }
    return FormatError(
      .contentDigest, at: ArchivePrefix.FieldOffset.contentDigest, "content digest", expected: .hexadecimal(found),
      found: .hexadecimal(prefix.contentDigest))
  }
}
