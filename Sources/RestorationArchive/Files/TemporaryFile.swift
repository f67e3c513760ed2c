#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveFormat

/// A new, uniquely named file in the folder of the file that it will replace.
struct TemporaryFile: ~Copyable {
  /// The path of the temporary file.
  let path: String
  private let descriptor: Int32

  /// Creates the file.
  init(beside target: String, mode: mode_t) throws(ArchiveError) {
    var failure = EEXIST
    for _ in 0..<100 {
      let number = String(UInt64.random(in: .min ... .max), radix: 36)
      let candidate = "\(ArchiveFile.folder(of: target))/.restoration-\(number).tmp"
      // Variadic arguments promote the mode to an int.
      let opened = unsafe open(candidate, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if opened >= 0 {
        descriptor = opened
        path = candidate
        _ = fchmod(opened, mode)
        return
      }
      failure = errno
      if failure != EEXIST && failure != EINTR { break }
    }
    throw FileByteSource.error("creating", code: failure)
  }

  deinit {
    close(descriptor)
  }

  /// Appends bytes.
  borrowing func write(_ bytes: some ContiguousBytes) throws(ArchiveError) {
    var failure: Int32 = 0
    unsafe bytes.withUnsafeBytes { buffer in
      var written = 0
      while written < buffer.count, let base = buffer.baseAddress {
        // Some systems reject writes of more than two gigabytes.
        let result = unsafe systemWrite(descriptor, base + written, min(buffer.count - written, 1 << 30))
        if result > 0 {
          written += result
        } else if result == 0 || errno != EINTR {
          failure = result == 0 ? ENOSPC : errno
          return
        }
      }
    }
    guard failure == 0 else { throw FileByteSource.error("writing", code: failure) }
  }

  /// Makes the content durable.
  borrowing func flush() throws(ArchiveError) {
    var code = EINTR
    while code == EINTR { code = DiskFlush.flush(descriptor) }
    guard code == 0 else { throw FileByteSource.error("flushing", code: code) }
  }
}

@unsafe
private func systemWrite(_ descriptor: Int32, _ address: UnsafeRawPointer, _ count: Int) -> Int {
  unsafe write(descriptor, address, count)
}

/// The system call that makes written data survive a loss of power.
package enum DiskFlush {
  /// Makes the content of an open file, or the names in an open folder, durable.
  ///
  /// On Apple's systems, `fsync` hands the bytes to the drive, which may cache them and write them in any order.
  /// `F_FULLFSYNC` makes the drive write them. Some file systems, mostly on networks, refuse it and offer only `fsync`.
  ///
  /// - Returns: 0, or the system's error number.
  package static func flush(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
      if unsafe fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
      // A failing or full drive is not a refusal: `fsync` might succeed there although nothing is on disk.
      let failures = [EINTR, EIO, ENXIO, ENOSPC, EDQUOT, EROFS, EBADF]
      if failures.contains(errno) { return errno }
    #endif
    return fsync(descriptor) == 0 ? 0 : errno
  }
}
