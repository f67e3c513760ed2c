import RestorationArchive
import Storage

extension PreservationRun {
  /// Restores the saved order of siblings that were written out of order.
  ///
  /// Objects follow the order of their parent's `restorationChildren`. Nodes outside such a list are carried-over
  /// state, its placeholders and registered objects. Each of them keeps its saved position: directly after the nearest
  /// preceding saved sibling that is in this archive too, or first if there is none. Nodes that were not saved before
  /// come last.
  func orderSiblings() {
    if disordered.isEmpty { return }
    var children: [Int: [Int]] = [:]
    for (number, node) in state.value.nodes.enumerated() where node.written != nil && disordered.contains(node.parent) {
      children[node.parent, default: []].append(number)
    }
    for (parent, numbers) in children where numbers.count > 1 {
      writer.reorder(ordered(numbers, under: parent).compactMap { state.value.nodes[$0].written })
    }
  }

  /// Returns the children of a parent in their proper order.
  private func ordered(_ numbers: [Int], under parent: Int) -> [Int] {
    let listed = numbers.filter { state.value.nodes[$0].isListed }
    guard listed.count < numbers.count, let session, session.refusal == nil, let entry = session.entry(at: path(of: parent)) else {
      return numbers
    }
    let present = Set(numbers)
    var rest = present.subtracting(listed)
    let tree = session.tree
    // The unlisted siblings that follow each listed child; -1 for those before the first.
    var following: [Int: [Int]] = [:]
    var last = -1
    var sibling = tree.entries[entry].firstChild
    while sibling >= 0 {
      if let number = number(of: tree.entries[sibling].identifier, under: parent), present.contains(number) {
        if rest.remove(number) != nil {
          following[last, default: []].append(number)
        } else if state.value.nodes[number].isListed {
          last = number
        }
      }
      sibling = tree.entries[sibling].nextSibling
    }
    return (following[-1] ?? []) + listed.flatMap { [$0] + (following[$0] ?? []) } + numbers.filter { rest.contains($0) }
  }
}
