/// Bytes that were verified, and where they lie in the file.
///
/// A value of this type keeps the bytes alive; it shares them with the reader where that is possible.
package struct VerifiedBytes: Sendable {
  /// The array that holds the bytes.
  package let storage: [UInt8]
  /// Where in `storage` they are.
  package let range: Range<Int>
  /// The offset in the file of index 0 of `storage`; may be negative if that lies in front of what the array stands for.
  package let fileOffset: Int

  /// Makes a value of a part of `storage`, of which index 0 lies at `fileOffset` in the file.
  @inline(__always)
  package init(storage: [UInt8], range: Range<Int>, fileOffset: Int) {
    self.storage = storage
    self.range = range
    self.fileOffset = fileOffset
  }

  /// A cursor over the bytes, to be used with `storage.span`.
  package var cursor: ByteCursor {
    @inline(__always) get { ByteCursor(range, fileOffset: fileOffset) }
  }
}
