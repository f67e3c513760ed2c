import Storage

/// Numbers nodes breadth first, siblings in order of identifiers, and writes their records and the long identifiers
/// (Spec §6.4, §6.5).
struct NodeTable: ~Copyable {
  /// A sibling and the first eight bytes of its identifier, for sorting.
  struct Sibling: BitwiseCopyable {
    let prefix: UInt64
    let number: UInt32
  }

  private let assembler: ArchiveAssembler
  private let count: Int
  /// For each node, the start of its children in `children`.
  private var childStarts: ScratchArray<UInt32>
  /// The children of all nodes, grouped by parent, in saved order.
  private var children: ScratchArray<UInt32>
  /// The added nodes, in the order of their records.
  private var order: ScratchArray<UInt32>
  /// For each record, the index of its parent's record.
  private var parentPlaces: ScratchArray<UInt32>
  private var longIdentifierCount = 0
  private var longIdentifierBytes = 0

  /// Creates a table of the nodes added to an assembler.
  init(_ assembler: ArchiveAssembler) {
    self.assembler = assembler
    count = assembler.count
    childStarts = ScratchArray(capacity: count)
    var start: UInt32 = 0
    for number in 0..<count {
      childStarts.append(start)
      let node = assembler.node(number)
      start &+= node.childCount
      if node.identifierCount > IdentifierField.longestShort {
        longIdentifierCount &+= 1
        longIdentifierBytes &+= Int(node.identifierCount)
      }
    }
    children = ScratchArray(repeating: 0, count: count - 1)
    for number in 1..<max(count, 1) {
      let node = assembler.node(number)
      children[Int(childStarts[Int(node.parent)] &+ node.savedOrder)] = UInt32(truncatingIfNeeded: number)
    }
    order = ScratchArray(capacity: count)
    parentPlaces = ScratchArray(capacity: count)
  }

  private func childRange(of number: Int) -> Range<Int> {
    let start = Int(childStarts[number])
    return start..<(start &+ Int(assembler.node(number).childCount))
  }

  /// Sorts siblings and numbers all nodes.
  ///
  /// - Throws: `duplicate-identifier`.
  mutating func sort() throws(FormatError) {
    append(0, parentPlace: 0)
    var siblings = ScratchArray<Sibling>(capacity: 16)
    var place = 0
    while place < order.count {
      siblings.truncate(to: 0)
      defer { place += 1 }
      let range = childRange(of: Int(order[place]))
      if range.count < 2 {
        if let only = range.first { append(children[only], parentPlace: place) }
        continue
      }
      for index in range {
        let node = assembler.node(Int(children[index]))
        let prefix = assembler.withIdentifiers { $0.extracting(node.identifier).sortingPrefix }
        siblings.append(Sibling(prefix: prefix, number: children[index]))
      }
      siblings.sort(0..<siblings.count) { compare($0, $1) < 0 }
      for index in 0..<siblings.count {
        if index > 0, compare(siblings[index - 1], siblings[index]) == 0 {
          throw FormatError(
            .duplicateIdentifier, at: nil, "identifiers of siblings", expected: "each once", node: Int(siblings[index].number),
            rule: "R-3.1-3")
        }
        append(siblings[index].number, parentPlace: place)
      }
    }
  }

  @inline(__always)
  private mutating func append(_ number: UInt32, parentPlace: Int) {
    order.append(number)
    parentPlaces.append(UInt32(truncatingIfNeeded: parentPlace))
  }

  @inline(__always)
  private func compare(_ left: Sibling, _ right: Sibling) -> Int {
    if left.prefix != right.prefix { return left.prefix < right.prefix ? -1 : 1 }
    let (first, second) = (assembler.node(Int(left.number)).identifier, assembler.node(Int(right.number)).identifier)
    return assembler.withIdentifiers { $0.extracting(first).compare(with: $0.extracting(second)) }
  }

  /// Calls `body` with each node except the app, in the order of the records, and its number among its siblings in that
  /// order, from 0.
  func visitRanks(_ body: (_ number: Int, _ rank: UInt32) -> Void) {
    var start = 1
    for place in 1..<max(count, 1) {
      if parentPlaces[place] != parentPlaces[start] { start = place }
      body(Int(order[place]), UInt32(truncatingIfNeeded: place &- start))
    }
  }

  /// The nodes, in the order of their records.
  func visitNodes(_ body: (_ number: Int) -> Void) {
    for place in 0..<count { body(Int(order[place])) }
  }

  /// Returns all nodes in preorder, with children in saved order.
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

  /// Returns the records, followed by the long identifiers; the state records must be in their final positions.
  func encoded(typePlaces: [UInt16], originPlaces: [UInt16]) -> OutputBuffer {
    let records = OutputBuffer(capacity: count * NodeRecord.byteCount + longIdentifierBytes)
    // Stores the long identifiers as the section does: each once, in order of first use (rule R-6.5-3).
    var strings = ByteInterner(capacity: longIdentifierCount)
    var nextChild: UInt32 = 1
    for place in 0..<count {
      let node = assembler.node(Int(order[place]))
      let record = NodeRecord(
        parent: parentPlaces[place], savedOrder: node.savedOrder, firstChild: nextChild, childCount: node.childCount,
        // 0 without a state record, because any other offset would be a second form of the same record.
        stateOffset: node.state.isEmpty ? 0 : UInt32(truncatingIfNeeded: node.state.lowerBound),
        stateLength: UInt32(truncatingIfNeeded: node.state.count), type: typePlaces[Int(node.type)], origin: originPlaces[Int(node.origin)],
        flags: node.flags)
      nextChild &+= node.childCount
      record.write(to: records)
      assembler.withIdentifiers { bytes in
        let identifier = bytes.extracting(node.identifier)
        let offset = identifier.count > IdentifierField.longestShort ? strings.start(of: strings.intern(identifier)) : nil
        IdentifierField.write(identifier, offset: offset, to: records)
      }
    }
    strings.withAllBytes { records.append(contentsOf: $0) }
    return records
  }
}

/// A node added to the assembler; trivial values only, so that many nodes are cheap.
struct AddedNode: BitwiseCopyable {
  /// The number of its parent.
  var parent: UInt32
  /// Its index among its siblings.
  var savedOrder: UInt32 = 0
  /// The number of children added so far.
  var childCount: UInt32 = 0
  /// Its depth; 0 for the app itself.
  var depth: UInt16
  /// The offset of its identifier among the bytes of all identifiers.
  var identifierStart: Int
  var identifierCount: UInt16
  /// Its number in the type collector, or 0.
  ///
  /// The next property is that of the origin collector.
  var type: UInt32
  var origin: UInt16
  /// The optional parts of its state record.
  var flags: UInt8 = 0
  /// Whether its state record was begun, and not discarded.
  var hasState = false
  /// How the link changes it, if the archive is one.
  var change = LinkTable.Change.contents
  var stateStart = 0
  var stateEnd = 0

  /// The app itself.
  static var application: AddedNode {
    AddedNode(parent: 0, depth: 0, identifierStart: 0, identifierCount: 0, type: 0, origin: 0)
  }

  var identifier: Range<Int> {
    @inline(__always) get { identifierStart..<(identifierStart &+ Int(identifierCount)) }
  }

  /// The place of its state record; while the record is pending, it starts at 0.
  var state: Range<Int> {
    @inline(__always) get { stateStart..<stateEnd }
    @inline(__always) set { (stateStart, stateEnd) = (newValue.lowerBound, newValue.upperBound) }
  }
}
