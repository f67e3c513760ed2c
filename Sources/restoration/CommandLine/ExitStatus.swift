import RestorationArchive
import SystemLibrary

/// The exit status of the tool.
enum ExitStatus: Int32, CaseIterable {
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

  /// The meaning in the help and on the manual page.
  var meaning: String {
    switch self {
    case .fine: "all is well"
    case .problems: "problems or differences were found, or the requested item was not found"
    case .unreadable: "no archive, of a later major version, or a chain with a damaged link (1 for check and salvage)"
    case .usage: "invalid command line"
    case .inputOutput: "a file cannot be read or written"
    }
  }

  /// The status for an error in a file that was opened: damage is a problem that was found, unless the file cannot be read.
  init(_ error: ArchiveError) { self = error.kind == .inputOutput ? .inputOutput : .problems }

  func or(_ other: ExitStatus) -> ExitStatus { rawValue >= other.rawValue ? self : other }
}

func exit(_ status: ExitStatus) -> Never { exit(status.rawValue) }
