public import RestorationArchive
import Locking

/// A byte source that counts the bytes it delivers.
public final class CountingSource: ArchiveByteSource {
  private let bytes: [UInt8]
  private let delivered = Lock(0)

  /// Creates a source of bytes in memory.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The number of bytes delivered so far.
  public var deliveredCount: Int { delivered.withLock { $0 } }

  /// Returns the total number of bytes.
  public func byteCount() throws(ArchiveError) -> Int { bytes.count }

  /// Returns the bytes in a range.
  public func read(_ range: Range<Int>) throws(ArchiveError) -> [UInt8] {
    let result = Array(bytes[range.clamped(to: 0..<bytes.count)])
    delivered.withLock { $0 += result.count }
    return result
  }
}
