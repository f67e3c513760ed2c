import Storage

/// A check that the state records lie in preorder of their nodes, without gaps (F3 and F4 of Spec §7.2).
///
/// State records in that order cannot overlap, which saves the checker a sort.
struct StateRecordOrder {
  /// The finding for the first record whose state is out of place.
  private(set) var finding: Finding?
  /// The end of the last state record, from the start of `STAT`.
  private(set) var end = 0

  /// Walks all nodes, whose records must have passed D1 to D14.
  ///
  /// - Complexity: O(n).
  init(_ records: NodeRecords) {
    // 64 bits, because records that overlap can have a total length greater than that of the file.
    var next: UInt64 = 0
    var stack = ScratchArray<UInt32>(capacity: 64)
    stack.append(0)
    while let last = stack.last {
      stack.truncate(to: stack.count - 1)
      let index = Int(last)
      let record = records.record(at: index)
      let expected = record.stateLength == 0 ? 0 : next
      if finding == nil, UInt64(record.stateOffset) != expected {
        let error = FormatError(
          .stateOrder, at: records.offset(of: index) + NodeRecord.FieldOffset.stateOffset, "place of the state record",
          expected: .number(expected), found: .number(UInt64(record.stateOffset)))
        finding = Finding(error, node: index)
      }
      next += UInt64(record.stateLength)
      if record.stateLength > 0 { end = max(end, Int(record.stateOffset) + Int(record.stateLength)) }
      // The saved orders are a permutation (D6), so every slot is filled. The first child is visited next, so it goes
      // on top.
      let count = Int(record.childCount)
      stack.append(repeating: 0, count: count)
      let top = stack.count - 1
      for child in 0..<count {
        let number = Int(record.firstChild) + child
        stack[top - records.savedOrder(at: number)] = UInt32(number)
      }
    }
  }
}
