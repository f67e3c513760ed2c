/// An entry of a container that is being written.
struct PendingEntry: BitwiseCopyable {
  /// Where in the buffer it begins.
  let start: Int
  /// The number of the key, or -1 for an inline one.
  let key: Int
}
