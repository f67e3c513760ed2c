/// A fault found by a check: the error, and the node and key it concerns, if known.
package struct Finding: Sendable {
  /// The error.
  package let error: FormatError
  /// The index of the node record.
  package let node: Int?
  /// The outermost key, for findings in a state record.
  package let key: String?

  /// Creates a finding.
  init(_ error: FormatError, node: Int? = nil, key: String? = nil) {
    self.error = error
    self.node = node
    self.key = key
  }

  /// Creates the finding of a fault, by the parts of its error.
  init(
    _ code: FormatErrorCode, at offset: Int, _ subject: String, expected: FormatError.Quantity, found: FormatError.Quantity = .nothing,
    rule: StaticString? = nil, node: Int? = nil
  ) {
    self.init(FormatError(code, at: offset, subject, expected: expected, found: found, rule: rule), node: node)
  }

  /// Whether the finding, if it does not stop the check, is damage of a spare copy, which costs no content (Spec §7.2 F).
  package var costsNoContent: Bool {
    error.code == .prefixDamaged || error.code == .metadataDamaged || error.code == .treeDamaged
  }
}

/// All findings of a checker, in order.
///
/// The list takes a fraction of the file's length, whatever the number of findings: those in records are recreated on
/// access.
package struct FindingList: RandomAccessCollection, Sendable {
  /// The findings in the prefix, metadata, checksum tree and blocks.
  private(set) var first: [Finding] = []
  /// The findings in node and state records.
  var inRecords: RecordFindings?
  /// The findings about the archive as a whole.
  private(set) var last: [Finding] = []

  init() {}

  package var startIndex: Int { 0 }
  package var endIndex: Int { first.count + (inRecords?.findings.count ?? 0) + last.count }

  /// Returns the finding at `position`.
  ///
  /// - Complexity: O(n) in the length of the record it concerns.
  package subscript(position: Int) -> Finding {
    if position < first.count { return first[position] }
    let place = position - first.count
    guard let inRecords, place < inRecords.findings.count else { return last[place - (inRecords?.findings.count ?? 0)] }
    return inRecords[place]
  }

  /// Adds a finding, after the findings in records if those have been added, otherwise before them.
  mutating func append(_ finding: Finding) {
    if inRecords == nil { first.append(finding) } else { last.append(finding) }
  }

  /// Adds findings, after the findings in records if those have been added, otherwise before them.
  mutating func append(contentsOf findings: [Finding]) {
    for finding in findings { append(finding) }
  }

  /// Whether the only findings are values of a later version and damage that costs no content, so that all records have
  /// been read.
  var isReadable: Bool {
    first.allSatisfy(\.costsNoContent) && (inRecords?.findings.allSatisfy { $0.code == .unknownValueType } ?? true)
  }

  /// Whether the only findings are damage that costs no content (Spec §7.2 F).
  var areHarmless: Bool {
    first.allSatisfy(\.costsNoContent) && inRecords == nil && last.isEmpty
  }
}

/// The findings in node and state records, each recreated on access.
struct RecordFindings: Sendable {
  /// The location of the records.
  ///
  /// A class, because every checker of an archive holds it and a copy of its parts would retain a dozen references.
  final class Place: Sendable {
    let bytes: [UInt8]
    let layout: FileLayout
    let metadata: ArchiveMetadata
    let damage: BlockDamage
    let minorVersion: UInt16

    init(bytes: [UInt8], layout: FileLayout, metadata: consuming ArchiveMetadata, damage: BlockDamage, minorVersion: UInt16) {
      self.bytes = bytes
      self.layout = layout
      self.metadata = metadata
      self.damage = damage
      self.minorVersion = minorVersion
    }
  }

  let findings: [RecordFinding]
  let place: Place

  /// Returns the finding at `position`.
  ///
  /// - Complexity: O(n) in the length of that record and its state record.
  subscript(position: Int) -> Finding {
    var checker = NodeChecker(place, onlyExplains: true)
    return checker.explain(findings[position])
  }
}

/// A finding in a node record or its state record, in eight bytes.
///
/// A hostile node table can have a fault in each of its 48-byte records. The rest of a ``Finding`` is recreated on
/// access.
struct RecordFinding: Sendable {
  /// The index of the record.
  let node: UInt32
  /// The kind of fault.
  let code: FormatErrorCode
  /// Whether the fault is in the state record.
  let isInState: Bool
}
