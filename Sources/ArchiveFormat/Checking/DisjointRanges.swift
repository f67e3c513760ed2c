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

  /// Returns whether a range overlaps one in the set.
  package func overlaps(_ range: Range<Int>) -> Bool {
    // Only the first range that ends at or after the first byte can overlap.
    guard !range.isEmpty, let end = ends.first(from: range.lowerBound), let start = starts.first(from: count - 1 - end) else {
      return false
    }
    return count - 1 - start < range.upperBound
  }

  /// Adds a range and returns true, or returns false if the range overlaps one in the set.
  package mutating func insert(_ range: Range<Int>) -> Bool {
    guard !range.isEmpty else { return true }
    if overlaps(range) { return false }
    ends.insert(range.upperBound - 1)
    starts.insert(count - 1 - range.lowerBound)
    return true
  }
}

/// A set of small numbers with a fast search for the next member at or above a number.
///
/// One bit for each number. Above each 64 words of bits, a summary word records which of them are not 0, and so on for
/// each level:
///
///     summary         0…0101                    words 0 and 2 have members
///     words      0…011 0…000 0…100              the members 0, 1 and 130
struct SparseSet {
  /// The bits, then the summaries of each previous level.
  private var levels: [[UInt64]] = []

  /// Creates an empty set of numbers below `count`.
  init(count: Int) {
    var count = max(count, 1)
    repeat {
      count = (count + 63) / 64
      levels.append([UInt64](repeating: 0, count: count))
    } while count > 1
  }

  /// Adds a number.
  mutating func insert(_ number: Int) {
    var number = number
    for level in levels.indices {
      let word = number >> 6
      levels[level][word] |= 1 << UInt64(number & 63)
      number = word
    }
  }

  /// Returns the least member that is at least `number`, or nil if there is none.
  func first(from number: Int) -> Int? {
    var place = number
    for level in levels.indices {
      let word = place >> 6
      if word < levels[level].count {
        let bits = levels[level][word] & (UInt64.max << UInt64(place & 63))
        if bits != 0 { return descend(to: word << 6 + bits.trailingZeroBitCount, from: level) }
      }
      place = word + 1
    }
    return nil
  }

  /// Returns the least member below a bit of a level.
  private func descend(to bit: Int, from level: Int) -> Int {
    var bit = bit
    for lower in levels[..<level].reversed() { bit = bit << 6 + lower[bit].trailingZeroBitCount }
    return bit
  }
}
