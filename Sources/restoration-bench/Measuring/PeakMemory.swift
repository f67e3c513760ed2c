import Foundation

/// The peak of resident memory, as the kernel keeps it (Linux only).
enum PeakMemory {
  /// How many bytes more than now are resident at the peak of what `body` does; nil where the kernel does not say.
  static func growth(_ body: () throws -> Void) throws -> Int? {
    guard (try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))) != nil, let before = peak() else { return nil }
    try body()
    return peak().map { max($0 - before, 0) }
  }

  private static func peak() -> Int? {
    guard let status = try? Data(contentsOf: URL(fileURLWithPath: "/proc/self/status")) else { return nil }
    let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
  }
}
