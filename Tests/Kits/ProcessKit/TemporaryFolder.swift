public import Foundation

/// A folder that is deleted with its last reference.
public final class TemporaryFolder: Sendable {
  /// The URL of the folder.
  public let root: URL

  /// Creates an empty folder.
  ///
  /// - Throws: A file system error.
  public init() throws {
    root = FileManager.default.temporaryDirectory.appendingPathComponent("restoration-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: root)
  }

  /// Returns the URL of a file in the folder.
  public func url(_ name: String) -> URL {
    root.appendingPathComponent(name)
  }

  /// Creates an empty file in the folder, open for writing.
  func handle(_ name: String) throws -> FileHandle {
    try Data().write(to: url(name))
    return try FileHandle(forWritingTo: url(name))
  }
}
