/// The children of two partners that have another place among those that both nodes have.
///
/// The fewest children are named: the others are a longest sequence in the same order.
struct NodeOrder {
  /// The children that moved, in the new order.
  private(set) var changes: [OrderChange] = []

  /// Compares the order of the children of two partners.
  init(_ oldIndex: Int, _ newIndex: Int, _ matching: NodeMatching) {
    var places: [Int: Int] = [:]
    for (place, child) in matching.old.childrenInSavedOrder(of: oldIndex).enumerated() { places[child.index] = place }
    var common: [(identifier: String, old: Int, new: Int)] = []
    for (place, child) in matching.new.childrenInSavedOrder(of: newIndex).enumerated() {
      guard let partner = matching.partner(ofNew: child.index), let old = places[partner] else { continue }
      common.append((child.identifier, old, place))
    }
    let olds = common.map(\.old)
    guard zip(olds, olds.dropFirst()).contains(where: { $0 > $1 }) else { return }
    let kept = Self.longestAscending(olds)
    for (place, child) in common.enumerated() where !kept[place] {
      changes.append(OrderChange(identifier: child.identifier, oldPlace: child.old + 1, newPlace: child.new + 1))
    }
  }

  /// Marks the elements of a longest ascending subsequence.
  ///
  /// - Complexity: O(n log n).
  private static func longestAscending(_ values: [Int]) -> [Bool] {
    // The last element of the best subsequence of each length, and the element before each element.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: values.count)
    for (place, value) in values.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[place] = ends[low - 1] }
      if low == ends.count { ends.append(place) } else { ends[low] = place }
    }
    var kept = [Bool](repeating: false, count: values.count)
    var place = ends.last ?? -1
    while place >= 0 {
      kept[place] = true
      place = previous[place]
    }
    return kept
  }
}
