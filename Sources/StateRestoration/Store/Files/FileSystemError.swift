#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif
public import RestorationArchive

/// Why the system refused something that the store asked of it.
public struct FileSystemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was asked for.
  public enum Operation: String, Sendable, CaseIterable {
    /// Making the folder of the store.
    case makeFolder = "making the folder"
    /// Asking for the names in the folder.
    case list = "listing the folder"
    /// Opening a file.
    case open = "opening"
    /// Asking for the length or kind of a file.
    case examine = "examining"
    /// Reading bytes of a file.
    case read = "reading"
    /// Writing bytes to a file.
    case write = "writing"
    /// Having what was written to a file reach the disk.
    case flush = "flushing"
    /// Giving a finished file its name.
    case rename = "renaming"
    /// Removing a file.
    case remove = "removing"
    /// Having names of files reach the disk.
    case flushFolder = "flushing the folder"
    /// Keeping other writers out of the folder.
    case lock = "locking"
  }

  /// What was asked for.
  public let operation: Operation
  /// The system's error number.
  public let code: Int32
  /// The last part of the path.
  public let name: String
  /// What stands at the path in place of a file, where that is the reason.
  public let foreignKind: FileKind?

  /// Makes an error; of `path` only the last part is kept, so that a log tells nothing about where the user's home is.
  public init(_ operation: Operation, code: Int32, path: String) {
    self.operation = operation
    self.code = code
    name = Self.name(path)
    foreignKind =
      switch (operation, code) {
      case (.open, EISDIR): .folder
      case (.open, ELOOP): .link
      case (.open, ENXIO): .other
      default: nil
      }
  }

  /// Makes an error about what is no file, although it has a file's name.
  init(opening kind: FileKind, path: String) {
    operation = .open
    code = kind == .folder ? EISDIR : EINVAL
    name = Self.name(path)
    foreignKind = kind
  }

  private static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

  /// One line, safe to print: what, which file, why.
  public var description: String {
    let words = unsafe String(cString: strerror(code)).lowercased()
    return "\(operation.rawValue) \(name.escapedForDisplay): \(foreignKind.map { "is \($0.words)" } ?? words)"
  }

  /// Whether the call was interrupted by a signal and can be made again.
  var isInterruption: Bool { code == EINTR }
  /// Whether there is nothing at the path.
  var isAbsence: Bool { code == ENOENT }
  /// Whether the system does not let this process do it.
  var isRefusal: Bool { code == EACCES || code == EPERM }
  /// Whether the file system has no such operation, as some have no flushing of folders.
  var isUnsupported: Bool { code == EINVAL || code == ENOTSUP || code == ENOSYS }
}
