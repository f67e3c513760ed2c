public import RestorationArchive
import Locking

/// Counts every byte that it delivers.
public final class CountingSource: ArchiveByteSource {
  private let bytes: [UInt8]
  private let delivered = Lock(0)

  /// Makes a source of bytes in memory.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// How many bytes were delivered so far.
  public var deliveredCount: Int { delivered.withLock { $0 } }

  /// The number of bytes that there are.
  public func byteCount() throws(ArchiveError) -> Int { bytes.count }

  /// Delivers bytes.
  public func read(_ range: Range<Int>) throws(ArchiveError) -> [UInt8] {
    let result = Array(bytes[range.clamped(to: 0..<bytes.count)])
    delivered.withLock { $0 += result.count }
    return result
  }
}
