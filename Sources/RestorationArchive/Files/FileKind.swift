#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// The kind of a directory entry.
public enum FileKind: String, Sendable, CaseIterable {
  /// A regular file.
  case file
  /// A folder.
  case folder
  /// A symbolic link.
  case link
  /// A named pipe.
  case pipe
  /// A device, such as a terminal.
  case device
  /// A socket, or a kind unknown to this package.
  case other

  /// Creates a kind from the system's file mode.
  package init(mode: UInt32) {
    // The type of a mode differs between systems.
    self =
      switch mode_t(truncatingIfNeeded: mode) & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      case S_IFLNK: .link
      case S_IFIFO: .pipe
      case S_IFCHR, S_IFBLK: .device
      default: .other
      }
  }

  /// The kind as a noun with its article, for messages.
  public var words: String {
    switch self {
    case .file: "a file"
    case .folder: "a directory"
    case .link: "a symbolic link"
    case .pipe: "a pipe"
    case .device: "a device"
    case .other: "neither a file nor a directory"
    }
  }
}
