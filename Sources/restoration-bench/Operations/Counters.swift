import Foundation
import RestorationArchive

/// A byte source that counts the blocks of 4 KiB that a reader requests.
final class BlockCount: ArchiveByteSource {
  private let bytes: [UInt8]
  private let lock = NSLock()
  nonisolated(unsafe) private var blocks: Set<Int> = []

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The number of distinct blocks.
  var count: Int { lock.withLock { unsafe blocks.count } }

  func byteCount() throws(ArchiveError) -> Int { bytes.count }

  func read(_ range: Range<Int>) throws(ArchiveError) -> [UInt8] {
    let range = range.clamped(to: bytes.indices)
    if !range.isEmpty {
      lock.withLock { unsafe blocks.formUnion((range.lowerBound / 4096)...((range.upperBound - 1) / 4096)) }
    }
    return Array(bytes[range])
  }

  /// Returns the number of blocks needed to open an archive and read the probe's value.
  static func ofFirstValue(_ material: Material) throws -> Int {
    let source = BlockCount([UInt8](try material.archive.get()))
    let probe = material.workload.probe
    let path = try RestorationPath(components: probe.path)
    consume(try ArchiveReader(from: source).decoder(at: path).decode(String.self, forKey: probe.key))
    return source.count
  }
}

/// The number of bytes that this process has passed to the kernel for writing (Linux only).
enum WrittenBytes {
  /// The number of bytes so far; nil if the kernel does not count them.
  static var count: Int? {
    KernelFile.number(after: "wchar:", in: "/proc/self/io")
  }
}

/// The peak resident memory as counted by the kernel (Linux only).
enum PeakMemory {
  /// Returns the growth of resident memory at the peak of `body`; nil if the kernel does not report it.
  static func growth(_ body: () throws -> Void) throws -> Int? {
    guard (try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))) != nil, let before = peak else { return nil }
    try body()
    return peak.map { max($0 - before, 0) }
  }

  private static var peak: Int? {
    KernelFile.number(after: "VmHWM:", in: "/proc/self/status").map { $0 * 1024 }
  }
}

private enum KernelFile {
  static func number(after label: String, in path: String) -> Int? {
    guard let text = try? Data(contentsOf: URL(fileURLWithPath: path)) else { return nil }
    let line = String(decoding: text, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(label) }
    return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
  }
}
