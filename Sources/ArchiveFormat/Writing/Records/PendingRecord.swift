/// A finished record whose entries are still in the order in which they were written.
struct PendingRecord: BitwiseCopyable {
  /// The number of its node.
  let node: Int
  /// The offset of the record in the buffer, including the parts before its entries.
  let start: Int
  /// The offset of its entries.
  let entriesStart: Int
  /// The end of the record.
  let end: Int
  /// The index of its first entry among those of all pending records.
  let firstEntry: Int
  /// The index after the sentinel that marks the end of its last entry.
  let lastEntry: Int
}
