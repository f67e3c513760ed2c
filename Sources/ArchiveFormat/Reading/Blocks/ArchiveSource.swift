/// The bytes of an archive: all of them in memory, or a file to read from.
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

  /// The bytes at `range`; fewer, if the source ends before.
  package func read(_ range: Range<Int>) throws(FormatError) -> [UInt8] {
    switch self {
    case .memory(let bytes): bytes.span.extracting(range.clamped(to: 0..<bytes.count)).makeArray()
    case .source(let source): try source.read(range)
    }
  }
}
