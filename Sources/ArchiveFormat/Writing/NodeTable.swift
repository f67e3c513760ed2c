/// Numbers nodes breadth first, siblings by identifier, and writes their records and the long identifiers (Spec §6.4, §6.5).
struct NodeTable: ~Copyable {
  /// A sibling and the first eight bytes of its identifier, for sorting.
  struct Sibling: BitwiseCopyable {
    let prefix: UInt64
    let number: UInt32
  }

  private let assembler: ArchiveAssembler
  private let count: Int
  /// By node: where its children are in `children`; one more entry at the end.
  private var childStarts: ScratchArray<UInt32>
  /// The children of all nodes, those of one node together, in saved order.
  private var children: ScratchArray<UInt32>
  /// By node: its place among its siblings.
  private var savedOrders: ScratchArray<UInt32>
  /// The fed nodes in the order of their records.
  private var order: ScratchArray<UInt32>

  /// Makes a table of the nodes that were fed.
  init(_ assembler: ArchiveAssembler) {
    self.assembler = assembler
    count = assembler.count
    var starts = ScratchArray<UInt32>(repeating: 0, count: count + 1)
    savedOrders = ScratchArray(repeating: 0, count: count)
    for number in 1..<max(count, 1) {
      // Siblings come in saved order, so the count of those before is the place.
      let parent = Int(assembler.node(number).parent)
      savedOrders[number] = starts[parent + 1]
      starts[parent + 1] += 1
    }
    for index in 1...count { starts[index] += starts[index - 1] }
    children = ScratchArray(repeating: 0, count: count - 1)
    for number in 1..<max(count, 1) {
      let parent = Int(assembler.node(number).parent)
      children[Int(starts[parent] + savedOrders[number])] = UInt32(truncatingIfNeeded: number)
    }
    childStarts = starts
    order = ScratchArray(capacity: count)
  }

  private func childRange(of number: Int) -> Range<Int> {
    Int(childStarts[number])..<Int(childStarts[number + 1])
  }

  /// Sorts siblings and numbers all nodes.
  ///
  /// - Throws: `duplicate-identifier`.
  mutating func sort() throws(FormatError) {
    order.append(0)
    var siblings = ScratchArray<Sibling>(capacity: 16)
    var place = 0
    while place < order.count {
      siblings.truncate(to: 0)
      for index in childRange(of: Int(order[place])) {
        let node = assembler.node(Int(children[index]))
        let prefix = assembler.withIdentifiers { $0.extracting(node.identifier).sortingPrefix }
        siblings.append(Sibling(prefix: prefix, number: children[index]))
      }
      if siblings.count > 1 { siblings.sort(0..<siblings.count) { compare($0, $1) < 0 } }
      for index in 0..<siblings.count {
        if index > 0, compare(siblings[index - 1], siblings[index]) == 0 {
          throw FormatError(
            .duplicateIdentifier, at: nil, "identifiers of siblings", expected: .text("each once"), node: Int(siblings[index].number),
            rule: "R-3.1-3")
        }
        order.append(siblings[index].number)
      }
      place += 1
    }
  }

  @inline(__always)
  private func compare(_ left: Sibling, _ right: Sibling) -> Int {
    if left.prefix != right.prefix { return left.prefix < right.prefix ? -1 : 1 }
    let (first, second) = (assembler.node(Int(left.number)).identifier, assembler.node(Int(right.number)).identifier)
    return assembler.withIdentifiers { $0.extracting(first).compare(with: $0.extracting(second)) }
  }

  /// All nodes in preorder, children in saved order.
  func preorder() -> [Int] {
    var result: [Int] = []
    result.reserveCapacity(count)
    var stack = [0]
    while let number = stack.popLast() {
      result.append(number)
      for index in childRange(of: number).reversed() { stack.append(Int(children[index])) }
    }
    return result
  }

  /// Appends the records to one buffer and the long identifiers to another; the state records are in their final places.
  func write(
    typePlaces: [UInt16], originPlaces: [UInt16], to records: borrowing OutputBuffer, strings: borrowing OutputBuffer
  ) {
    var identifiers = LongIdentifiers()
    var places = ScratchArray<UInt32>(repeating: 0, count: count)
    for place in 0..<count { places[Int(order[place])] = UInt32(truncatingIfNeeded: place) }
    var nextChild: UInt32 = 1
    for place in 0..<count {
      let number = Int(order[place])
      let node = assembler.node(number)
      let childCount = childStarts[number + 1] - childStarts[number]
      let record = NodeRecord(
        parent: places[Int(node.parent)], savedOrder: savedOrders[number], firstChild: nextChild, childCount: childCount,
        // 0 where there is no record, so that nothing else can be said by it.
        stateOffset: node.state.isEmpty ? 0 : UInt32(truncatingIfNeeded: node.stateStart),
        stateLength: UInt32(truncatingIfNeeded: node.state.count), type: typePlaces[Int(node.type)], origin: originPlaces[Int(node.origin)],
        flags: node.flags)
      nextChild += childCount
      record.write(assembler.withIdentifiers { identifiers.field(of: $0.extracting(node.identifier), strings) }, to: records)
    }
  }
}

/// The long identifiers, each once, in the order in which they are first met (rule R-6.5-3).
private struct LongIdentifiers: ~Copyable {
  private var interner = ByteInterner()

  init() {}

  /// The field of an identifier; one that is long and new is appended to the strings.
  @inline(__always)
  mutating func field(of identifier: Span<UInt8>, _ strings: borrowing OutputBuffer) -> IdentifierField.Packed {
    if identifier.isEmpty { return .none }
    if identifier.count <= IdentifierField.longestShort { return IdentifierField.Packed(short: identifier) }
    let known = interner.count
    let number = interner.intern(identifier)
    if number == known { strings.append(contentsOf: identifier) }
    // The interner lays them out as the section does: each once, in the order in which they are first met.
    return IdentifierField.Packed(long: identifier, offset: interner.start(of: number))
  }
}
