/// Where the bytes of an archive are read from on demand.
///
/// The reader believes nothing that a source delivers before it has verified it, so a source need not care whether what it reads from is
/// changed at the same time.
package protocol ByteSource: Sendable {
  /// The number of bytes that there are now.
  func byteCount() throws(FormatError) -> Int
  /// Reads the bytes at `range`; fewer, if the source ends before.
  func read(_ range: Range<Int>) throws(FormatError) -> [UInt8]
}
