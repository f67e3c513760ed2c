import ArchiveFormat

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
    let kept = Set(LongestRun.indexes(of: olds))
    for (place, child) in common.enumerated() where !kept.contains(place) {
      changes.append(OrderChange(identifier: child.identifier, oldPlace: child.old + 1, newPlace: child.new + 1))
    }
  }
}
