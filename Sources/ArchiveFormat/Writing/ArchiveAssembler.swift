/// Puts an archive together from nodes that are fed to it one by one, each with its state record (Spec §8).
///
/// Parents come before their children, siblings in saved order. Fed in preorder, as a walk over an app's objects comes by them, the state
/// records are written once and never moved:
///
///     feed     app | root, list, row, detail …        in any order that has parents first
///     body     NODE (breadth first, sorted) | STRS | STAT (preorder) | ancillary sections
package final class ArchiveAssembler {
  /// A node that was fed.
  struct FedNode {
    var parent = 0
    var depth = 0
    /// Where its identifier is among the bytes of all.
    var identifier = 0..<0
    /// Its number in the collectors.
    var type = 0
    var origin = 0
    var flags: UInt8 = 0
    /// Where its record is in the buffer.
    var state = 0..<0
  }

  /// Where the state records are written.
  package let states: StateWriter
  private(set) var nodes: [FedNode] = []
  private(set) var identifiers: [UInt8] = []
  private(set) var types = TypeCollector()
  private(set) var origins = OriginCollector()
  /// The nodes from the root down to the one fed last, while the feed is in preorder; nil once it is not.
  private(set) var spine: [Int]? = [0]
  private var openNode = 0

  /// Makes an assembler.
  ///
  /// - Parameter nodeCount: About how many nodes will come; room is left for their records, so that less has to be moved at the end.
  package init(nodeCount: Int = 0) {
    states = StateWriter(capacity: 4096 + nodeCount * 256, gap: 4096 + nodeCount * (NodeRecord.byteCount + 16))
    nodes.reserveCapacity(nodeCount + 1)
    nodes.append(FedNode())
  }

  /// Whether nodes and state records were fed in preorder, so that the records are in their places already.
  var isInPreorder: Bool { spine != nil }

  /// Replaces the state records by others that lie in `target`, by node at `ranges`.
  func replaceStates(by target: OutputBuffer, ranges: [Range<Int>]) {
    states.buffer.swapContents(with: target)
    for number in nodes.indices { nodes[number].state = ranges[number] }
  }

  /// How many nodes were fed, the app itself (number 0) included.
  package var count: Int { nodes.count }

  /// Adds a node without state.
  ///
  /// - Parameters:
  ///   - parent: The number of its parent; 0 for the app itself.
  ///   - identifier: Its identifier.
  ///   - type: Its type, if it has one.
  ///   - origin: Where it comes from, if not from this save.
  /// - Returns: The number of the node.
  /// - Throws: `string-length`, `path-depth`, `table-size`.
  package func addNode(parent: Int, identifier: String, type: TypeRecord?, origin: OriginRecord?) throws(FormatError) -> Int {
    var node = FedNode(parent: parent, depth: nodes[parent].depth + 1)
    guard node.depth <= FormatLimits.pathComponents else {
      throw FormatError(.pathDepth, at: nil, "depth", expected: .text("at most \(FormatLimits.pathComponents)"), rule: "R-3.1-2")
    }
    let length = identifier.utf8.count
    guard FormatLimits.identifier.contains(length) else {
      throw FormatError(
        .stringLength, at: nil, "identifier length", expected: .text("1 to \(FormatLimits.identifier.upperBound) bytes"),
        found: .number(UInt64(length)), rule: "R-3.1-1")
    }
    if let type { node.type = try types.number(of: type) }
    if let origin { node.origin = try origins.number(of: origin) }
    node.identifier = identifiers.count..<(identifiers.count + length)
    identifier.withUTF8Bytes { bytes in for index in bytes.indices { identifiers.append(bytes[index]) } }
    nodes.append(node)
    followSpine(to: nodes.count - 1, parent: parent)
    return nodes.count - 1
  }

  private func followSpine(to number: Int, parent: Int) {
    guard spine != nil else { return }
    while let last = spine?.last, last != parent { spine?.removeLast() }
    if spine?.isEmpty == true { spine = nil } else { spine?.append(number) }
  }

  /// Begins the state record of a node; what is written to ``states`` up to ``endState()`` is its content.
  ///
  /// Each node can have one; those that have none need not be begun.
  package func openState(of node: Int) {
    openNode = node
    let start = states.buffer.count
    nodes[node].state = start..<start
    // A record that is written after that of a later node is out of preorder.
    if node != nodes.count - 1 { spine = nil }
  }

  /// Writes the provider reference of the node whose state was begun; it comes first.
  package func writeProvider(name: String, identifier: String) {
    nodes[openNode].flags |= NodeRecord.hasProvider
    states.buffer.appendText(name)
    states.buffer.appendText(identifier)
  }

  /// Begins the attributes of the node whose state was begun; they come before its entries.
  package func beginAttributes() {
    nodes[openNode].flags |= NodeRecord.hasAttributes
    states.beginAttributes()
  }

  /// Ends the attributes.
  package func endAttributes() {
    states.endContainer()
  }

  /// Begins the entries of the node whose state was begun.
  package func beginEntries() {
    states.beginRecord()
  }

  /// Ends the state record that was begun last.
  package func endState() {
    states.endRecord()
    nodes[openNode].state = nodes[openNode].state.lowerBound..<states.buffer.count
  }

  /// Drops the state record that was begun last and is not ended, as if it had not been begun.
  package func dropState() {
    nodes[openNode].flags = 0
    let start = nodes[openNode].state.lowerBound
    nodes[openNode].state = start..<start
    states.dropRecords(from: start)
  }
}
