/// Applies every check of Spec §7.2 to an archive, in the order of the Spec, and collects all findings.
///
/// Time and memory are linear in the length of the file, whatever its content.
package struct ArchiveChecker {
  /// The file.
  let bytes: [UInt8]
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
    let damage = checkTreeAndBlocks(prefix, layout)
    self.damage = damage
    let metadata = try MetadataReader.read(bytes.span.extracting(copy), at: copy.lowerBound, prefix, layout)
    let place = RecordFindings.Place(
      bytes: bytes, layout: layout, metadata: metadata, damage: damage, minorVersion: prefix.minorVersion)
    self.place = place
    var nodes = NodeChecker(place)
    nodes.check()
    if !nodes.findings.isEmpty { findings.append(RecordFindings(nodes.findings, in: place)) }
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
      findings.append(Finding(FormatError(.prefixDamaged, at: 0, "first copy of the prefix", expected: .text("the same as the second"))))
    }
    let layout = try ArchiveOpening.readLayout(prefix, length: bytes.count, toleratesLength: false).layout
    if !isSecond { checkSecondPrefix(at: layout.secondPrefix) }
    return (prefix, layout)
  }

  private mutating func checkSecondPrefix(at range: Range<Int>) {
    let bytes = bytes
    let second = bytes.span.extracting(range)
    if !ArchivePrefix.isIntact(second) {
      findings.append(
        Finding(FormatError(.prefixDamaged, at: range.lowerBound, "second copy of the prefix", expected: .text("the same as the first"))))
    } else if second.compare(with: bytes.span.extracting(0..<ArchivePrefix.byteCount)) != 0 {
      findings.append(
        Finding(FormatError(.prefixCopiesDiffer, at: range.lowerBound, "copies of the prefix", expected: .text("the same bytes"))))
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

  private mutating func checkTreeAndBlocks(_ prefix: ArchivePrefix, _ layout: FileLayout) -> BlockDamage {
    var checker = BlockChecker(bytes: bytes, layout: layout, root: prefix.treeRoot)
    checker.check()
    findings.append(contentsOf: checker.findings)
    return checker.damage
  }
}
