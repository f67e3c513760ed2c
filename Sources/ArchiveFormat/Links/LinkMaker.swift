import Storage

/// Makes the canonical link from one archive to another (Spec §15.5).
package struct LinkMaker: ~Copyable {
  private let old: ChainFile
  private let new: ChainFile
  private let assembler = ArchiveAssembler()
  private var oldCopier: NodeCopier
  private var newCopier: NodeCopier
  private let oldRecord = OutputBuffer(capacity: 256)
  private let newRecord = OutputBuffer(capacity: 256)
  /// Whether both archives have the same table of keys, so that equal records have equal bytes.
  private let haveSameKeys: Bool
  /// The nodes from the root down to the current one: their identifiers' records in the new archive, and their numbers in
  /// the link, or nil as long as the link does not need them.
  private var path: [(record: Int, number: Int?)] = []

  /// Returns the link from one archive to another.
  ///
  /// - Parameters:
  ///   - old: The archive before; not a link.
  ///   - new: The archive after; not a link, with the same minor version.
  ///   - digest: The digits of the digest of the file before.
  /// - Returns: The bytes of the link.
  /// - Throws: `wrong-base` if an archive is a link, or if the versions differ.
  package static func make(from old: ChainFile, to new: ChainFile, after digest: String) throws(FormatError) -> OutputBuffer {
    for file in [old, new] where file.link != nil {
      throw FormatError(.wrongBase, at: nil, "archive", expected: "one that is no link", rule: "R-15.4-2")
    }
    guard old.prefix.minorVersion == new.prefix.minorVersion else {
      throw FormatError(
        .wrongBase, at: nil, "minor version", expected: .number(old.prefix.minorVersion), found: .number(new.prefix.minorVersion),
        rule: "R-15.3-3")
    }
    var maker = LinkMaker(old, new)
    try maker.visit()
    // Comparing has numbered keys that no record of the link may have.
    maker.assembler.states.recordDiscardedEntry()
    return try maker.assembler.finish(
      ArchiveSurroundings(
        header: new.header + [HeaderEntry(key: RegisteredHeaderKey.baseContentDigest.rawValue, value: .string(digest))],
        sections: new.sections, minorVersion: new.prefix.minorVersion, isLink: true))
  }

  private init(_ old: ChainFile, _ new: ChainFile) {
    self.old = old
    self.new = new
    assembler.beginLink()
    oldCopier = NodeCopier(old, to: assembler, isVerbatim: false)
    newCopier = NodeCopier(new, to: assembler, isVerbatim: false)
    haveSameKeys = old.metadata.keys.isSame(as: new.metadata.keys)
  }

  // MARK: Nodes

  /// Compares the archives from the application down.
  private mutating func visit() throws(FormatError) {
    path.append((0, 0))
    if !areEqual(0, 0) { newCopier.copyState(of: 0, to: 0) }
    try visitChildren(0, 0)
  }

  /// Compares what is below two nodes with the same path; the one of the new archive is the last of the path.
  ///
  /// Recursion is bounded by the depth of a path.
  private mutating func visitChildren(_ oldIndex: Int, _ newIndex: Int) throws(FormatError) {
    let pairs = pairs(of: oldIndex, newIndex)
    if pairs.oldOnly.isEmpty, pairs.newOnly.isEmpty, pairs.both.isEmpty { return }
    // The number of each child in the link, if it has one.
    var numbers: [Int: Int] = [:]
    for child in pairs.oldOnly {
      _ = try assembler.addNode(parent: try ensureNode(), identifier: identifier(child, of: old), change: .removed)
    }
    for pair in pairs.both {
      path.append((pair.new, nil))
      if !areEqual(pair.old, pair.new) { try addContents(of: pair.new) }
      try visitChildren(pair.old, pair.new)
      if let number = path[path.count - 1].number { numbers[pair.new] = number }
      path.removeLast()
    }
    for child in pairs.newOnly { numbers[child] = try addAll(child, below: try ensureNode()) }
    let order = new.childrenInSavedOrder(of: newIndex)
    let moved = movedChildren(in: order, pairs.both)
    for (place, child) in order.enumerated() where moved.contains(child) {
      let number = try ensureNumber(of: child, &numbers)
      assembler.place(number, after: place == 0 ? 0 : try ensureNumber(of: order[place - 1], &numbers))
    }
  }

  /// Adds a node of the new archive, and everything below it, as new.
  ///
  /// Recursion is bounded by the depth of a path.
  private mutating func addAll(_ index: Int, below parent: Int) throws(FormatError) -> Int {
    let number = try addNode(index, below: parent)
    var previous = 0
    for child in new.childrenInSavedOrder(of: index) {
      let added = try addAll(child, below: number)
      assembler.place(added, after: previous)
      previous = added
    }
    return number
  }

  /// Returns the number of a child in the link; it is added as unchanged if the link does not have it yet.
  private mutating func ensureNumber(of child: Int, _ numbers: inout [Int: Int]) throws(FormatError) -> Int {
    if let known = numbers[child] { return known }
    let number = try assembler.addNode(parent: try ensureNode(), identifier: identifier(child, of: new), change: .unchanged)
    numbers[child] = number
    return number
  }

  /// Returns the number of the current node in the link, after adding it, and the nodes above it, as unchanged.
  private mutating func ensureNode() throws(FormatError) -> Int {
    let first = path.lastIndex { $0.number != nil } ?? 0
    for place in path.indices[(first + 1)...] {
      path[place].number = try assembler.addNode(
        parent: path[place - 1].number ?? 0, identifier: identifier(path[place].record, of: new), change: .unchanged)
    }
    return path[path.count - 1].number ?? 0
  }

  /// Adds the current node with the contents of a record of the new archive.
  private mutating func addContents(of index: Int) throws(FormatError) {
    let node = path.removeLast()
    let parent = try ensureNode()
    path.append((node.record, try addNode(index, below: parent)))
  }

  private mutating func addNode(_ index: Int, below parent: Int) throws(FormatError) -> Int {
    let number = try newCopier.addNode(index, below: parent)
    newCopier.copyState(of: index, to: number)
    return number
  }

  private func identifier(_ index: Int, of file: ChainFile) -> String {
    let bytes = file.bytes
    return bytes.span.extracting(file.identifier(of: index, in: bytes.span)).makeString() ?? ""
  }

  // MARK: Comparing

  /// Whether two nodes have the same parts.
  private mutating func areEqual(_ oldIndex: Int, _ newIndex: Int) -> Bool {
    let (left, right) = (old.record(oldIndex), new.record(newIndex))
    guard left.flags == right.flags, old.metadata.type(left.type) == new.metadata.type(right.type),
      old.metadata.origin(left.origin) == new.metadata.origin(right.origin)
    else { return false }
    let (oldBytes, newBytes) = (old.bytes, new.bytes)
    if haveSameKeys {
      return oldBytes.span.extracting(old.state(of: left)).isEqual(to: newBytes.span.extracting(new.state(of: right)))
    }
    oldRecord.truncate(to: 0)
    newRecord.truncate(to: 0)
    oldCopier.records.copy(left, to: oldRecord)
    newCopier.records.copy(right, to: newRecord)
    return oldRecord.withSpan { left in newRecord.withSpan { left.isEqual(to: $0) } }
  }

  /// The children of two nodes with the same path, matched by their identifiers.
  private struct Pairs {
    var oldOnly: [Int] = []
    var newOnly: [Int] = []
    var both: [(old: Int, new: Int)] = []
  }

  private func pairs(of oldIndex: Int, _ newIndex: Int) -> Pairs {
    var pairs = Pairs()
    var (left, right) = (old.children(of: oldIndex), new.children(of: newIndex))
    let (oldBytes, newBytes) = (old.bytes, new.bytes)
    while let first = left.first, let second = right.first {
      let order = oldBytes.span.extracting(old.identifier(of: first, in: oldBytes.span))
        .compare(with: newBytes.span.extracting(new.identifier(of: second, in: newBytes.span)))
      if order == 0 { pairs.both.append((first, second)) }
      if order < 0 { pairs.oldOnly.append(first) }
      if order > 0 { pairs.newOnly.append(second) }
      if order <= 0 { left = (first + 1)..<left.upperBound }
      if order >= 0 { right = (second + 1)..<right.upperBound }
    }
    pairs.oldOnly += left
    pairs.newOnly += right
    return pairs
  }

  /// Returns the children that need a place: the new ones, and those that do not stay (Spec §15.5).
  private func movedChildren(in order: [Int], _ both: [(old: Int, new: Int)]) -> Set<Int> {
    let oldPlaces = Dictionary(uniqueKeysWithValues: both.map { ($0.new, old.records.savedOrder(at: $0.old)) })
    let kept = order.filter { oldPlaces[$0] != nil }
    let staying = LongestRun.indexes(of: kept.map { oldPlaces[$0] ?? 0 })
    if staying.count == order.count { return [] }
    return Set(order).subtracting(staying.map { kept[$0] })
  }
}

/// The longest ascending subsequence of different numbers; of several, the one whose last number is the least, and of
/// those the one whose last but one is the least, and so on (Spec §15.5).
package enum LongestRun {
  /// Returns the indexes of its elements, ascending.
  ///
  /// - Complexity: O(n log n).
  package static func indexes(of numbers: [Int]) -> [Int] {
    // For each length, the index of the smallest number that ends a run of that length; for each index, the one before it
    // in the longest run that it ends.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: numbers.count)
    for index in numbers.indices {
      let place = ends.indices.first(past: { numbers[ends[$0]] >= numbers[index] })
      if place > 0 { previous[index] = ends[place - 1] }
      if place == ends.count { ends.append(index) } else { ends[place] = index }
    }
    var result: [Int] = []
    var next = ends.last ?? -1
    while next >= 0 {
      result.append(next)
      next = previous[next]
    }
    return result.reversed()
  }
}
