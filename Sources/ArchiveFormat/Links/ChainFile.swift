/// A file of a chain in which a checker has no finding but of damage that costs no content, so that the bytes of its body
/// and the metadata that were read can be trusted (rule R-15.4-3).
package final class ChainFile: Sendable {
  /// The bytes.
  package let bytes: [UInt8]
  /// The prefix.
  package let prefix: ArchivePrefix
  /// The metadata.
  package let metadata: ArchiveMetadata
  /// The node records.
  let records: NodeRecords
  /// How the link changes each node, if the file is one.
  package let link: LinkTable?
  /// The offset of the state records in the file.
  private let states: Int
  private let layout: FileLayout

  /// Creates a file from the result of a check; nil if the check has a finding that counts.
  package init?(_ checker: ArchiveChecker) {
    guard checker.isWhole, let prefix = checker.prefix, let layout = checker.layout, let metadata = checker.metadata,
      let damage = checker.damage
    else { return nil }
    let bytes = checker.bytes
    self.bytes = bytes
    self.prefix = prefix
    self.metadata = metadata
    records = NodeRecords(bytes: bytes, layout: layout, metadata: metadata, damage: damage)
    self.layout = layout
    states = layout.fileRange(of: metadata.states).lowerBound
    // The checker has read the section of a link, so it can be read.
    link = try? metadata.link.map { section throws(FormatError) in
      try LinkTable(VerifiedBytes(section.range, of: layout, in: bytes), nodes: VerifiedBytes(metadata.nodes, of: layout, in: bytes))
    }
  }

  /// The digest of the file before a link.
  package var base: UInt64? { metadata.header.first { $0.registeredKey == .baseContentDigest }?.digest }

  /// All header entries of the archive that a chain with this file as its last one stands for.
  var header: [HeaderEntry] {
    (metadata.volatileHeader + metadata.header).filter { $0.registeredKey != .baseContentDigest }
  }

  /// The range of the body in the file.
  var bodyRange: Range<Int> { layout.body }

  /// The ancillary sections.
  var sections: [(code: SectionCode, bytes: [UInt8])] {
    metadata.ancillarySections.map { ($0.code, Array(bytes[layout.fileRange(of: $0.range)])) }
  }

  /// Returns the fields of a record.
  @inline(__always)
  func record(_ index: Int) -> NodeRecord { records.record(at: index) }

  /// Returns the indexes of the children of a record.
  func children(of index: Int) -> Range<Int> {
    let record = records.record(at: index)
    return Int(record.firstChild)..<(Int(record.firstChild) + Int(record.childCount))
  }

  /// Returns the range of the identifier of a record in the file.
  @inline(__always)
  func identifier(of index: Int, in bytes: Span<UInt8>) -> Range<Int> {
    // Checked, so it can be read.
    (try? records.identifier(of: index, in: bytes)) ?? 0..<0
  }

  /// Returns the range of the state record of a node in the file.
  @inline(__always)
  func state(of record: NodeRecord) -> Range<Int> {
    let start = states &+ Int(record.stateOffset)
    return start..<(start &+ Int(record.stateLength))
  }

  /// Returns the child of a record with this identifier, or nil if there is none.
  ///
  /// - Complexity: O(log n) in the number of children.
  func child(of index: Int, identifier: Span<UInt8>) -> Int? {
    let bytes = bytes
    let span = bytes.span
    let range = children(of: index)
    func order(_ child: Int) -> Int { span.extracting(self.identifier(of: child, in: span)).compare(with: identifier) }
    let child = range.first(past: { order($0) >= 0 })
    return child < range.upperBound && order(child) == 0 ? child : nil
  }

  /// Returns the children of a record in saved order.
  func childrenInSavedOrder(of index: Int) -> [Int] {
    let range = children(of: index)
    var result = [Int](repeating: range.lowerBound, count: range.count)
    for child in range { result[records.savedOrder(at: child)] = child }
    return result
  }

  /// Returns the identifiers from the root to a record.
  package func identifiers(to index: Int) -> [String] {
    let file = bytes
    let bytes = file.span
    var result: [String] = []
    var next = index
    while next > 0 {
      result.append(bytes.extracting(identifier(of: next, in: bytes)).makeString() ?? "")
      next = Int(record(next).parent)
    }
    return result.reversed()
  }
}
