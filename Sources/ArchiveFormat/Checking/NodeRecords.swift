/// The node records of a file, by index.
struct NodeRecords {
  /// The file.
  let bytes: [UInt8]
  /// The offset of record 0 in the file.
  let start: Int

  /// Returns the offset of a record in the file.
  @inline(__always)
  func offset(of index: Int) -> Int {
    start &+ index &* NodeRecord.byteCount
  }

  /// Returns the saved order of a node among its siblings.
  @inline(__always)
  func savedOrder(at index: Int) -> Int {
    Int(bytes.span.uint32(at: offset(of: index) &+ NodeRecord.FieldOffset.savedOrder))
  }

  /// Returns the fields of a record, unchecked.
  @inline(__always)
  func record(at index: Int) -> NodeRecord {
    NodeRecord(reading: bytes.span, at: offset(of: index))
  }
}
