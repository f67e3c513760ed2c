/// A set of byte ranges that do not overlap.
///
/// A query takes a few steps, whatever the lengths of the ranges. The checker makes one query for each node, and a
/// hostile file can make each answer depend on many bytes.
package struct DisjointRanges {
  /// The last byte of each range.
  private var ends: SparseSet
  /// The first byte of each range, as its distance from the end of the whole.
  ///
  /// This turns a search for the next *lower* start into a search for the next member.
  private var starts: SparseSet
  private let count: Int

  /// Creates an empty set of ranges within `0..<count`.
  package init(count: Int) {
    self.count = count
    ends = SparseSet(count: count)
    starts = SparseSet(count: count)
  }

  /// Adds a range and returns true, or returns false if the range overlaps one in the set.
  package mutating func insert(_ range: Range<Int>) -> Bool {
    guard !range.isEmpty else { return true }
    // Only the first range that ends at or after the first byte can overlap.
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
