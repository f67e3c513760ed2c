/// What the tool tells the shell.
enum ExitStatus: Int32 {
  /// All is well.
  case fine = 0
  /// It looked and found problems, or did not find what was asked for.
  case problems = 1
  /// The input is not readable as an archive at all, or is of a later major version.
  case unreadable = 2
  /// The command line makes no sense.
  case usage = 64
  /// A file cannot be read or written.
  case inputOutput = 74

  /// The worse of two.
  func or(_ other: ExitStatus) -> ExitStatus {
    rawValue >= other.rawValue ? self : other
  }
}
