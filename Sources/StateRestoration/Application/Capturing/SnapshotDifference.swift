import FoundationValues
import RestorationArchive

/// The difference between two snapshots that share records, as two small archives that differ in the same way.
///
/// They have the nodes whose contents or children have changed, and the nodes on the way to them without contents. The
/// link between them is therefore the link between the snapshots:
///
///     before   root | 1 (number 4) | 2             after   root | 2 | 1 (number 5)
struct SnapshotDifference {
  fileprivate struct Node {
    let identifier: String
    var before: ArchiveNode?
    var after: ArchiveNode?
    var order: ChildOrder?
    var children: [Int] = []
    var numbers: [TextKey: Int] = [:]
  }

  private let earlier: Snapshot
  private let later: Snapshot
  /// The nodes, parents first; the first one stands for the application.
  private var nodes = [Node(identifier: "")]
  private var seen: Set<RestorationPath> = []

  init(from earlier: Snapshot, to later: Snapshot) {
    (self.earlier, self.later) = (earlier, later)
  }

  /// Adds the changes of a capture between the two snapshots; captures must be added in order.
  ///
  /// - Throws: The errors of reading a node.
  mutating func add(_ captured: CapturedChanges) throws(ArchiveError) {
    for path in captured.encoded where seen.insert(path).inserted {
      let number = number(at: path)
      nodes[number].before = try earlier.node(at: path)?.withoutChildren()
      nodes[number].after = try later.node(at: path)?.withoutChildren()
    }
    for (path, order) in captured.orders {
      let number = number(at: path)
      nodes[number].order = ChildOrder(before: nodes[number].order?.before ?? order.before, after: order.after)
    }
  }

  private mutating func number(at path: RestorationPath) -> Int {
    var number = 0
    for identifier in path.components {
      let key = TextKey(identifier)
      if let child = nodes[number].numbers[key] {
        number = child
        continue
      }
      let child = nodes.count
      nodes.append(Node(identifier: identifier))
      nodes[number].numbers[key] = child
      nodes[number].children.append(child)
      number = child
    }
    return number
  }

  /// Returns the archives before and after.
  ///
  /// - Throws: The errors of encoding an archive.
  func archives() throws(ArchiveError) -> (before: [UInt8], after: [UInt8]) {
    (
      try archive(of: \.before, header: try earlier.header) { $0.before },
      try archive(of: \.after, header: try later.header) { $0.after ?? [] }
    )
  }

  private func archive(
    of side: KeyPath<Node, ArchiveNode?>, header: ArchiveHeader, _ list: (ChildOrder) -> [String]
  ) throws(ArchiveError) -> [UInt8] {
    var tree = ArchiveTree(header: header, applicationState: nodes[0][keyPath: side]?.state ?? [:])
    tree.nodes = children(of: 0, side, list)
    return [UInt8](try tree.encoded())
  }

  /// Returns the children of a node on one side: all of them where they have changed, else those on the way to changes.
  ///
  /// Recursion is bounded by the depth of a path.
  private func children(
    of number: Int, _ side: KeyPath<Node, ArchiveNode?>, _ list: (ChildOrder) -> [String]
  ) -> [ArchiveNode] {
    guard let order = nodes[number].order else { return nodes[number].children.map { node($0, side, list) } }
    return list(order).map { identifier in
      nodes[number].numbers[TextKey(identifier)].map { node($0, side, list) } ?? ArchiveNode(identifier)
    }
  }

  private func node(
    _ number: Int, _ side: KeyPath<Node, ArchiveNode?>, _ list: (ChildOrder) -> [String]
  ) -> ArchiveNode {
    var node = nodes[number][keyPath: side] ?? ArchiveNode(nodes[number].identifier)
    node.identifier = nodes[number].identifier
    node.children = children(of: number, side, list)
    return node
  }
}

extension NodeReader {
  /// Returns the node without its children.
  fileprivate func withoutChildren() throws(ArchiveError) -> ArchiveNode {
    let contents = try everything()
    return ArchiveNode(
      identifier ?? "", type: type, schemaVersion: schemaVersion, origin: origin, provider: contents.provider,
      attributes: contents.attributes, state: contents.state)
  }
}
