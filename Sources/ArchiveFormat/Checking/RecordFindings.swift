/// The findings in node and state records; each is made when it is asked for.
struct RecordFindings: RandomAccessCollection, Sendable {
  /// Where the records lie: a class, since all who check an archive have it, and a copy of its parts counts a dozen references.
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

  /// - Complexity: O(n) in the length of that record and its state record.
  subscript(position: Int) -> Finding {
    var checker = NodeChecker(explaining: place)
    return checker.explain(findings[position])
  }

  /// The codes alone.
  var codes: some Sequence<FormatErrorCode> { findings.lazy.map(\.code) }
}
