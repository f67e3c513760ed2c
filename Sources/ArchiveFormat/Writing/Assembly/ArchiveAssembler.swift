import Storage

/// Assembles an archive from nodes that are added one by one, each with its state record (Spec §8).
///
/// Parents must be added before their children, siblings in saved order. If nodes are added in preorder, as by a walk
/// over an app's objects, the state records are written once and never moved:
///
///     input    app | root, list, row, detail …        in any order that has parents first
///     body     NODE (breadth first, sorted) | STRS | STAT (preorder) | ancillary sections
///
/// Sendable, because it has one owner at a time: a writer, an encoded archive, or a pool of assemblers.
package final class ArchiveAssembler: @unchecked Sendable {
  /// The writer of the state records.
  package let states: StateWriter
  let state: UncheckedBox<State>

  struct State: ~Copyable {
    var nodes: ScratchArray<AddedNode>
    /// The bytes of all identifiers.
    var identifiers: ScratchArray<UInt8>
    /// The numbers of the nodes from the app itself down to the node added last, as long as nodes are added in
    /// preorder.
    var spine = ScratchArray<UInt32>(capacity: 16)
    /// Whether nodes and state records were added in preorder, so that the records need not be moved.
    var isInPreorder = true
    /// Whether a node was removed or rejected, so that its type or origin may be unused.
    var hasRemovedNodes = false
    var openNode = 0
    /// The places of a link's nodes; nil for an archive that is no link.
    var places: [NodePlace]?

    init(nodeCount: Int) {
      nodes = ScratchArray(capacity: nodeCount + 1)
      identifiers = ScratchArray(capacity: 256 + nodeCount * 12)
      nodes.append(.application)
      spine.append(0)
    }

    /// Appends the bytes of an identifier.
    ///
    /// (Declared here, because a closure that captures the assembler would retain it, for every node.)
    mutating func appendIdentifier(_ identifier: String) {
      identifier.withUTF8Bytes { identifiers.append(contentsOf: $0) }
    }

    /// Adds a node as the last child of its parent.
    @inline(__always)
    mutating func add(_ node: AddedNode) {
      let parent = Int(node.parent)
      var node = node
      // Siblings are added in saved order, so the number of earlier siblings is the index.
      node.savedOrder = nodes[parent].childCount
      nodes[parent].childCount &+= 1
      followSpine(to: UInt32(truncatingIfNeeded: nodes.count), parent: parent, depth: Int(node.depth) &- 1)
      nodes.append(node)
    }

    /// Records whether a node is in preorder: its parent must be on the path from the root to the previous node.
    @inline(__always)
    private mutating func followSpine(to number: UInt32, parent: Int, depth: Int) {
      isInPreorder = isInPreorder && depth < spine.count && spine[depth] == UInt32(truncatingIfNeeded: parent)
      guard isInPreorder else { return }
      spine.truncate(to: depth &+ 1)
      spine.append(number)
    }
  }

  let types = TypeCollector()
  let origins = OriginCollector()
  /// The length of the archive finished last, and its number of nodes, including the app itself.
  var finished = (length: 0, count: 0)
  /// The node count that ``makeReady()`` has prepared for, until ``reset(nodeCount:)``.
  private var readyFor: Int?

  /// Creates an assembler.
  ///
  /// - Parameter nodeCount: The approximate number of nodes. Room for their records is reserved, so that fewer bytes
  ///   have to be moved at the end.
  package init(nodeCount: Int = 0) {
    states = StateWriter(capacity: Self.stateCapacity(nodeCount), gap: Self.gap(nodeCount))
    state = UncheckedBox(State(nodeCount: nodeCount))
  }

  /// Prepares the assembler for another archive.
  ///
  /// The keys and types in use stay known. Memory is allocated according to the previous archive.
  ///
  /// - Parameter nodeCount: The approximate number of nodes.
  package func reset(nodeCount: Int) {
    defer { readyFor = nil }
    // Memory prepared for many nodes is not used for a few: the archive would keep it.
    if let readyFor, nodeCount <= readyFor, nodeCount >= readyFor / 2 { return }
    // As much as the previous archive took, or less in proportion: a block that has to grow may have to be copied.
    let last = finished
    let length = nodeCount + 1 < last.count ? last.length / last.count * (nodeCount + 1) : last.length
    states.reset(capacity: max(Self.stateCapacity(nodeCount), length), gap: Self.gap(nodeCount))
    state.value = State(nodeCount: nodeCount)
    types.reset()
    origins.reset()
  }

  /// Prepares in advance for an archive like the previous one, so that ``reset(nodeCount:)`` has little to do.
  ///
  /// Meant for a thread on which no caller is waiting.
  package func makeReady() {
    let nodeCount = max(0, finished.count - 1)
    reset(nodeCount: nodeCount)
    readyFor = nodeCount
  }

  private static func stateCapacity(_ nodeCount: Int) -> Int { 4096 + nodeCount * 256 }

  /// Returns the room before the state records, for all parts that precede them in the file.
  private static func gap(_ nodeCount: Int) -> Int { 4096 + nodeCount * (NodeRecord.byteCount + 16) }

  /// The number of nodes added, including the app itself (number 0).
  package var count: Int { state.value.nodes.count }

  /// Returns an added node.
  func node(_ number: Int) -> AddedNode {
    state.value.nodes[number]
  }

  /// Sets the saved order of a node, for nodes that are not restored in the order in which they were added.
  func setSavedOrder(_ place: UInt32, of number: Int) {
    if state.value.nodes[number].savedOrder == place { return }
    state.value.nodes[number].savedOrder = place
    // State records follow the saved order, but may have been written in another one.
    state.value.isInPreorder = false
  }

  /// Adds a node whose identifier is known to be within the limits, and whose type and origin are numbers of the
  /// collectors, and sets its state record to a range of ``StateWriter/records``.
  func addCopy(
    parent: Int, identifier: Span<UInt8>, type: UInt32, origin: UInt16, flags: UInt8
  ) throws(FormatError) -> Int {
    let number = try nextNumber()
    var node = AddedNode(
      parent: UInt32(truncatingIfNeeded: parent), depth: state.value.nodes[parent].depth &+ 1,
      identifierStart: state.value.identifiers.count, identifierCount: UInt16(truncatingIfNeeded: identifier.count), type: type,
      origin: origin)
    node.flags = flags
    state.value.identifiers.append(contentsOf: identifier)
    state.value.add(node)
    return number
  }

  /// Returns the number of the node that is added next.
  @inline(__always)
  private func nextNumber() throws(FormatError) -> Int {
    let number = state.value.nodes.count
    guard number < Int(clamping: UInt32.max) else {
      throw FormatError(.fileTooLarge, at: nil, "nodes", expected: "at most \(UInt32.max)")
    }
    return number
  }

  /// Sets the place of a copied state record in ``StateWriter/records``.
  func setState(_ range: Range<Int>, of number: Int) {
    state.value.nodes[number].hasState = true
    state.value.nodes[number].state = range
    if number != state.value.nodes.count - 1 { state.value.isInPreorder = false }
  }

  /// Calls `body` with the bytes of the identifiers of all nodes.
  func withIdentifiers<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    state.value.identifiers.withSpan(body)
  }

  /// Returns the entries of a table that a node still uses, and the table position of each number among those.
  func inUse<Entry>(_ table: ([Entry], [UInt16]), number: (AddedNode) -> Int) -> ([Entry], [UInt16]) {
    guard state.value.hasRemovedNodes else { return table }
    let (entries, places) = table
    // For each position in the table, the position among the entries still in use, from 1, or 0 if no node uses it.
    var used = [UInt16](repeating: 0, count: places.count)
    for node in 0..<count { used[Int(places[number(state.value.nodes[node])])] = 1 }
    var last: UInt16 = 0
    for place in used.indices.dropFirst() where used[place] > 0 {
      last += 1
      used[place] = last
    }
    used[0] = 0
    return (entries.indices.filter { used[$0 + 1] > 0 }.map { entries[$0] }, places.map { used[Int($0)] })
  }

  /// Releases the memory of the finished archive's nodes; ``reset(nodeCount:)`` prepares the assembler for another
  /// archive.
  package func releaseNodes() {
    state.value = State(nodeCount: 0)
  }

  /// The node whose state record was begun last.
  package var openNode: Int { state.value.openNode }

  /// Whether the state record of a node was begun.
  package func hasState(_ node: Int) -> Bool { state.value.nodes[node].hasState }

  /// Returns the identifiers from the root to a node.
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

  // MARK: Adding nodes

  /// Adds a node.
  ///
  /// - Parameters:
  ///   - parent: The number of its parent; 0 for the app itself.
  ///   - identifier: Its identifier.
  ///   - type: The tag of its type, if it has one.
  ///   - schemaVersion: The schema version of its type.
  ///   - origin: Its origin, if it is carried over from an earlier save.
  ///   - opensState: Whether to begin its entries too, without provider and attributes, as ``openState(of:)`` and
  ///     ``beginEntries()`` do.
  /// - Returns: The number of the node.
  /// - Throws: `string-length`, `path-depth`, `table-size`, `file-too-large`.
  package func addNode(
    parent: Int, identifier: String, type: String?, schemaVersion: UInt32, origin: OriginRecord?, opensState: Bool
  ) throws(FormatError) -> Int {
    let depth = state.value.nodes[parent].depth + 1
    guard depth <= FormatLimits.pathComponents else {
      throw FormatError(.pathDepth, at: nil, "depth", expected: "at most \(FormatLimits.pathComponents)", rule: "R-3.1-2")
    }
    let length = identifier.utf8.count
    try FormatError.checkLength(length, FormatLimits.identifier, "identifier length", rule: "R-3.1-1")
    let number = try nextNumber()
    var node = AddedNode(
      parent: UInt32(parent), depth: depth, identifierStart: state.value.identifiers.count, identifierCount: UInt16(length), type: 0,
      origin: 0)
    if let type { node.type = try types.number(of: type, schemaVersion: schemaVersion) }
    if let origin {
      do throws(FormatError) {
        node.origin = try origins.number(of: origin)
      } catch {
        // The type has been numbered, but no node uses it.
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

  /// Whether a node is the last one added and has an empty state record, so that it can be removed.
  package func isLastAndEmpty(_ node: Int) -> Bool {
    guard node > 0, node == count - 1 else { return false }
    let last = state.value.nodes[node]
    return last.state.isEmpty && last.flags == 0
  }

  /// Removes the node added last, which must have an empty state record and no children.
  package func removeLastNode() {
    guard count > 1 else { return }
    state.value.hasRemovedNodes = true
    state.value.nodes[Int(state.value.nodes[count - 1].parent)].childCount -= 1
    state.value.identifiers.truncate(to: state.value.nodes[count - 1].identifierStart)
    state.value.nodes.truncate(to: count - 1)
    state.value.spine.truncate(to: max(1, state.value.spine.count - 1))
  }

  /// Changes the saved order of all children of a node.
  ///
  /// - Parameter children: Every child of the node, in the new order.
  /// - Returns: Whether the order was changed; false if `children` are not exactly the children of one node.
  package func reorder(_ children: [Int]) -> Bool {
    guard let first = children.first, children.allSatisfy({ $0 > 0 && $0 < count }) else { return false }
    let parent = Int(state.value.nodes[first].parent)
    guard children.count == Int(state.value.nodes[parent].childCount), Set(children).count == children.count,
      children.allSatisfy({ Int(state.value.nodes[$0].parent) == parent })
    else { return false }
    for (place, child) in children.enumerated() { setSavedOrder(UInt32(place), of: child) }
    return true
  }

  /// Begins the state record of a node; everything written to ``states`` until ``endState()`` is its content.
  ///
  /// A node can have one state record. A node without state needs none.
  package func openState(of node: Int) {
    state.value.openNode = node
    state.value.nodes[node].hasState = true
    // A record written after that of a later node is not in preorder.
    if node != state.value.nodes.count - 1 { state.value.isInPreorder = false }
  }

  /// Writes the provider reference of the open state record; it comes first.
  package func writeProvider(name: String, identifier: String) {
    state.value.nodes[state.value.openNode].flags |= NodeRecord.hasProvider
    states.buffer.appendText(name)
    states.buffer.appendText(identifier)
  }

  /// Begins the attributes of the open state record, a container of ``states``; they precede its entries.
  package func beginAttributes() {
    state.value.nodes[state.value.openNode].flags |= NodeRecord.hasAttributes
    states.beginAttributes()
  }

  /// Begins the entries of the open state record.
  package func beginEntries() {
    states.beginRecord()
  }

  /// Ends the state record that was begun last.
  package func endState() {
    state.value.nodes[state.value.openNode].state = 0..<states.endRecord(of: state.value.openNode)
    if states.isFull { sortStates() }
  }

  /// Sorts the pending state records and records their positions.
  func sortStates() {
    states.sortRecords { node, place in state.value.nodes[node].state = place }
  }

  /// Discards the state record that is open, as if it had not been begun.
  package func discardState() {
    state.value.nodes[state.value.openNode].flags = 0
    state.value.nodes[state.value.openNode].hasState = false
    states.discardRecord()
  }
}
