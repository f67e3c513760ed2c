import RestorationArchive
import Synchronization

/// Counts every byte that it delivers.
final class CountingSource: ArchiveByteSource {
  private let bytes: [UInt8]
  private let delivered = Mutex(0)

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var deliveredCount: Int { delivered.withLock { $0 } }

  func byteCount() throws(ArchiveError) -> Int { bytes.count }

  func read(_ range: Range<Int>) throws(ArchiveError) -> [UInt8] {
    let result = Array(bytes[range.clamped(to: 0..<bytes.count)])
    delivered.withLock { $0 += result.count }
    return result
  }
}
