import SystemLibrary

/// Ends the process with a status.
func exit(_ status: ExitStatus) -> Never {
  exit(status.rawValue)
}
