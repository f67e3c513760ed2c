/// Verified bytes, and their location in the file.
///
/// A value keeps its bytes alive; it shares them with the reader if possible.
package struct VerifiedBytes: Sendable {
  /// The array that holds the bytes.
  package let storage: [UInt8]
  /// The range of the bytes in `storage`.
  package let range: Range<Int>
  /// The offset in the file of index 0 of `storage`; negative if that would lie before the start of the file.
  package let fileOffset: Int

  /// Creates a value for a range of `storage`, whose index 0 lies at `fileOffset` in the file.
  @inline(__always)
  package init(storage: [UInt8], range: Range<Int>, fileOffset: Int) {
    self.storage = storage
    self.range = range
    self.fileOffset = fileOffset
  }

  /// A cursor over the bytes, for use with `storage.span`.
  package var cursor: ByteCursor {
    @inline(__always) get { ByteCursor(range, fileOffset: fileOffset) }
  }
}
