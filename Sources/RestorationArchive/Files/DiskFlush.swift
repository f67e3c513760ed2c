#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

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
