import Foundation
public import RestorationArchive

/// A seeded history of an archive: edits, new nodes, moves, removals, and returns of what was removed.
public struct EditHistory {
  /// The archive after the edits so far.
  public private(set) var tree: ArchiveTree
  private var random: SeededGenerator
  private var generator: TreeGenerator
  /// Nodes that were removed, with the path of their parent.
  private var removed: [(node: ArchiveNode, place: [Int])] = []

  /// Creates a history that begins with an archive of up to `nodeCount` nodes.
  public init(seed: UInt64, nodeCount: Int = 24) {
    random = SeededGenerator(seed: seed)
    generator = TreeGenerator(seed: random.next())
    tree = generator.tree(nodeCount: nodeCount)
  }

  /// Makes up to `count` edits.
  public mutating func edit(count: Int) {
    for _ in 0..<count { edit() }
  }

  private mutating func edit() {
    switch random.below(12) {
    case 0: tree.applicationState = generator.tree(nodeCount: 0).applicationState
    case 1: tree.header = generator.tree(nodeCount: 0).header
    case 2: if random.oneIn(4) { tree.sections = generator.tree(nodeCount: 0).sections }
    case 3, 4: changeNode()
    case 5, 6: add(generator.tree(nodeCount: 6).nodes, at: randomPlace())
    case 7: remove()
    case 8: giveBack()
    case 9: move()
    default: reorder()
    }
  }

  /// Makes up to `count` edits of state; no node is added, moved or removed.
  public mutating func editContents(count: Int) {
    for _ in 0..<count {
      let place = randomPlace()
      guard let index = place.last else { continue }
      var state: ArchiveDictionary?
      withChildren(at: place.dropLast()) { state = $0[index].state }
      guard var state else { continue }
      editState(&state)
      withChildren(at: place.dropLast()) { $0[index].state = state }
    }
    if random.oneIn(4) { tree.header.bundleVersion = "\(random.below(1000))" }
    if random.oneIn(4), !tree.applicationState.isEmpty {
      var state = tree.applicationState
      editState(&state)
      tree.applicationState = state
    }
  }

  private mutating func editState(_ state: inout ArchiveDictionary) {
    let known = state.first?.key
    switch random.below(5) {
    case 0: state["row"] = .integer(ArchiveInteger(random.below(1 << 20)))
    case 1: state["note"] = .string(String(repeating: "x", count: random.below(random.oneIn(4) ? 9000 : 40)))
    case 2: if let known { state[known] = .array([.integer(ArchiveInteger(random.below(300))), .string("note")]) }
    // A key that other nodes may not have; it disappears from the table or comes into it.
    case 3: if let known { state[known] = nil }
    default: state["list"] = .dictionary(["row": .integer(1), "note": .string(String(repeating: "y", count: random.below(200)))])
    }
  }

  // MARK: Places

  /// Returns the indexes that lead to a random node; empty for the application.
  private mutating func randomPlace() -> [Int] {
    var place: [Int] = []
    var children = tree.nodes
    while !children.isEmpty, !random.oneIn(3) {
      let index = random.below(children.count)
      place.append(index)
      children = children[index].children
    }
    return place
  }

  /// Calls `body` with the children of the node at a place.
  private mutating func withChildren(at place: [Int], _ body: (inout [ArchiveNode]) -> Void) {
    func visit(_ nodes: inout [ArchiveNode], _ place: ArraySlice<Int>) {
      guard let index = place.first else { return body(&nodes) }
      if index < nodes.count { visit(&nodes[index].children, place.dropFirst()) }
    }
    visit(&tree.nodes, place[...])
  }

  private mutating func add(_ nodes: [ArchiveNode], at place: [Int]) {
    guard place.count < 200 else { return }
    let number = random.next()
    withChildren(at: place) { children in
      for node in nodes where !children.contains(where: { $0.identifier.utf8.elementsEqual(node.identifier.utf8) }) {
        children.insert(node, at: Int(number % UInt64(children.count + 1)))
      }
    }
  }

  // MARK: Edits

  private mutating func changeNode() {
    let place = randomPlace()
    guard let index = place.last else { return }
    let other = generator.tree(nodeCount: 4).nodes.first
    let isWhole = random.oneIn(3)
    let number = random.below(1000)
    withChildren(at: place.dropLast()) { children in
      guard index < children.count else { return }
      if isWhole, var other {
        (other.identifier, other.children) = (children[index].identifier, children[index].children)
        children[index] = other
      } else {
        children[index].state["row"] = .integer(ArchiveInteger(number))
      }
    }
  }

  private mutating func remove() {
    let place = randomPlace()
    guard let index = place.last else { return }
    var node: ArchiveNode?
    withChildren(at: place.dropLast()) { children in if index < children.count { node = children.remove(at: index) } }
    if let node { removed.append((node, place.dropLast())) }
  }

  private mutating func giveBack() {
    guard !removed.isEmpty else { return }
    let last = removed.remove(at: random.below(removed.count))
    add([last.node], at: random.oneIn(2) ? last.place : randomPlace())
  }

  private mutating func move() {
    remove()
    giveBack()
  }

  private mutating func reorder() {
    let place = randomPlace()
    var random = random
    let isSingle = random.oneIn(2)
    withChildren(at: place) { children in
      guard children.count > 1 else { return }
      if isSingle {
        children.insert(children.remove(at: random.below(children.count)), at: random.below(children.count))
      } else {
        children.shuffle(using: &random)
      }
    }
    self.random = random
  }
}
