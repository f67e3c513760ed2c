/// The bytes of an archive: a whole archive in memory, or a file read on demand.
package enum ArchiveSource: Sendable {
  case memory([UInt8])
  case source(any ByteSource)

  /// The number of bytes.
  package func byteCount() throws(FormatError) -> Int {
    switch self {
    case .memory(let bytes): bytes.count
    case .source(let source): try source.byteCount()
    }
  }

  /// Returns the bytes at `range`; fewer, if the source ends earlier.
  package func read(_ range: Range<Int>) throws(FormatError) -> [UInt8] {
    switch self {
    case .memory(let bytes): bytes.span.extracting(range.clamped(to: 0..<bytes.count)).makeArray()
    case .source(let source): try source.read(range)
    }
  }
}
