/// An entry of a container that is being written, or of a pending record.
@usableFromInline
struct PendingEntry: BitwiseCopyable {
  /// The offset of the entry in the buffer.
  @usableFromInline let start: Int
  /// The number of the key, or -1 for an inline one.
  @usableFromInline let key: Int

  @inlinable @inline(__always)
  init(start: Int, key: Int) {
    self.start = start
    self.key = key
  }
}
