import RestorationArchive

/// Nodes under construction, found by their paths; missing ancestors are created as placeholders.
struct NodeForest {
  private struct Slot {
    var node: ArchiveNode
    var children: [Int] = []
    /// Whether the node only holds a place for nodes below it.
    var isPlaceholder = true
  }

  private struct Place: Hashable {
    let parent: Int
    let identifier: [UInt8]
  }

  private var slots: [Slot] = []
  private var roots: [Int] = []
  private var places: [Place: Int] = [:]
  private var unplacedCount = 0

  /// Returns the next path for a node whose own path cannot be one.
  mutating func unplaced() -> [String] {
    var path: [String]
    repeat {
      unplacedCount += 1
      path = [":unplaced", "\(unplacedCount)"]
      // An object of the source may be there.
    } while hasNode(at: path)
    return path
  }

  /// Returns the slot at a path, for nodes below it; a missing one is created as a placeholder.
  mutating func slot(at path: [String]) -> Int { path.reduce(-1) { slot($1, under: $0) } }

  /// Whether a node other than a placeholder is at a path, from the roots or from a slot.
  func hasNode(at path: [String], below slot: Int = -1) -> Bool {
    var parent = slot
    for identifier in path {
      guard let slot = places[Place(parent: parent, identifier: Array(identifier.utf8))] else { return false }
      parent = slot
    }
    return parent != slot && !slots[parent].isPlaceholder
  }

  /// Sets the content of the node at a path, from the roots or from a slot; its identifier and children are those of the path.
  ///
  /// - Precondition: The path is a valid ``RestorationPath`` other than the empty one.
  mutating func set(_ node: ArchiveNode, at path: [String], below parent: Int = -1) {
    let place = path.reduce(parent) { slot($1, under: $0) }
    guard place >= 0 else { return }
    slots[place].isPlaceholder = false
    let identifier = slots[place].node.identifier
    slots[place].node = node
    slots[place].node.identifier = identifier
  }

  private mutating func slot(_ identifier: String, under parent: Int) -> Int {
    let place = Place(parent: parent, identifier: Array(identifier.utf8))
    if let slot = places[place] { return slot }
    let slot = slots.count
    places[place] = slot
    slots.append(Slot(node: ArchiveNode(identifier)))
    if parent < 0 { roots.append(slot) } else { slots[parent].children.append(slot) }
    return slot
  }

  /// Returns the trees, with children in the order of their first mention.
  func nodes() -> [ArchiveNode] { roots.map(node) }

  // The depth of paths limits the recursion.
  private func node(_ slot: Int) -> ArchiveNode {
    var node = slots[slot].node
    if slots[slot].isPlaceholder { node.attributes["restoration.placeholder"] = true }
    node.children = slots[slot].children.map(self.node)
    return node
  }
}
