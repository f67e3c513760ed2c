/// Whether the state records lie one behind the other as a walk in preorder meets their nodes (F3 and F4 of Spec §7.2).
///
/// Where they do, no two of them share a byte, which need not be found out by sorting them.
struct StateOrder {
  /// The first record whose state is in another place.
  private(set) var finding: Finding?
  /// Where the last state record ends, from the start of `STAT`.
  private(set) var end = 0

  /// Walks over all nodes, whose records have been found in order (D1 to D14).
  ///
  /// - Complexity: O(n).
  init(_ records: NodeRecords) {
    // Records that share bytes can have more of them together than there are in the file.
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
      // The saved orders are a permutation (D6), so each place is filled; the first child comes next, so it is put last.
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
