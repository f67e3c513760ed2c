/// A source that the bytes of an archive are read from on demand.
///
/// The reader trusts no bytes before it has verified them, so a source need not guard against concurrent changes.
package protocol ByteSource: Sendable {
  /// Returns the current number of bytes.
  func byteCount() throws(FormatError) -> Int
  /// Reads the bytes at `range`; fewer, if the source ends earlier.
  func read(_ range: Range<Int>) throws(FormatError) -> [UInt8]
}
