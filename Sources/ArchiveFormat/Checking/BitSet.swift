/// A set of small numbers, one bit each.
struct BitSet {
  private var words: [UInt64]

  /// An empty set of numbers below `count`.
  init(count: Int) {
    words = [UInt64](repeating: 0, count: (count + 63) / 64)
  }

  /// Adds all numbers of a range, unless one of them is in the set already: then it adds none and returns false.
  ///
  /// - Complexity: O(n / 64) in the length of the range.
  mutating func insert(_ range: Range<Int>) -> Bool {
    guard !range.isEmpty else { return true }
    let first = range.lowerBound >> 6
    let last = (range.upperBound - 1) >> 6
    for index in first...last where words[index] & mask(of: range, at: index) != 0 { return false }
    for index in first...last { words[index] |= mask(of: range, at: index) }
    return true
  }

  /// The bits of `range` in the word at `index`.
  private func mask(of range: Range<Int>, at index: Int) -> UInt64 {
    let low = max(range.lowerBound - index << 6, 0)
    let high = min(range.upperBound - index << 6, 64)
    return (high == 64 ? UInt64.max : (1 << UInt64(high)) - 1) & (UInt64.max << UInt64(low))
  }
}
