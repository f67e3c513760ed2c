/// A registration for intentionally removed nodes: they and their descendants are skipped, and not carried over.
public struct Tombstone {
  let path: String
  let place: SourcePlace

  /// Marks the nodes of a path or pattern as removed.
  public init(_ path: String, fileID: StaticString = #fileID, line: UInt = #line) {
    self.path = path
    place = SourcePlace(fileID: fileID, line: line)
  }
}
