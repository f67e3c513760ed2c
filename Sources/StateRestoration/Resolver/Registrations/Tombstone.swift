/// Says that the nodes of a path or pattern are gone on purpose: they are skipped with all below them, and not carried over.
public struct Tombstone {
  let path: String
  let place: SourcePlace

  /// Marks a path or pattern as gone.
  public init(_ path: String, fileID: StaticString = #fileID, line: UInt = #line) {
    self.path = path
    place = SourcePlace(fileID: fileID, line: line)
  }
}
