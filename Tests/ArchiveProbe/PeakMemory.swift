import FoundationEssentials
import RestorationArchive

/// Measures the peak of resident memory while an archive is worked on.
///
/// The kernel keeps it; this resets it first (Linux only).
enum PeakMemory {
  static func measure(file: String, operation: String) throws {
    // Everything that is loaded or set up once must not count, so the operation is first run on the smallest archive.
    try perform(operation, on: [UInt8](ArchiveTree().encoded()))
    let bytes = try FileByteSource(path: file).readAll()
    try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    let before = try peak()
    do {
      try perform(operation, on: bytes)
    } catch {
      // A refusal is what most of the files are for.
    }
    print(max(try peak() - before, 0))
  }

  private static func perform(_ operation: String, on bytes: [UInt8]) throws {
    switch operation {
    case "check": _ = ArchiveCheck(bytes)
    case "open": _ = try ArchiveReader(bytes).application()
    case "walk": try walk(ArchiveReader(bytes).application())
    default: _ = try ArchiveTree(decoding: ArchiveReader(bytes))
    }
  }

  /// Visits all nodes without turning values into objects.
  private static func walk(_ node: ArchivedNode) throws {
    _ = try? node.decoder().containsValue(forKey: "key")
    try node.visitChildren { if let child = try? $0.get() { try walk(child) } }
  }

  /// The peak of resident memory in bytes.
  private static func peak() throws -> Int {
    let status = String(decoding: try Data(contentsOf: URL(filePath: "/proc/self/status")), as: UTF8.self)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
  }
}
