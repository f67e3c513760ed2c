/// Puts an archive together from nodes that are fed to it one by one, each with its state record (Spec §8).
///
/// Parents come before their children, siblings in saved order. Fed in preorder, as a walk over an app's objects comes by them, the state
/// records are written once and never moved:
///
///     feed     app | root, list, row, detail …        in any order that has parents first
///     body     NODE (breadth first, sorted) | STRS | STAT (preorder) | ancillary sections
package final class ArchiveAssembler {
  /// Where the state records are written.
  package let states: StateWriter
  private let state: UncheckedBox<State>

  struct State: ~Copyable {
    var nodes: ScratchArray<FedNode>
    /// The bytes of all identifiers.
    var identifiers: ScratchArray<UInt8>
    /// The nodes from the root down to the one fed last, while the feed is in preorder.
    var spine = ScratchArray<UInt32>(capacity: 16)
    var isInPreorder = true
    /// Whether a node was taken back or refused, so that its type or origin may be in none.
    var hasRemovedNodes = false
    var openNode = 0

    init(nodeCount: Int) {
      nodes = ScratchArray(capacity: nodeCount + 1)
      identifiers = ScratchArray(capacity: 256 + nodeCount * 12)
      nodes.append(.application)
      spine.append(0)
    }

    /// Adds the bytes of an identifier.
    ///
    /// (It is here because a closure that captures the assembler would count a reference to it, for every node.)
    mutating func appendIdentifier(_ identifier: String) {
      identifier.withUTF8Bytes { identifiers.append(contentsOf: $0) }
    }

    /// Adds a node as the last child of its parent.
    @inline(__always)
    mutating func add(_ node: FedNode) {
      let parent = Int(node.parent)
      var node = node
      // Siblings come in saved order, so the count of those before is the place.
      node.savedOrder = nodes[parent].childCount
      nodes[parent].childCount &+= 1
      followSpine(to: UInt32(truncatingIfNeeded: nodes.count), parent: parent, depth: Int(node.depth) &- 1)
      nodes.append(node)
    }

    /// Notes whether a node comes in preorder: whether its parent lies on the way from the root to the node before.
    @inline(__always)
    private mutating func followSpine(to number: UInt32, parent: Int, depth: Int) {
      isInPreorder = isInPreorder && depth < spine.count && spine[depth] == UInt32(truncatingIfNeeded: parent)
      guard isInPreorder else { return }
      spine.truncate(to: depth &+ 1)
      spine.append(number)
    }
  }

  private let types = TypeCollector()
  private let origins = OriginCollector()
  /// How long the archive was that was finished last, and how many nodes it had, the app itself included.
  private var finished = (length: 0, count: 0)
  /// For how many nodes all is ready, from ``makeReady()`` to ``reset(nodeCount:)``.
  private var readyFor: Int?

  /// Makes an assembler.
  ///
  /// - Parameter nodeCount: About how many nodes will come; room is left for their records, so that less has to be moved at the end.
  package init(nodeCount: Int = 0) {
    states = StateWriter(capacity: Self.stateCapacity(nodeCount), gap: Self.gap(nodeCount))
    state = UncheckedBox(State(nodeCount: nodeCount))
  }

  /// Makes the assembler ready for another archive; keys and types that were used need not be learned again, and memory is made as for the
  /// one before.
  ///
  /// - Parameter nodeCount: About how many nodes will come.
  package func reset(nodeCount: Int) {
    defer { readyFor = nil }
    // Memory for many nodes is not for few: the archive would keep it.
    if let readyFor, nodeCount <= readyFor, nodeCount >= readyFor / 2 { return }
    // As long as the archive before, or less in proportion: a block of memory that has to grow may have to be copied.
    let last = finished
    let length = nodeCount + 1 < last.count ? last.length / last.count * (nodeCount + 1) : last.length
    states.reset(capacity: max(Self.stateCapacity(nodeCount), length &+ length / 16), gap: Self.gap(nodeCount))
    state.value = State(nodeCount: nodeCount)
    types.reset()
    origins.reset()
  }

  /// Does ahead what ``reset(nodeCount:)`` will have to do for an archive like the one before, on a thread that nobody waits for.
  package func makeReady() {
    let nodeCount = max(0, finished.count - 1)
    reset(nodeCount: nodeCount)
    readyFor = nodeCount
  }

  private static func stateCapacity(_ nodeCount: Int) -> Int { 4096 + nodeCount * 256 }

  /// The room in front of the state records, for all that precedes them in the file.
  private static func gap(_ nodeCount: Int) -> Int { 4096 + nodeCount * (NodeRecord.byteCount + 16) }

  /// How many nodes were fed, the app itself (number 0) included.
  package var count: Int { state.value.nodes.count }

  /// A node that was fed.
  func node(_ number: Int) -> FedNode {
    state.value.nodes[number]
  }

  /// Calls `body` with the bytes of the identifiers of all nodes.
  func withIdentifiers<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    state.value.identifiers.withSpan(body)
  }

  /// The types of the nodes as the table has them, and by number the place of each.
  var sortedTypes: (types: [TypeRecord], places: [UInt16]) {
    let (all, places) = types.sorted()
    guard state.value.hasRemovedNodes else { return (all, places) }
    let used = usedPlaces(places) { Int($0.type) }
    return (all.indices.filter { used[$0 + 1] > 0 }.map { all[$0] }, places.map { used[Int($0)] })
  }

  /// The origins of the nodes as the table has them, and by number the place of each.
  var sortedOrigins: (origins: [OriginRecord], places: [UInt16]) {
    let (all, places) = origins.sorted()
    guard state.value.hasRemovedNodes else { return (all, places) }
    let used = usedPlaces(places) { Int($0.origin) }
    return (all.indices.filter { used[$0 + 1] > 0 }.map { all[$0] }, places.map { used[Int($0)] })
  }

  /// By place in a table: its place among those that a node has, from 1, or 0 if none has it any more.
  private func usedPlaces(_ places: [UInt16], number: (FedNode) -> Int) -> [UInt16] {
    var used = [UInt16](repeating: 0, count: places.count)
    for node in 0..<count { used[Int(places[number(state.value.nodes[node])])] = 1 }
    var last: UInt16 = 0
    for place in used.indices.dropFirst() where used[place] > 0 {
      last += 1
      used[place] = last
    }
    used[0] = 0
    return used
  }

  /// Whether nodes and state records were fed in preorder, so that the records are in their places already.
  var isInPreorder: Bool { state.value.isInPreorder }

  /// Notes that the archive is finished and how long it is.
  func noteFinish(length: Int) {
    finished = (length, count)
  }

  /// Gives back the memory that the nodes of the finished archive take; ``reset(nodeCount:)`` makes it ready for another.
  package func releaseNodes() {
    state.value = State(nodeCount: 0)
  }

  /// Replaces the state records by others that lie in `target`, by node at `ranges`.
  func replaceStates(by target: borrowing OutputBuffer, ranges: [Range<Int>]) {
    states.records.swapContents(with: target)
    for number in ranges.indices {
      state.value.nodes[number].stateStart = ranges[number].lowerBound
      state.value.nodes[number].stateEnd = ranges[number].upperBound
    }
  }

  /// The node whose state was begun last.
  package var openNode: Int { state.value.openNode }

  /// Whether the record of a node was begun.
  package func hasState(_ node: Int) -> Bool { state.value.nodes[node].hasState }

  /// The identifiers from the root down to a node.
  package func identifiers(to node: Int) -> [String] {
    var identifiers: [String] = []
    var next = node
    while next > 0, next < count {
      let node = state.value.nodes[next]
      identifiers.append(withIdentifiers { $0.extracting(node.identifier).makeString() ?? "" })
      next = Int(node.parent)
    }
    return identifiers.reversed()
  }

  // MARK: Feeding

  /// Adds a node.
  ///
  /// - Parameters:
  ///   - parent: The number of its parent; 0 for the app itself.
  ///   - identifier: Its identifier.
  ///   - type: The tag of its type, if it has one.
  ///   - schemaVersion: The schema version of its type.
  ///   - origin: Where it comes from, if not from this save.
  ///   - opensState: Whether its entries are begun too, without provider and attributes, as ``openState(of:)`` and ``beginEntries()`` do.
  /// - Returns: The number of the node.
  /// - Throws: `string-length`, `path-depth`, `table-size`, `file-too-large`.
  package func addNode(
    parent: Int, identifier: String, type: String?, schemaVersion: UInt32, origin: OriginRecord?, opensState: Bool
  ) throws(FormatError) -> Int {
    let depth = state.value.nodes[parent].depth + 1
    guard depth <= FormatLimits.pathComponents else {
      throw FormatError(.pathDepth, at: nil, "depth", expected: .text("at most \(FormatLimits.pathComponents)"), rule: "R-3.1-2")
    }
    let length = identifier.utf8.count
    guard FormatLimits.identifier.contains(length) else {
      throw FormatError(
        .stringLength, at: nil, "identifier length", expected: .text("1 to \(FormatLimits.identifier.upperBound) bytes"),
        found: .number(UInt64(length)), rule: "R-3.1-1")
    }
    let number = state.value.nodes.count
    guard number < Int(UInt32.max) else {
      throw FormatError(.fileTooLarge, at: nil, "nodes", expected: .text("at most \(UInt32.max)"))
    }
    var node = FedNode(
      parent: UInt32(parent), depth: depth, identifierStart: state.value.identifiers.count, identifierCount: UInt16(length), type: 0,
      origin: 0)
    if let type { node.type = try types.number(of: type, schemaVersion: schemaVersion) }
    if let origin {
      do throws(FormatError) {
        node.origin = try origins.number(of: origin)
      } catch {
        // Its type has a number, but is in no node.
        state.value.hasRemovedNodes = true
        throw error
      }
    }
    state.value.appendIdentifier(identifier)
    if opensState {
      state.value.openNode = number
      node.hasState = true
      states.beginRecord()
    }
    state.value.add(node)
    return number
  }

  /// Whether a node is the one that was fed last and its record is empty, so that it can be taken back.
  package func isLastAndEmpty(_ node: Int) -> Bool {
    guard node > 0, node == count - 1 else { return false }
    let last = state.value.nodes[node]
    return last.state.isEmpty && last.flags == 0
  }

  /// Takes back the node that was fed last, whose record is empty and which has no children.
  package func removeLastNode() {
    guard count > 1 else { return }
    state.value.hasRemovedNodes = true
    state.value.nodes[Int(state.value.nodes[count - 1].parent)].childCount -= 1
    state.value.identifiers.truncate(to: state.value.nodes[count - 1].identifierStart)
    state.value.nodes.truncate(to: count - 1)
    state.value.spine.truncate(to: max(1, state.value.spine.count - 1))
  }

  /// Gives all children of one node another saved order.
  ///
  /// - Parameter children: Every child of the node, in the order wanted.
  /// - Returns: Whether the order was changed; false if these are not exactly the children of one node.
  package func reorder(_ children: [Int]) -> Bool {
    guard let first = children.first, children.allSatisfy({ $0 > 0 && $0 < count }) else { return false }
    let parent = Int(state.value.nodes[first].parent)
    guard children.count == Int(state.value.nodes[parent].childCount), Set(children).count == children.count,
      children.allSatisfy({ Int(state.value.nodes[$0].parent) == parent })
    else { return false }
    for (place, child) in children.enumerated() where state.value.nodes[child].savedOrder != UInt32(place) {
      state.value.nodes[child].savedOrder = UInt32(place)
      // The records follow the saved order, and lie in the order in which they were written.
      state.value.isInPreorder = false
    }
    return true
  }

  /// Begins the state record of a node; what is written to ``states`` up to ``endState()`` is its content.
  ///
  /// Each node can have one; those that have none need not be begun.
  package func openState(of node: Int) {
    state.value.openNode = node
    state.value.nodes[node].hasState = true
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
    state.value.nodes[state.value.openNode].stateStart = 0
    state.value.nodes[state.value.openNode].stateEnd = states.endRecord(of: state.value.openNode)
    if states.isFull { settleStates() }
  }

  /// Puts the state records that were ended into their places, their entries in order.
  func settleStates() {
    states.settle { node, place in
      state.value.nodes[node].stateStart = place.lowerBound
      state.value.nodes[node].stateEnd = place.upperBound
    }
  }

  /// Drops the state record that was begun last and is not ended, as if it had not been begun.
  package func dropState() {
    state.value.nodes[state.value.openNode].flags = 0
    state.value.nodes[state.value.openNode].hasState = false
    states.dropRecord()
  }
}
