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
  private let state = UncheckedBox(State())

  private struct State {
    var nodes: [FedNode] = []
    var identifiers: [UInt8] = []
    let types = TypeCollector()
    var origins = OriginCollector()
    /// The nodes from the root down to the one fed last, while the feed is in preorder.
    var spine: [Int] = [0]
    var isInPreorder = true
    var openNode = 0
  }

  /// The nodes that were fed.
  var nodes: [FedNode] { state.value.nodes }
  /// The bytes of all identifiers.
  var identifiers: [UInt8] { state.value.identifiers }
  /// The types of the nodes as the table has them, and by number the place of each.
  var sortedTypes: (types: [TypeRecord], places: [UInt16]) { state.value.types.sorted() }
  /// The origins of the nodes as the table has them, and by number the place of each.
  var sortedOrigins: (origins: [OriginRecord], places: [UInt16]) { state.value.origins.sorted() }

  /// Makes an assembler.
  ///
  /// - Parameter nodeCount: About how many nodes will come; room is left for their records, so that less has to be moved at the end.
  package init(nodeCount: Int = 0) {
    states = StateWriter(capacity: 4096 + nodeCount * 256, gap: 4096 + nodeCount * (NodeRecord.byteCount + 16))
    state.value.nodes.reserveCapacity(nodeCount + 1)
    state.value.identifiers.reserveCapacity(nodeCount * 12)
    state.value.nodes.append(FedNode())
  }

  /// Whether nodes and state records were fed in preorder, so that the records are in their places already.
  var isInPreorder: Bool { state.value.isInPreorder }

  /// Replaces the state records by others that lie in `target`, by node at `ranges`.
  func replaceStates(by target: OutputBuffer, ranges: [Range<Int>]) {
    states.records.swapContents(with: target)
    for number in ranges.indices { state.value.nodes[number].state = ranges[number] }
  }

  /// How many nodes were fed, the app itself (number 0) included.
  package var count: Int { state.value.nodes.count }

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
    var node = FedNode(parent: parent, depth: state.value.nodes[parent].depth + 1)
    guard node.depth <= FormatLimits.pathComponents else {
      throw FormatError(.pathDepth, at: nil, "depth", expected: .text("at most \(FormatLimits.pathComponents)"), rule: "R-3.1-2")
    }
    let length = identifier.utf8.count
    guard FormatLimits.identifier.contains(length) else {
      throw FormatError(
        .stringLength, at: nil, "identifier length", expected: .text("1 to \(FormatLimits.identifier.upperBound) bytes"),
        found: .number(UInt64(length)), rule: "R-3.1-1")
    }
    if let type { node.type = try state.value.types.number(of: type) }
    if let origin { node.origin = try state.value.origins.number(of: origin) }
    let start = state.value.identifiers.count
    node.identifier = start..<(start + length)
    state.value.identifiers.append(contentsOf: identifier.utf8)
    state.value.nodes.append(node)
    let number = state.value.nodes.count - 1
    followSpine(to: number, parent: parent)
    return number
  }

  private func followSpine(to number: Int, parent: Int) {
    guard state.value.isInPreorder else { return }
    while let last = state.value.spine.last, last != parent { state.value.spine.removeLast() }
    state.value.isInPreorder = !state.value.spine.isEmpty
    state.value.spine.append(number)
  }

  /// Begins the state record of a node; what is written to ``states`` up to ``endState()`` is its content.
  ///
  /// Each node can have one; those that have none need not be begun.
  package func openState(of node: Int) {
    state.value.openNode = node
    let start = states.records.count
    state.value.nodes[node].state = start..<start
    // A record that is written after that of a later node is out of preorder.
    if node != state.value.nodes.count - 1 { state.value.isInPreorder = false }
  }

  /// Writes the provider reference of the node whose state was begun; it comes first.
  package func writeProvider(name: String, identifier: String) {
    state.value.nodes[state.value.openNode].flags |= NodeRecord.hasProvider
    states.buffer.appendText(name)
    states.buffer.appendText(identifier)
  }

  /// Begins the attributes of the node whose state was begun; they come before its entries.
  package func beginAttributes() {
    state.value.nodes[state.value.openNode].flags |= NodeRecord.hasAttributes
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
    let node = state.value.openNode
    state.value.nodes[node].state = state.value.nodes[node].state.lowerBound..<states.records.count
  }

  /// Drops the state record that was begun last and is not ended, as if it had not been begun.
  package func dropState() {
    let node = state.value.openNode
    state.value.nodes[node].flags = 0
    let start = state.value.nodes[node].state.lowerBound
    state.value.nodes[node].state = start..<start
    states.dropRecord()
  }
}
