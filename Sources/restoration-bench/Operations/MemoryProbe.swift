import Foundation
import Locking
import RestorationArchive

/// Measures peak memory in a separate process, which has no freed memory to reuse.
struct MemoryProbe {
  /// The measured operation of this package.
  let operation: Operation
  let size: Load
  /// The encoded form, for operations that read.
  let file: String

  /// Returns the probes of a load.
  static func all(_ material: Material) throws -> [MemoryProbe] {
    let archive = try material.archiveFile.get().path
    return [Operation.encode, .untypedRead, .firstValue].map { MemoryProbe(operation: $0, size: material.load, file: archive) }
  }

  // MARK: In the parent

  private static let option = "--memory-probe"

  /// Starts this program again and measures in that process.
  func measureInChild() throws -> Int? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.executablePath)
    process.arguments = [Self.option, operation.rawValue, size.rawValue, file]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw BenchError("measuring memory of \(operation.rawValue) failed") }
    return Int(String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
  }

  // MARK: In the child

  /// Measures in this process.
  func measure() throws -> Int? {
    let small = Workload(.small)
    // Code and tables loaded on first use must not be counted.
    try perform(on: small, file: nil)
    let workload = operation == .untypedRead ? small : Workload(size)
    return try KernelCount.memoryGrowth { try perform(on: workload, file: URL(fileURLWithPath: file)) }
  }

  /// Performs the operation.
  ///
  /// If `file` is nil, the encoded form of the workload is used.
  private func perform(on workload: Workload, file: URL?) throws {
    switch operation {
    case .encode: consume(try ArchivePeer.encode(workload))
    case .untypedRead: consume(try ArchiveTree(decoding: reader(file, workload)))
    default:
      let path = try RestorationPath(components: workload.probe.path)
      consume(try reader(file, workload).decoder(at: path).decode(String.self, forKey: workload.probe.key))
    }
  }

  private func reader(_ file: URL?, _ workload: Workload) throws -> ArchiveReader {
    try file.map { try ArchiveReader(contentsOfFile: $0.path) } ?? ArchiveReader(ArchivePeer.encode(workload))
  }
}

extension MemoryProbe {
  /// Creates the probe requested by a parent process; nil for any other command line.
  init?(arguments: [String]) {
    guard arguments.count == 4, arguments[0] == Self.option, let operation = Operation(rawValue: arguments[1]),
      let size = Load.trees.first(where: { $0.rawValue == arguments[2] })
    else { return nil }
    self.init(operation: operation, size: size, file: arguments[3])
  }
}

extension CommandLine {
  /// The path of this program.
  static var executablePath: String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? arguments[0]
  }
}

/// A byte source that counts the blocks of 4 KiB that a reader requests.
final class BlockCount: ArchiveByteSource {
  private let bytes: [UInt8]
  private let blocks = Lock<Set<Int>>([])

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The number of distinct blocks.
  var count: Int { blocks.withLock { $0.count } }

  func byteCount() throws(ArchiveError) -> Int { bytes.count }

  func read(_ range: Range<Int>) throws(ArchiveError) -> [UInt8] {
    let range = range.clamped(to: bytes.indices)
    if !range.isEmpty { blocks.withLock { $0.formUnion((range.lowerBound / 4096)...((range.upperBound - 1) / 4096)) } }
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

/// What the kernel counts of this process; nil where it does not (on other systems than Linux).
enum KernelCount {
  /// Returns the number of bytes that `body` passes to the kernel for writing.
  static func writtenBytes(_ body: () throws -> Void) rethrows -> Int? {
    let before = number(after: "wchar:", in: "/proc/self/io")
    try body()
    guard let before, let after = number(after: "wchar:", in: "/proc/self/io") else { return nil }
    return after - before
  }

  /// Returns the growth of resident memory at the peak of `body`.
  static func memoryGrowth(_ body: () throws -> Void) throws -> Int? {
    guard (try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))) != nil, let before = peak else { return nil }
    try body()
    return peak.map { max($0 - before, 0) }
  }

  private static var peak: Int? { number(after: "VmHWM:", in: "/proc/self/status").map { $0 * 1024 } }

  private static func number(after label: String, in path: String) -> Int? {
    guard let text = try? Data(contentsOf: URL(fileURLWithPath: path)) else { return nil }
    let line = String(decoding: text, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(label) }
    return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
  }
}
