#if canImport(Darwin)
  import Darwin
#endif
import RestorationArchive

/// The identity of this machine's boot.
package enum SystemBoot {
  /// A number that changes with each boot; 0 if the system has none.
  package static let identifier: UInt64 = read() ?? 0

  private static func read() -> UInt64? {
    #if canImport(Darwin)
      var time = timeval()
      var size = MemoryLayout<timeval>.size
      guard unsafe sysctlbyname("kern.boottime", &time, &size, nil, 0) == 0 else { return nil }
      return UInt64(bitPattern: Int64(time.tv_sec)) &* 1_000_000 &+ UInt64(bitPattern: Int64(time.tv_usec))
    #elseif os(Linux) || os(Android)
      let system = SystemFileSystem()
      guard let file = try? system.open("/proc/sys/kernel/random/boot_id", .read) else { return nil }
      defer { system.close(file) }
      guard let bytes = try? system.read(file, at: 0, count: 64), !bytes.isEmpty else { return nil }
      return BreadcrumbRecord.hash(String(decoding: bytes, as: UTF8.self))
    #else
      return nil
    #endif
  }
}
