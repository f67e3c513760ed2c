#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Ends the process with a status.
func exit(_ status: ExitStatus) -> Never {
  exit(status.rawValue)
}
