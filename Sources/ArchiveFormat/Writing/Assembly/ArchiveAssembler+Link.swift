import Storage

/// The place of a link's node among its siblings.
struct NodePlace {
  /// The number of the node.
  let node: Int
  /// The number of the sibling that it directly follows; 0 for the first place.
  let after: Int
}

// Links: archives that hold what changed since another file (Spec §15).
extension ArchiveAssembler {
  /// Whether a link is being assembled.
  package var isLink: Bool { places != nil }

  /// Turns the archive that is about to be written into a link; no node has been added yet.
  ///
  /// The nodes added by ``addNode(parent:identifier:type:schemaVersion:origin:opensState:)`` are nodes with contents.
  /// The application state is unchanged until ``openState(of:)`` is called for it.
  package func beginLink() {
    places = []
  }

  /// Adds a node that is unchanged or removed.
  ///
  /// - Returns: The number of the node.
  /// - Throws: `string-length`, `path-depth`, `file-too-large`.
  package func addNode(parent: Int, identifier: String, change: LinkTable.Change) throws(FormatError) -> Int {
    let number = try addNode(
      parent: parent, identifier: identifier, type: nil, schemaVersion: 0, origin: nil, opensState: false)
    setChange(change, of: number)
    return number
  }

  /// Gives a node a place: the first among its siblings, or directly after one of them.
  package func place(_ node: Int, after sibling: Int?) {
    places?.append(NodePlace(node: node, after: sibling ?? 0))
  }

  /// Puts siblings into the order of their identifiers (rule R-15.2-3).
  func rankSiblings() throws(FormatError) {
    setChange(hasState(0) ? .contents : .unchanged, of: 0)
    var table = NodeTable(self)
    try table.sort()
    table.visitRanks { setSavedOrder($1, of: $0) }
  }

  /// Returns the section that says how the link changes each node (Spec §15.2).
  func linkSection(_ places: [NodePlace], _ table: borrowing NodeTable) throws(FormatError) -> [UInt8] {
    var entries = [LinkTable.Entry](repeating: LinkTable.Entry(.contents), count: count)
    var records = [Int](repeating: 0, count: count)
    var numbers: [Int] = []
    numbers.reserveCapacity(count)
    table.visitNodes { number in
      records[number] = numbers.count
      entries[numbers.count].change = node(number).change
      numbers.append(number)
    }
    for place in places {
      let record = records[place.node]
      let isPlaced = entries[record].hasPlace
      let isSibling = place.after == 0 || node(place.after).parent == node(place.node).parent && place.after != place.node
      guard !isPlaced, isSibling, entries[record].change != .removed else {
        throw FormatError(.linkPlace, at: nil, "place of a node", expected: .text("one, after another sibling"), node: place.node)
      }
      entries[record] = LinkTable.Entry(entries[record].change, after: place.after == 0 ? 0 : node(place.after).savedOrder &+ 1)
    }
    let parents = numbers.map { UInt32(truncatingIfNeeded: records[Int(node($0).parent)]) }
    if let fault = LinkTable.placeFault(of: entries, parent: { parents[$0] }) {
      throw FormatError(fault.code, at: nil, "place of a node", expected: .text(fault.expected), node: numbers[fault.record])
    }
    for (record, entry) in entries.enumerated() where entry.change == .removed && node(numbers[record]).childCount > 0 {
      throw FormatError(.linkRecord, at: nil, "removed node", expected: .text("no nodes below it"), node: numbers[record])
    }
    let buffer = OutputBuffer(capacity: 2 * count)
    LinkTable(entries).write(to: buffer)
    return buffer.makeArray()
  }
}

/// The numbers of the nodes of a link, by parent and identifier.
package struct NodeNumbers: ~Copyable {
  private var names = ByteInterner(capacity: 16)
  private var numbers: [Int] = []
  private let name = OutputBuffer(capacity: 64)

  /// Returns the number of a node, or nil if it is not known.
  package mutating func number(of identifier: String, under parent: Int) -> Int? {
    let place = place(of: identifier, under: parent)
    return numbers[place] >= 0 ? numbers[place] : nil
  }

  /// Adds a node.
  package mutating func add(_ number: Int, identifier: String, under parent: Int) {
    let place = place(of: identifier, under: parent)
    // Of two siblings with the same identifier, which assembly refuses, the first counts.
    if numbers[place] < 0 { numbers[place] = number }
  }

  private mutating func place(of identifier: String, under parent: Int) -> Int {
    name.truncate(to: 0)
    name.append(UInt32(truncatingIfNeeded: parent))
    identifier.withUTF8Bytes { name.append(contentsOf: $0) }
    var place = 0
    name.withSpan { place = names.intern($0) }
    if place == numbers.count { numbers.append(-1) }
    return place
  }
}

extension ArchiveAssembler {
  /// Returns the numbers of the nodes that have been added.
  package func numbersOfNodes() -> NodeNumbers {
    var result = NodeNumbers()
    for number in 1..<max(count, 1) {
      let node = node(number)
      let identifier = withIdentifiers { $0.extracting(node.identifier).makeString() ?? "" }
      result.add(number, identifier: identifier, under: Int(node.parent))
    }
    return result
  }
}
