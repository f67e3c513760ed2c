/// Numbers nodes breadth first, siblings by identifier, and writes their records and the long identifiers (Spec §6.4, §6.5).
struct NodeTable {
  private let nodes: [ArchiveAssembler.FedNode]
  private let identifiers: [UInt8]
  /// The first eight bytes of each identifier, for sorting.
  private let prefixes: [UInt64]
  /// By node: where its children are in `children`; one more entry at the end.
  private let childStarts: [Int]
  /// The children of all nodes, those of one node together, in saved order.
  private let children: [Int]
  /// The fed nodes in the order of their records.
  private var order: [Int] = []

  /// Makes a table of the nodes that were fed.
  init(_ assembler: ArchiveAssembler) {
    let nodes = assembler.nodes
    let identifiers = assembler.identifiers
    var prefixes: [UInt64] = []
    prefixes.reserveCapacity(nodes.count)
    for node in nodes { prefixes.append(identifiers.span.extracting(node.identifier).sortingPrefix) }
    var starts = [Int](repeating: 0, count: nodes.count + 1)
    for node in nodes.dropFirst() { starts[node.parent + 1] += 1 }
    for index in 1..<starts.count {
      let before = starts[index - 1]
      starts[index] += before
    }
    var children = [Int](repeating: 0, count: nodes.count - 1)
    var next = starts
    for number in nodes.indices.dropFirst() {
      let parent = nodes[number].parent
      children[next[parent]] = number
      next[parent] += 1
    }
    self.nodes = nodes
    self.identifiers = identifiers
    self.prefixes = prefixes
    childStarts = starts
    self.children = children
  }

  private func childRange(of number: Int) -> Range<Int> {
    childStarts[number]..<childStarts[number + 1]
  }

  /// Sorts siblings and numbers all nodes.
  ///
  /// - Throws: `duplicate-identifier`.
  mutating func sort() throws(FormatError) {
    var sortedChildren = children
    order = [0]
    order.reserveCapacity(nodes.count)
    var place = 0
    while place < order.count {
      let range = childRange(of: order[place])
      if range.count > 1 {
        sortedChildren[range].sort { compare($0, $1) < 0 }
        for index in range.dropFirst() where compare(sortedChildren[index - 1], sortedChildren[index]) == 0 {
          throw duplicateError(sortedChildren[index])
        }
      }
      order.append(contentsOf: sortedChildren[range])
      place += 1
    }
  }

  private func compare(_ left: Int, _ right: Int) -> Int {
    if prefixes[left] != prefixes[right] { return prefixes[left] < prefixes[right] ? -1 : 1 }
    let bytes = identifiers.span
    return bytes.extracting(nodes[left].identifier).compare(with: bytes.extracting(nodes[right].identifier))
  }

  private func duplicateError(_ number: Int) -> FormatError {
    FormatError(.duplicateIdentifier, at: nil, "identifiers of siblings", expected: .text("each once"), node: number, rule: "R-3.1-3")
  }

  /// All nodes in preorder, children in saved order.
  func preorder() -> [Int] {
    var result: [Int] = []
    result.reserveCapacity(nodes.count)
    var stack = [0]
    while let number = stack.popLast() {
      result.append(number)
      stack.append(contentsOf: children[childRange(of: number)].reversed())
    }
    return result
  }

  /// Writes the records and the long identifiers.
  ///
  /// `nodes` are the nodes as they were fed, with the final places of their state records.
  func write(
    nodes: [ArchiveAssembler.FedNode], typePlaces: [UInt16], originPlaces: [UInt16]
  ) -> (nodes: OutputBuffer, strings: OutputBuffer) {
    let records = OutputBuffer(capacity: nodes.count * NodeRecord.byteCount)
    let strings = OutputBuffer()
    var interner = ByteInterner()
    var stringOffsets: [Int] = []
    var places = [UInt32](repeating: 0, count: nodes.count)
    for (place, number) in order.enumerated() { places[number] = UInt32(truncatingIfNeeded: place) }
    let savedOrders = savedOrders()
    let stateOffsets = stateOffsets(nodes)
    var nextChild = 1
    let span = identifiers.span
    for number in order {
      let node = nodes[number]
      let childCount = childRange(of: number).count
      NodeRecord(
        parent: places[node.parent], savedOrder: savedOrders[number], firstChild: UInt32(truncatingIfNeeded: nextChild),
        childCount: UInt32(truncatingIfNeeded: childCount), stateOffset: UInt32(truncatingIfNeeded: stateOffsets[number]),
        stateLength: UInt32(truncatingIfNeeded: node.state.count), type: typePlaces[node.type], origin: originPlaces[node.origin],
        flags: node.flags
      ).write(to: records)
      nextChild += childCount
      let identifier = span.extracting(node.identifier)
      if number == 0 {
        records.appendNoIdentifier()
      } else if identifier.count <= IdentifierField.longestShort {
        records.appendShortIdentifier(identifier)
      } else {
        let string = interner.intern(identifier)
        if string == stringOffsets.count {
          stringOffsets.append(strings.count)
          strings.append(contentsOf: identifier)
        }
        records.appendLongIdentifier(identifier, offset: stringOffsets[string])
      }
    }
    return (records, strings)
  }

  /// By node: its place among its siblings as they were fed.
  private func savedOrders() -> [UInt32] {
    var orders = [UInt32](repeating: 0, count: nodes.count)
    for parent in nodes.indices {
      for (place, index) in childRange(of: parent).enumerated() { orders[children[index]] = UInt32(truncatingIfNeeded: place) }
    }
    return orders
  }

  /// By node: where its record is (rule R-6.3-2).
  private func stateOffsets(_ nodes: [ArchiveAssembler.FedNode]) -> [Int] {
    var offsets = [Int](repeating: 0, count: nodes.count)
    var place = 0
    for number in preorder() {
      // 0 where there is no record, so that nothing else can be said by it.
      offsets[number] = nodes[number].state.isEmpty ? 0 : place
      place += nodes[number].state.count
    }
    return offsets
  }
}
