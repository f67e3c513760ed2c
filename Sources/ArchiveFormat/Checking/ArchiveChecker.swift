import Storage

/// Applies every check of Spec §7.2 to an archive, in the order of the Spec, and collects all findings.
///
/// Time and memory are linear in the length of the file, whatever its content.
package struct ArchiveChecker {
  /// The file.
  package let bytes: [UInt8]
  /// The findings so far.
  package private(set) var findings = FindingList()
  /// The prefix, if one is usable.
  package private(set) var prefix: ArchivePrefix?
  /// The layout that the prefix describes, if the prefix is usable.
  package private(set) var layout: FileLayout?
  /// The metadata, if readable.
  package var metadata: ArchiveMetadata? { place?.metadata }
  /// The location of the records, if the metadata is readable.
  private var place: RecordFindings.Place?
  /// The blocks that are damaged or cannot be verified.
  package private(set) var damage: BlockDamage?

  /// Whether the check reached the end and found nothing but damage that costs no content (Spec §7.2 F).
  package var isWhole: Bool { metadata != nil && findings.areHarmless }

  /// Checks `bytes`.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    do throws(FormatError) {
      try check()
    } catch {
      findings.append(Finding(error))
    }
  }

  /// Runs the stages in order; a thrown error ends the check.
  private mutating func check() throws(FormatError) {
    let (prefix, layout) = try checkPrefix()
    self.prefix = prefix
    self.layout = layout
    let copy = try checkMetadataCopies(prefix, layout)
    var blocks = BlockChecker(bytes: bytes, layout: layout, root: prefix.treeRoot, damage: BlockDamage(layout: layout))
    blocks.check()
    findings.append(contentsOf: blocks.findings)
    let damage = blocks.damage
    self.damage = damage
    let metadata = try MetadataReader.read(bytes.span.extracting(copy), at: copy.lowerBound, prefix, layout)
    let place = RecordFindings.Place(
      bytes: bytes, layout: layout, metadata: metadata, damage: damage, minorVersion: prefix.minorVersion)
    self.place = place
    var nodes = NodeChecker(place)
    nodes.check()
    if !nodes.findings.isEmpty { findings.inRecords = RecordFindings(findings: nodes.findings, place: place) }
    if findings.isReadable, let stateOrder = nodes.stateOrder {
      findings.append(
        contentsOf: WholeChecker(
          place: place, metadataCopy: copy, records: nodes.records, stateOrder: stateOrder, unusedOrigin: nodes.unusedOrigin,
          unusedType: nodes.unusedType, unusedKey: nodes.unusedKey
        ).check())
    }
  }

  // MARK: Stage A

  private mutating func checkPrefix() throws(FormatError) -> (ArchivePrefix, FileLayout) {
    let (prefix, isSecond) = try ArchiveOpening.readPrefix(head: bytes, length: bytes.count, .memory(bytes))
    if isSecond {
      findings.append(Finding(.prefixDamaged, at: 0, "first copy of the prefix", expected: "the same as the second"))
    }
    let layout = try ArchiveOpening.readLayout(prefix, length: bytes.count, toleratesLength: false).layout
    if !isSecond { checkSecondPrefix(at: layout.secondPrefix) }
    return (prefix, layout)
  }

  private mutating func checkSecondPrefix(at range: Range<Int>) {
    let bytes = bytes
    let second = bytes.span.extracting(range)
    if !ArchivePrefix.isIntact(second) {
      findings.append(Finding(.prefixDamaged, at: range.lowerBound, "second copy of the prefix", expected: "the same as the first"))
    } else if second.compare(with: bytes.span.extracting(0..<ArchivePrefix.byteCount)) != 0 {
      findings.append(Finding(.prefixCopiesDiffer, at: range.lowerBound, "copies of the prefix", expected: "the same bytes"))
    }
  }

  // MARK: Stage B

  /// Checks both copies of the metadata and returns the range of the first intact one.
  private mutating func checkMetadataCopies(_ prefix: ArchivePrefix, _ layout: FileLayout) throws(FormatError) -> Range<Int> {
    let (intact, damage) = prefix.examineMetadata(layout.metadataCopies, in: bytes.span)
    // If no copy is intact, the last error ends the check.
    for error in intact == nil ? damage.dropLast() : damage[...] { findings.append(Finding(error)) }
    if let intact { return intact }
    throw damage.last ?? FormatError(.metadataDamaged, at: ArchivePrefix.byteCount)
  }
}

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
    let strings = place.layout.fileRange(of: metadata.strings)
    // An empty section holds no identifier (D11).
    if !strings.isEmpty { checkStrings(at: strings, adding: &findings) }
    if let finding = stateOrder.finding { findings.append(finding) }
    addUnusedBytes(after: stateOrder.end, in: place.layout.fileRange(of: metadata.states), rule: "R-6.3-2", to: &findings)
    if let finding = findUnusedEntry() { findings.append(finding) }
    if let finding = linkFinding { findings.append(finding) }
    return findings
  }

  /// The finding of F6 to F8.
  private var linkFinding: Finding? {
    guard let link = metadata.link else { return nil }
    let (layout, bytes) = (place.layout, place.bytes)
    do throws(FormatError) {
      _ = try LinkTable(VerifiedBytes(link.range, of: layout, in: bytes), nodes: VerifiedBytes(metadata.nodes, of: layout, in: bytes))
      return nil
    } catch {
      // Other findings are in the section, not in a record.
      return Finding(error, node: error.code == .linkRecord || error.code == .savedOrder ? error.node : nil)
    }
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
          finding = Finding(.duplicateString, at: offset, "long identifier", expected: "each stored once", node: index)
        }
        seen.append(LongIdentifier(start: range.lowerBound, count: range.count))
        next = range.upperBound
      } else if !Self.contains(range, seen) {
        finding = Finding(
          .stringOrder, at: offset, "place of a long identifier", expected: "\(next), or that of an earlier one",
          found: .number(range.lowerBound), node: index)
      }
    }
    if let finding { findings.append(finding) }
    addUnusedBytes(after: end, in: strings, rule: "R-6.5-3", to: &findings)
  }

  /// Whether one of the long identifiers, which are in ascending order, lies at `range`.
  private static func contains(_ range: Range<Int>, _ identifiers: borrowing ScratchArray<LongIdentifier>) -> Bool {
    let index = (0..<identifiers.count).first(past: { identifiers[$0].start >= range.lowerBound })
    return index < identifiers.count && identifiers[index].start == range.lowerBound && identifiers[index].count == range.count
  }

  /// Performs checks F2 and F4.
  private func addUnusedBytes(after used: Int, in section: Range<Int>, rule: StaticString, to findings: inout [Finding]) {
    guard used < section.count else { return }
    findings.append(
      Finding(
        .unusedBytes, at: section.lowerBound + used, "length of the section", expected: "\(used) bytes", found: .number(section.count),
        rule: rule))
  }

  /// Performs check F5.
  private func findUnusedEntry() -> Finding? {
    if let unusedOrigin {
      return Finding(.unusedOrigin, at: offset(ofOrigin: unusedOrigin), "origin", expected: "a node that has it")
    }
    if let unusedType {
      return Finding(.unusedType, at: offset(ofType: unusedType), "type", expected: "a node that has it")
    }
    if let unusedKey {
      return Finding(.unusedKey, at: offset(ofKey: unusedKey), "key", expected: "an entry that has it")
    }
    return nil
  }

  // The tables are the last parts of the metadata and in canonical form, so offsets are computed back from its end.

  private func offset(ofKey index: Int) -> Int {
    (index..<metadata.keys.count).reduce(metadataCopy.upperBound) { $0 - OutputBuffer.textLength(metadata.keys.byteCount(at: $1)) }
  }

  private func offset(ofType index: Int) -> Int {
    offset(ofKey: 0) - OutputBuffer.varintLength(metadata.keys.count) - metadata.types.byteCount(from: index)
  }

  private func offset(ofOrigin index: Int) -> Int {
    offset(ofType: 0) - OutputBuffer.varintLength(metadata.types.count) - metadata.origins.byteCount(from: index)
  }
}

/// A set of byte ranges that do not overlap.
///
/// A query takes a few steps, whatever the lengths of the ranges. The checker makes one query for each node, and a
/// hostile file can make each answer depend on many bytes.
package struct DisjointRanges {
  /// The last byte of each range.
  private var ends: SparseSet
  /// The first byte of each range, as its distance from the end of the whole.
  ///
  /// This turns a search for the next *lower* start into a search for the next member.
  private var starts: SparseSet
  private let count: Int

  /// Creates an empty set of ranges within `0..<count`.
  package init(count: Int) {
    self.count = count
    ends = SparseSet(count: count)
    starts = SparseSet(count: count)
  }

  /// Returns whether a range overlaps one in the set.
  package func overlaps(_ range: Range<Int>) -> Bool {
    // Only the first range that ends at or after the first byte can overlap.
    guard !range.isEmpty, let end = ends.first(from: range.lowerBound), let start = starts.first(from: count - 1 - end) else {
      return false
    }
    return count - 1 - start < range.upperBound
  }

  /// Adds a range and returns true, or returns false if the range overlaps one in the set.
  package mutating func insert(_ range: Range<Int>) -> Bool {
    guard !range.isEmpty else { return true }
    if overlaps(range) { return false }
    ends.insert(range.upperBound - 1)
    starts.insert(count - 1 - range.lowerBound)
    return true
  }
}

/// A set of small numbers with a fast search for the next member at or above a number.
///
/// One bit for each number. Above each 64 words of bits, a summary word records which of them are not 0, and so on for
/// each level:
///
///     summary         0…0101                    words 0 and 2 have members
///     words      0…011 0…000 0…100              the members 0, 1 and 130
struct SparseSet {
  /// The bits, then the summaries of each previous level.
  private var levels: [[UInt64]] = []

  /// Creates an empty set of numbers below `count`.
  init(count: Int) {
    var count = max(count, 1)
    repeat {
      count = (count + 63) / 64
      levels.append([UInt64](repeating: 0, count: count))
    } while count > 1
  }

  /// Adds a number.
  mutating func insert(_ number: Int) {
    var number = number
    for level in levels.indices {
      let word = number >> 6
      levels[level][word] |= 1 << UInt64(number & 63)
      number = word
    }
  }

  /// Returns the least member that is at least `number`, or nil if there is none.
  func first(from number: Int) -> Int? {
    var place = number
    for level in levels.indices {
      let word = place >> 6
      if word < levels[level].count {
        let bits = levels[level][word] & (UInt64.max << UInt64(place & 63))
        if bits != 0 { return descend(to: word << 6 + bits.trailingZeroBitCount, from: level) }
      }
      place = word + 1
    }
    return nil
  }

  /// Returns the least member below a bit of a level.
  private func descend(to bit: Int, from level: Int) -> Int {
    var bit = bit
    for lower in levels[..<level].reversed() { bit = bit << 6 + lower[bit].trailingZeroBitCount }
    return bit
  }
}
