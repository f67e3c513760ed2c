/// A new path for saved nodes, or a new tag for a type.
///
/// A node saved at the old path, and its descendants, are restored at the new path. If the archive already has a node
/// at the new path, that node takes precedence, and the state at the old path is carried over.
public struct Alias {
  enum Subject {
    case path(String, String)
    case type(String, String)
  }

  let subject: Subject
  let place: SourcePlace

  /// Restores nodes saved at `oldPath` at `newPath`.
  public init(_ oldPath: String, to newPath: String, fileID: StaticString = #fileID, line: UInt = #line) {
    subject = .path(oldPath, newPath)
    place = SourcePlace(fileID: fileID, line: line)
  }

  /// Treats nodes saved with `oldTag` as nodes with `newTag`.
  public init(type oldTag: String, to newTag: String, fileID: StaticString = #fileID, line: UInt = #line) {
    subject = .type(oldTag, newTag)
    place = SourcePlace(fileID: fileID, line: line)
  }
}
