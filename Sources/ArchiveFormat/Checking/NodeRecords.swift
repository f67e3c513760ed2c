/// The node records of a file, by index.
struct NodeRecords {
  /// The file.
  let bytes: [UInt8]
  /// The offset of record 0 in the file.
  let start: Int

  /// The offset of a record in the file.
  @inline(__always)
  func offset(of index: Int) -> Int {
    start &+ index &* NodeRecord.byteCount
  }

  /// The fields of a record as they are.
  @inline(__always)
  func record(at index: Int) -> NodeRecord {
    NodeRecord(reading: bytes.span, at: offset(of: index))
  }
}
