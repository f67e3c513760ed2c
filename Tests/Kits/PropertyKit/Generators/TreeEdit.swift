public import RestorationArchive

/// Random changes of an archive, such as a user makes between two saves.
public enum TreeEdit {
  /// Returns a tree with one to four changes, some of which may have no effect.
  public static func tree(_ tree: ArchiveTree, seed: UInt64) -> ArchiveTree {
    var random = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ 7)
    var tree = tree
    for _ in 0...random.below(3) { change(&tree, &random) }
    return tree
  }

  private static func change(_ tree: inout ArchiveTree, _ random: inout SeededGenerator) {
    switch random.below(9) {
    case 0: tree.header.bundleVersion = "changed"
    case 1: tree.applicationState["changed"] = .integer(random.below(3))
    case 2: tree.sections.removeAll()
    case 3:
      var taken: ArchiveNode?
      edit(&tree.nodes, &random) { nodes, place, _ in taken = nodes.remove(at: place) }
      // Elsewhere, or under another name, or gone.
      if var node = taken, random.below(3) > 0 {
        if random.oneIn(2) { node.identifier = "moved" }
        insert(node, in: &tree.nodes, &random)
      }
    case 4: edit(&tree.nodes, &random) { nodes, place, random in nodes.swapAt(place, random.below(nodes.count)) }
    case 5:
      edit(&tree.nodes, &random) { nodes, place, random in
        if let entry = nodes[place].state.first { nodes[place].state.setSensitive(!entry.isSensitive, forKey: entry.key) }
      }
    case 6: edit(&tree.nodes, &random) { nodes, place, _ in nodes[place].state["added"] = ["deep": [1, 2, "x"]] }
    case 7:
      edit(&tree.nodes, &random) { nodes, place, _ in
        (nodes[place].type, nodes[place].schemaVersion) = ("Changed", 2)
      }
    default:
      edit(&tree.nodes, &random) { nodes, place, random in
        nodes[place].origin = random.oneIn(2) ? nil : ArchiveOrigin(bundleVersion: "7", sessionsCarried: 3)
      }
    }
  }

  /// Changes a random list of siblings at a random place.
  private static func edit(
    _ nodes: inout [ArchiveNode], _ random: inout SeededGenerator, _ body: (inout [ArchiveNode], Int, inout SeededGenerator) -> Void
  ) {
    guard !nodes.isEmpty else { return }
    let place = random.below(nodes.count)
    if !nodes[place].children.isEmpty, random.oneIn(2) {
      edit(&nodes[place].children, &random, body)
    } else {
      body(&nodes, place, &random)
    }
  }

  private static func insert(_ node: ArchiveNode, in nodes: inout [ArchiveNode], _ random: inout SeededGenerator) {
    if !nodes.isEmpty, random.oneIn(2) {
      let place = random.below(nodes.count)
      insert(node, in: &nodes[place].children, &random)
    } else if !nodes.contains(where: { $0.identifier.utf8.elementsEqual(node.identifier.utf8) }) {
      nodes.insert(node, at: random.below(nodes.count + 1))
    }
  }
}
