/// The exit status of the tool.
enum ExitStatus: Int32 {
  /// Success.
  case fine = 0
  /// Problems were found, or a requested item was not found.
  case problems = 1
  /// The input cannot be opened as an archive at all, or has a later major version.
  case unreadable = 2
  /// The command line is not valid.
  case usage = 64
  /// A file cannot be read or written.
  case inputOutput = 74

  /// Returns the worse of two statuses.
  func or(_ other: ExitStatus) -> ExitStatus {
    rawValue >= other.rawValue ? self : other
  }
}
