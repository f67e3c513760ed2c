/// The findings in node and state records, each recreated on access.
struct RecordFindings: RandomAccessCollection, Sendable {
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

  private let findings: [RecordFinding]
  private let place: Place

  init(_ findings: [RecordFinding], in place: Place) {
    self.findings = findings
    self.place = place
  }

  var startIndex: Int { 0 }
  var endIndex: Int { findings.count }

  /// Returns the finding at `position`.
  ///
  /// - Complexity: O(n) in the length of that record and its state record.
  subscript(position: Int) -> Finding {
    var checker = NodeChecker(explaining: place)
    return checker.explain(findings[position])
  }

  /// The codes of the findings.
  var codes: some Sequence<FormatErrorCode> { findings.lazy.map(\.code) }
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
