/// Says that nodes moved: what was saved at an old path, with all below it, is restored at a new one; or that a type has a new tag.
///
/// Where the archive has a node at the new path already, that one wins, and what lies at the old path waits to be carried over.
public struct Alias {
  enum Subject {
    case path(String, String)
    case type(String, String)
  }

  let subject: Subject
  let place: SourcePlace

  /// Gives what was saved at one path to another one.
  public init(_ oldPath: String, to newPath: String, fileID: StaticString = #fileID, line: UInt = #line) {
    subject = .path(oldPath, newPath)
    place = SourcePlace(fileID: fileID, line: line)
  }

  /// Takes nodes that were saved with one type tag for nodes with another one.
  public init(type oldTag: String, to newTag: String, fileID: StaticString = #fileID, line: UInt = #line) {
    subject = .type(oldTag, newTag)
    place = SourcePlace(fileID: fileID, line: line)
  }
}
