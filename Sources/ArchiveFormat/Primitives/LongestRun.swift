/// The longest ascending subsequence of different numbers; of several, the one whose last number is the least, and of
/// those the one whose last but one is the least, and so on (Spec §15.5).
package enum LongestRun {
  /// Returns the indexes of its elements, ascending.
  ///
  /// - Complexity: O(n log n).
  package static func indexes(of numbers: [Int]) -> [Int] {
    // For each length, the index of the smallest number that ends a run of that length; for each index, the one before it
    // in the longest run that it ends.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: numbers.count)
    for index in numbers.indices {
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < numbers[index] { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = ends[low - 1] }
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var result: [Int] = []
    var next = ends.last ?? -1
    while next >= 0 {
      result.append(next)
      next = previous[next]
    }
    return result.reversed()
  }
}
