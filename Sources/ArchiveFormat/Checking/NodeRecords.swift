/// The node records of a file that may be damaged, by index: where they lie, and what can be read of them.
///
/// The checker, the survey of its losses and salvage all look at nodes through this type. Functions with a `bytes`
/// parameter expect the span of ``bytes``.
package struct NodeRecords: Sendable {
  /// The file.
  let bytes: [UInt8]
  /// The blocks that are damaged or cannot be verified.
  package let damage: BlockDamage
  /// The number of records that the file declares.
  package let count: Int
  /// The offset of record 0 in the file.
  private let start: Int
  /// The offset of the body in the file.
  private let body: Int
  /// The range of the long identifiers in the file.
  private let strings: Range<Int>

  /// Creates the records of a file with this layout and metadata.
  package init(bytes: [UInt8], layout: FileLayout, metadata: ArchiveMetadata, damage: BlockDamage) {
    self.bytes = bytes
    self.damage = damage
    count = metadata.recordCount
    body = layout.body.lowerBound
    start = body + metadata.nodes.lowerBound
    strings = layout.fileRange(of: metadata.strings)
  }

  /// The number of records that lie within the file.
  package var presentCount: Int { min(count, max(bytes.count - start, 0) / NodeRecord.byteCount) }

  /// Returns the offset of a record in the file.
  @inline(__always)
  package func offset(of index: Int) -> Int {
    start &+ index &* NodeRecord.byteCount
  }

  /// Returns the range of a record in the file.
  @inline(__always)
  package func range(of index: Int) -> Range<Int> {
    offset(of: index)..<(offset(of: index) &+ NodeRecord.byteCount)
  }

  /// Whether all blocks that overlap a range of the file are intact.
  @inline(__always)
  package func isIntact(_ range: Range<Int>) -> Bool {
    damage.isEmpty || damage.isIntact((range.lowerBound - body)..<(range.upperBound - body))
  }

  /// Returns the first damaged range of the file that shares a block with a range of the file.
  package func firstDamage(in range: Range<Int>) -> Range<Int>? {
    damage.firstDamage(in: (range.lowerBound - body)..<(range.upperBound - body))
  }

  /// Returns the saved order of a node among its siblings.
  @inline(__always)
  func savedOrder(at index: Int) -> Int {
    Int(bytes.span.uint32(at: offset(of: index) &+ NodeRecord.FieldOffset.savedOrder))
  }

  /// Returns the fields of a record, unchecked.
  @inline(__always)
  package func record(at index: Int) -> NodeRecord {
    NodeRecord(reading: bytes.span, at: offset(of: index))
  }

  // MARK: Identifiers

  /// Returns the range of a node's identifier in the file (checks D10 and D11).
  ///
  /// A long identifier may be damaged. Neither its text nor its beginning has been checked.
  @inline(__always)
  package func identifier(of index: Int, in bytes: Span<UInt8>) throws(FormatError) -> Range<Int> {
    let start = offset(of: index) &+ NodeRecord.FieldOffset.identifier
    let field = try IdentifierField(reading: bytes, at: start, fileOffset: 0)
    guard let inStrings = field.inStrings else { return field.inRecord }
    try field.checkRange(length: strings.count, at: start, fileOffset: 0)
    return (strings.lowerBound &+ inStrings.lowerBound)..<(strings.lowerBound &+ inStrings.upperBound)
  }

  /// Checks that an identifier begins with the bytes in its record (D13).
  @inline(__always)
  package func checkBeginning(of identifier: Range<Int>, of index: Int, in bytes: Span<UInt8>) throws(FormatError) {
    let first = offset(of: index) &+ NodeRecord.FieldOffset.identifier &+ IdentifierField.FieldOffset.bytes
    // A short identifier lies in the record.
    if identifier.lowerBound == first { return }
    let inRecord = bytes.extracting(first..<(first &+ IdentifierField.prefixLength))
    try IdentifierField.checkBeginning(of: bytes.extracting(identifier), inRecord: inRecord, at: first)
  }

  /// Checks the text of an identifier in undamaged blocks (D12 and D13).
  @inline(__always)
  package func checkText(of identifier: Range<Int>, of index: Int, in bytes: Span<UInt8>) throws(FormatError) {
    try checkBeginning(of: identifier, of: index, in: bytes)
    guard bytes.extracting(identifier).firstIllFormedUTF8() == nil else { throw FormatError(.invalidUTF8, at: identifier.lowerBound) }
  }

  // MARK: Children

  /// Returns the parents of lost records, from the ranges of children of the others.
  package func parentsOfLostRecords(isLost: (Int) -> Bool) -> [(lost: Int, parent: Int)] {
    var found: [(lost: Int, parent: Int)] = []
    var next = 1
    for index in 0..<presentCount where !isLost(index) {
      for child in children(of: index, from: &next) where isLost(child) { found.append((child, index)) }
    }
    return found
  }

  /// Returns the children of a record that lie within the file, if they begin at or after `next`, and moves `next`
  /// past them; otherwise returns an empty range.
  ///
  /// Ranges of children ascend. A range that goes back is skipped, so the search for parents takes linear time.
  package func children(of index: Int, from next: inout Int) -> Range<Int> {
    guard let children = record(at: index).children(index: index, count: count), children.lowerBound >= next else { return 0..<0 }
    next = children.upperBound
    return children.clamped(to: 0..<presentCount)
  }
}
