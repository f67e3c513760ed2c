/// The bytes of an archive: a whole archive in memory, or one that is read on demand.
///
/// The reader trusts no bytes before it has verified them, so their owner need not guard against concurrent changes.
package enum ArchiveSource: Sendable {
  case memory([UInt8])
  /// A source with a current length, which returns fewer bytes than requested if it ends earlier.
  case onDemand(
    byteCount: @Sendable () throws(FormatError) -> Int, read: @Sendable (Range<Int>) throws(FormatError) -> [UInt8])

  /// The number of bytes.
  package func byteCount() throws(FormatError) -> Int {
    switch self {
    case .memory(let bytes): bytes.count
    case .onDemand(let byteCount, _): try byteCount()
    }
  }

  /// Returns the bytes at `range`; fewer, if the source ends earlier.
  package func read(_ range: Range<Int>) throws(FormatError) -> [UInt8] {
    switch self {
    case .memory(let bytes): bytes.span.extracting(range.clamped(to: 0..<bytes.count)).makeArray()
    case .onDemand(_, let read): try read(range)
    }
  }
}
