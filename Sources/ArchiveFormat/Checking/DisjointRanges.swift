/// Ranges of bytes none of which shares a byte with another one.
///
/// However long the ranges are, a question costs a few steps: a checker asks one for each node, and a hostile file can make each answer
/// depend on many bytes.
package struct DisjointRanges {
  /// The last byte of each range.
  private var ends: SparseSet
  /// The first byte of each range, as its distance from the end of the whole, so that the next one *below* can be found.
  private var starts: SparseSet
  private let count: Int

  /// No ranges, of bytes below `count`.
  package init(count: Int) {
    self.count = count
    ends = SparseSet(count: count)
    starts = SparseSet(count: count)
  }

  /// Adds a range of bytes, unless one of them is in a range already: then it returns false.
  package mutating func insert(_ range: Range<Int>) -> Bool {
    guard !range.isEmpty else { return true }
    // The first range that ends at or behind the first byte is the only one that needs to be looked at.
    if let end = ends.first(from: range.lowerBound), let start = starts.first(from: count - 1 - end),
      count - 1 - start < range.upperBound
    {
      return false
    }
    ends.insert(range.upperBound - 1)
    starts.insert(count - 1 - range.lowerBound)
    return true
  }
}
