/// All findings of a checker, in their order.
///
/// However many there are, they take a fraction of the file's length: those in records are made when they are asked for.
package struct FindingList: RandomAccessCollection, Sendable {
  /// Those in prefix, metadata, checksum tree and blocks.
  private(set) var first: [Finding] = []
  /// Those in node and state records.
  private(set) var inRecords: RecordFindings?
  /// Those that concern the whole.
  private(set) var last: [Finding] = []

  init() {}

  package var startIndex: Int { 0 }
  package var endIndex: Int { first.count + (inRecords?.count ?? 0) + last.count }

  /// The finding at a place.
  ///
  /// - Complexity: O(n) in the length of the record that it concerns.
  package subscript(position: Int) -> Finding {
    if position < first.count { return first[position] }
    let place = position - first.count
    guard let inRecords, place < inRecords.count else { return last[place - (inRecords?.count ?? 0)] }
    return inRecords[place]
  }

  /// Adds a finding: in front of those in records, or behind them if there are such.
  mutating func append(_ finding: Finding) {
    if inRecords == nil { first.append(finding) } else { last.append(finding) }
  }

  /// Adds findings: in front of those in records, or behind them if there are such.
  mutating func append(contentsOf findings: [Finding]) {
    for finding in findings { append(finding) }
  }

  /// Adds those in records.
  mutating func append(_ findings: RecordFindings) {
    inRecords = findings
  }

  /// Whether nothing was found but values of a later version.
  var isReadable: Bool {
    first.allSatisfy { $0.error.code == .unknownValueType } && last.allSatisfy { $0.error.code == .unknownValueType }
      && (inRecords?.codes.allSatisfy { $0 == .unknownValueType } ?? true)
  }
}
