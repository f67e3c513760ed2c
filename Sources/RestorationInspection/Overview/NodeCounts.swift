import ArchiveFormat

/// Counts from one pass over the node table.
///
/// Unreadable records are not counted.
struct NodeCounts {
  /// The number of levels of the tree.
  private(set) var depth = 0
  /// The number of nodes that were carried over.
  private(set) var carriedOver = 0
  /// The number of nodes of each type, by index in the type table.
  private(set) var types: [UInt32]

  init(_ records: RecordReader) {
    types = [UInt32](repeating: 0, count: records.metadata.types.count)
    var depths = [UInt16](repeating: 0, count: records.presentRecordCount)
    for index in 1..<max(1, records.presentRecordCount) {
      guard let record = try? records.node(at: index).record else { continue }
      // Parents precede their children. A depth beyond the format's limit is capped just above it.
      depths[index] = min(depths[Int(record.parent)] + 1, UInt16(FormatLimits.pathComponents) + 1)
      depth = max(depth, Int(depths[index]))
      if record.origin != 0 { carriedOver += 1 }
      if record.type != 0 { types[Int(record.type) - 1] += 1 }
    }
  }
}
