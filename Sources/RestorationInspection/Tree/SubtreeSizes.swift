import ArchiveFormat
import RestorationArchive

/// The total state size of the descendants of each node.
///
/// Uses eight bytes of memory for each node. Unreadable records are not counted.
struct SubtreeSizes {
  private var totals: [Int]

  init(_ archive: ArchiveReader) {
    let records = archive.records
    totals = [Int](repeating: 0, count: records.presentRecordCount)
    // A parent's index is less than its children's, so one backward pass computes all totals.
    for index in totals.indices.reversed() {
      guard let record = try? records.node(at: index).record, index > 0 else { continue }
      totals[Int(record.parent)] += totals[index] + Int(record.stateLength)
    }
  }

  /// Returns the state bytes of a node's descendants.
  func below(_ node: NodeReader) -> Int {
    node.recordIndex < totals.count ? totals[node.recordIndex] : 0
  }
}
