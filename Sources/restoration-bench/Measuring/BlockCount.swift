import Foundation
import RestorationArchive
import Synchronization

/// Counts the blocks of 4 KiB that are read.
final class BlockCount: ArchiveByteSource {
  private let bytes: [UInt8]
  private let blocks = Mutex<Set<Int>>([])

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// How many different blocks were read.
  var count: Int { blocks.withLock { $0.count } }

  func byteCount() throws(ArchiveError) -> Int { bytes.count }

  func read(_ range: Range<Int>) throws(ArchiveError) -> [UInt8] {
    let range = range.clamped(to: bytes.indices)
    if !range.isEmpty { blocks.withLock { $0.formUnion((range.lowerBound / 4096)...((range.upperBound - 1) / 4096)) } }
    return Array(bytes[range])
  }

  /// How many blocks opening an archive and reading the probe's value takes.
  static func ofFirstValue(_ material: Material) throws -> Int {
    let source = BlockCount([UInt8](try material.archive.get()))
    let probe = material.workload.probe
    let path = try RestorationPath(components: probe.path)
    consume(try ArchiveReader(from: source).decoder(at: path).decode(String.self, forKey: probe.key))
    return source.count
  }
}
