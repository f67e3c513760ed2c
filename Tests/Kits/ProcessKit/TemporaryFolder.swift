public import Foundation

/// A folder that is removed when nobody uses it any more.
public final class TemporaryFolder: Sendable {
  /// The folder.
  public let root: URL

  /// Makes an empty folder.
  ///
  /// - Throws: What the file system says.
  public init() throws {
    root = FileManager.default.temporaryDirectory.appendingPathComponent("restoration-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: root)
  }

  /// A file in it.
  public func url(_ name: String) -> URL {
    root.appendingPathComponent(name)
  }

  /// Makes an empty file in it, open for writing.
  func handle(_ name: String) throws -> FileHandle {
    try Data().write(to: url(name))
    return try FileHandle(forWritingTo: url(name))
  }
}
