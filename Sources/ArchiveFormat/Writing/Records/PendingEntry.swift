/// An entry of a container that is being written, or of a record that is not settled.
@usableFromInline
struct PendingEntry: BitwiseCopyable {
  /// Where in the buffer it begins.
  @usableFromInline let start: Int
  /// The number of the key, or -1 for an inline one.
  @usableFromInline let key: Int

  @inlinable @inline(__always)
  init(start: Int, key: Int) {
    self.start = start
    self.key = key
  }
}
