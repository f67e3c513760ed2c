/// The node records, with the results of the checks of Spec 7.2 D.
struct SlowNodeTable {
  var records: [SlowNodeRecord] = []
  /// Whether a byte of the record lies in a damaged block, so that the record is skipped.
  var isSkipped: [Bool] = []
  /// Whether D1 to D14 gave a finding.
  var hasFinding: [Bool] = []
  /// The identifier; nil for record 0, and if D10 to D13 on their own give a finding or any of its bytes is not intact.
  var identifiers: [[UInt8]?] = []

  var count: Int { records.count }

  /// Returns the indices of a record's children in ascending order.
  func children(of index: Int) -> Range<Int> {
    let first = min(Int(clamping: records[index].firstChild), count)
    return first..<max(first, min(Int(clamping: records[index].childrenEnd), count))
  }

  /// Returns the indices of a record's children in their saved order.
  func childrenInSavedOrder(of index: Int) -> [Int] {
    children(of: index).sorted { records[$0].savedOrder < records[$1].savedOrder }
  }
}
