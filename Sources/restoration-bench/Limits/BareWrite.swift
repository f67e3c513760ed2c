import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The system calls that a durable replacement of a file cannot do without, and nothing else.
enum BareWrite {
  static func write(_ data: Data, to path: String) throws {
    let temporary = path + ".tmp"
    let file = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0 else { throw POSIXError.last }
    defer { close(file) }
    try unsafe data.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let count = unsafe bytes.baseAddress.map { unsafe Foundation.write(file, $0 + written, bytes.count - written) } ?? 0
        guard count > 0 else { throw POSIXError.last }
        written += count
      }
    }
    guard fsync(file) == 0, unsafe rename(temporary, path) == 0 else { throw POSIXError.last }
    let folder = unsafe open((path as NSString).deletingLastPathComponent, O_RDONLY)
    guard folder >= 0 else { throw POSIXError.last }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw POSIXError.last }
  }
}

extension POSIXError {
  /// The error of the call that failed last.
  static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
