/// The node records, and what the checks of Spec 7.2 D found out about each.
struct SlowNodeTable {
  var records: [SlowNodeRecord] = []
  /// A byte of the record lies in a damaged block.
  var isPassedOver: [Bool] = []
  /// There was a finding of D1 to D14.
  var hasFinding: [Bool] = []
  /// The identifier, if D10 to D13, taken alone, find nothing and all its bytes are intact; nil for record 0.
  var identifiers: [[UInt8]?] = []

  var count: Int { records.count }

  /// Indices of the children of a record in ascending order.
  func children(of index: Int) -> Range<Int> {
    let first = min(Int(clamping: records[index].firstChild), count)
    return first..<max(first, min(Int(clamping: records[index].childrenEnd), count))
  }

  /// Indices of the children of a record in their saved order.
  func childrenInSavedOrder(of index: Int) -> [Int] {
    children(of: index).sorted { records[$0].savedOrder < records[$1].savedOrder }
  }
}
