#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// The system's way of making what was written survive a loss of power.
package enum DiskFlush {
  /// Makes the content of an open file, or the names in an open folder, last.
  ///
  /// On Apple's systems `fsync` hands the bytes to the drive, which may keep them in its own memory and write them in any order;
  /// `F_FULLFSYNC` has the drive write them. Some file systems, most of them on a network, refuse it: there `fsync` is all there is.
  ///
  /// - Returns: 0, or the system's error number.
  package static func flush(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
      if unsafe fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
      // A failing or full drive is no refusal: `fsync` could succeed there, although nothing is on the disk.
      let failures = [EINTR, EIO, ENXIO, ENOSPC, EDQUOT, EROFS, EBADF]
      if failures.contains(errno) { return errno }
    #endif
    return fsync(descriptor) == 0 ? 0 : errno
  }
}
