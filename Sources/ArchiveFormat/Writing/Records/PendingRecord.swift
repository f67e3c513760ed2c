/// A record that was ended, and whose entries still lie in the order in which they were written.
struct PendingRecord: BitwiseCopyable {
  /// The number of its node.
  let node: Int
  /// Where in the buffer it begins, with what precedes its entries.
  let start: Int
  /// Where its entries begin.
  let entriesStart: Int
  /// Where it ends.
  let end: Int
  /// Its first entry among those of all pending records.
  let firstEntry: Int
  /// Behind the entry that says where its last one ends.
  let lastEntry: Int
}
