import ArchiveFormat
import RestorationArchive

extension PreservationRun {
  /// Puts siblings into their saved order, where some were written later than those that they belong before.
  ///
  /// Objects come in the order of their parent's `restorationChildren`. Whatever is in no such list (state that is carried over, the places that
  /// it needs, registered objects) keeps its place among the siblings that it was saved with: directly behind the nearest sibling that was
  /// saved before it and is in this archive too, or in front of all if there is none. What was not saved before comes last.
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

  /// The children of a parent in the order in which they belong.
  private func ordered(_ numbers: [Int], under parent: Int) -> [Int] {
    let listed = numbers.filter { state.value.nodes[$0].isListed }
    guard listed.count < numbers.count, let session, session.refusal == nil, let entry = session.entry(at: path(of: parent)) else {
      return numbers
    }
    let present = Set(numbers)
    var rest = present.subtracting(listed)
    let tree = session.tree
    // By number of a listed child: what comes behind it; -1 for what comes in front of all.
    var behind: [Int: [Int]] = [:]
    var last = -1
    var sibling = tree.entries[entry].firstChild
    while sibling >= 0 {
      if let number = number(of: tree.entries[sibling].identifier, under: parent), present.contains(number) {
        if rest.remove(number) != nil {
          behind[last, default: []].append(number)
        } else if state.value.nodes[number].isListed {
          last = number
        }
      }
      sibling = tree.entries[sibling].nextSibling
    }
    return (behind[-1] ?? []) + listed.flatMap { [$0] + (behind[$0] ?? []) } + numbers.filter { rest.contains($0) }
  }
}
