import ArchiveFormat

/// What is counted in one walk over the node table; records that cannot be read count nothing.
struct NodeCounts {
  /// The number of levels of the tree.
  private(set) var depth = 0
  /// The number of nodes that were carried over.
  private(set) var carriedOver = 0
  /// By place in the type table, the number of nodes.
  private(set) var types: [UInt32]

  init(_ records: RecordReader) {
    types = [UInt32](repeating: 0, count: records.metadata.types.count)
    var depths = [UInt16](repeating: 0, count: records.presentRecordCount)
    for index in 1..<max(1, records.presentRecordCount) {
      guard let record = try? records.node(at: index).record else { continue }
      // Parents come before their children. Deeper than the format allows counts as that.
      depths[index] = min(depths[Int(record.parent)] + 1, UInt16(FormatLimits.pathComponents) + 1)
      depth = max(depth, Int(depths[index]))
      if record.origin != 0 { carriedOver += 1 }
      if record.type != 0 { types[Int(record.type) - 1] += 1 }
    }
  }
}
