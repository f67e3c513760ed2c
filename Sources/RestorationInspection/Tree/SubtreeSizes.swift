import ArchiveFormat
import RestorationArchive

/// How many bytes the state of all nodes below each node takes.
///
/// Eight bytes of memory for each node. Nodes whose records cannot be read count nothing.
struct SubtreeSizes {
  private var totals: [Int]

  init(_ archive: ArchiveReader) {
    let records = archive.records
    totals = [Int](repeating: 0, count: records.presentRecordCount)
    // A parent's index is less than that of its children, so one walk from the end sums up all.
    for index in totals.indices.reversed() {
      guard let record = try? records.node(at: index).record, index > 0 else { continue }
      totals[Int(record.parent)] += totals[index] + Int(record.stateLength)
    }
  }

  /// The bytes of state below a node.
  func below(_ node: ArchivedNode) -> Int {
    node.recordIndex < totals.count ? totals[node.recordIndex] : 0
  }
}
