extension Range<Int> {
  /// Returns the first index for which `isPast` is true, or the upper bound; it must be true for all indexes after the first.
  ///
  /// - Complexity: O(log n).
  @inlinable @inline(__always)
  package func first(past isPast: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low &+ (high &- low) &>> 1
      if isPast(middle) { high = middle } else { low = middle &+ 1 }
    }
    return low
  }
}
