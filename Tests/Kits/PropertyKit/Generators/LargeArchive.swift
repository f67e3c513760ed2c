public import Foundation
public import RestorationArchive

/// Archives with many nodes, for tests of behavior that must not depend on the size.
public enum LargeArchive {
  /// Returns an archive of about `nodeCount` nodes in which a path of `depth` components leads to a node at the very
  /// end.
  ///
  /// Every node of that path has `fanOut` children, of which the last continues the path. The others share the
  /// remaining nodes below them.
  ///
  /// - Returns: The archive and the path.
  public static func deep(nodeCount: Int, depth: Int, fanOut: Int, seed: UInt64) throws -> (Data, RestorationPath) {
    var random = SeededGenerator(seed: seed)
    let writer = ArchiveWriter(expectedNodeCount: nodeCount)
    let share = max((nodeCount / depth - fanOut) / (fanOut - 1) + 1, 1)
    var path: [String] = []
    var parent: ArchiveWriter.Node?
    for level in 0..<depth {
      var next: ArchiveWriter.Node?
      for place in 0..<fanOut {
        let isLast = place == fanOut - 1
        // Sorts last, and is too long for the record, so that it is stored in `STRS`.
        let identifier = isLast ? "zz-the-last-of-its-siblings-\(level)" : "node-\(random.below(1_000_000))-\(place)"
        let node = try writer.addNode(identifier, under: parent, type: "Type\(place % 7)") { try encode(&random, with: $0) }
        if isLast {
          next = node
          path.append(identifier)
        } else {
          for index in 0..<(share - 1) {
            try writer.addNode("item-\(index)", under: node) { try encode(&random, with: $0) }
          }
        }
      }
      parent = next
    }
    return (try writer.finish(), try RestorationPath(components: path))
  }

  private static func encode(_ random: inout SeededGenerator, with coder: StateEncoder) throws {
    try coder.encode("value \(random.below(1000))", forKey: "text")
    for index in 0..<random.below(6) { try coder.encode(Double(random.below(100_000)) / 7, forKey: "key\(index)") }
    if random.oneIn(100) { try coder.encode(Data(repeating: 7, count: random.below(20_000)), forKey: "blob") }
  }

  /// Returns a tree of exactly `nodeCount` nodes with fan-outs from 2 to 6, short and long identifiers, and states of
  /// some hundred bytes.
  ///
  /// With `isRich`, some nodes have attributes, providers and origins, one in twelve has some kilobytes of data, and
  /// there are fewer values.
  public static func tree(nodeCount: Int, seed: UInt64, isRich: Bool = false) -> ArchiveTree {
    var random = SeededGenerator(seed: seed)
    var nodes: [ArchiveNode] = []
    // The children of each node. The first three nodes are roots; each node in turn gets some of the following ones.
    var children: [[Int]] = []
    for index in 0..<nodeCount {
      nodes.append(node(place: index, &random))
      if isRich { enrich(&nodes[index], place: index) }
      children.append([])
    }
    var next = min(3, nodeCount)
    var parent = 0
    while next < nodeCount {
      let last = min(next + 2 + random.below(5), nodeCount)
      children[parent] = Array(next..<last)
      next = last
      parent += 1
    }
    for index in nodes.indices.reversed() { nodes[index].children = children[index].map { nodes[$0] } }
    return ArchiveTree(
      header: ArchiveHeader(bundleVersion: "42", userInterfaceIdiom: .desktop), applicationState: ["theme": "dark"],
      nodes: Array(nodes.prefix(3)))
  }

  private static func enrich(_ node: inout ArchiveNode, place: Int) {
    for key in 2..<10 { node.state["key\(key)"] = nil }
    if place % 12 == 0 { node.state["attachment"] = .data(Data(repeating: UInt8(place % 251), count: 5000 + place)) }
    if place % 7 == 0 { node.attributes["com.example.place"] = .integer(place) }
    if place % 13 == 0 { node.provider = ProviderReference(name: "Main", identifier: "item-\(place)") }
    if place % 29 == 0 { node.origin = ArchiveOrigin(bundleVersion: "\(place % 4)", sessionsCarried: UInt32(place % 5)) }
  }

  private static func node(place: Int, _ random: inout SeededGenerator) -> ArchiveNode {
    let identifier = random.oneIn(2) ? "item-\(place % 10)" : "an-identifier-beyond-the-record-\(place % 10)-\(random.below(200))"
    var state: ArchiveDictionary = ["title": .string(String(repeating: "text \(place) ", count: random.below(12))), "row": .integer(place)]
    for key in 0..<random.below(10) { state["key\(key)"] = .float(Double(random.below(1000)) / 3) }
    if random.oneIn(60) { state["blob"] = .data(Data(repeating: UInt8(place % 256), count: random.below(9000))) }
    return ArchiveNode(identifier, type: "Item", schemaVersion: 1, state: state)
  }
}
