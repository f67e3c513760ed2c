/// The children of a node before and after a change, by their identifiers in saved order.
struct ChildOrder: Sendable {
  /// The children before; none for a node that is new.
  var before: [String]
  /// The children afterwards; nil if the node itself is gone.
  var after: [String]?

  /// A child and the sibling that it comes directly after; nil if it comes first.
  struct Place {
    let child: String
    let sibling: String?
  }

  /// The children that are gone.
  var removed: [String] {
    guard let after else { return [] }
    let left = Set(after.map { IdentifierKey($0) })
    return before.filter { !left.contains(IdentifierKey($0)) }
  }

  /// The children that are new or have moved, in the order afterwards; as few as possible.
  var placed: [Place] {
    guard let after else { return [] }
    let places = Dictionary(before.enumerated().map { (IdentifierKey($0.element), $0.offset) }, uniquingKeysWith: { first, _ in first })
    let old = after.map { places[IdentifierKey($0)] }
    let staying = Self.longestIncreasing(old)
    return after.indices.compactMap { index in
      staying.contains(index) ? nil : Place(child: after[index], sibling: index == 0 ? nil : after[index - 1])
    }
  }

  /// Returns the indices of a longest increasing subsequence; values that are nil are not part of it.
  private static func longestIncreasing(_ values: [Int?]) -> Set<Int> {
    // By length, the index of the smallest value that ends a subsequence of that length.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: values.count)
    for (index, value) in values.enumerated() {
      guard let value else { continue }
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if (values[ends[middle]] ?? 0) < value { low = middle + 1 } else { high = middle }
      }
      previous[index] = low == 0 ? -1 : ends[low - 1]
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var result: Set<Int> = []
    var next = ends.last ?? -1
    while next >= 0 {
      result.insert(next)
      next = previous[next]
    }
    return result
  }
}
