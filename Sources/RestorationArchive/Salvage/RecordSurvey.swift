import ArchiveFormat

/// A survey of a damaged archive's node records: which are trustworthy, and which node is the parent of which (Spec
/// §7.6).
///
/// The survey keeps 40 bytes per 48-byte record. Identifiers and paths, which can be thousands of times as long, are
/// created on demand.
struct RecordSurvey: Sendable {
  /// The place of a node in the salvaged archive.
  enum Place: Equatable {
    /// No place: the record is lost, and no node lies below it.
    case nowhere
    /// A child of the node whose record has this index.
    case child(of: Int32)
    /// A child of the lost-and-found node, named by record number, because its name or record is lost.
    case unnamed
    /// A child of a placeholder parent in the lost-and-found node.
    case unplaced
  }

  /// The facts known about a record.
  struct Entry {
    /// The file offset of the identifier.
    fileprivate var identifierStart = 0
    /// The length of the identifier in bytes; 0 if unknown.
    fileprivate var identifierLength: UInt16 = 0
    /// The number of components of the node's path.
    fileprivate var depth: Int16 = 0
    /// Whether the record is trustworthy.
    fileprivate(set) var hasRecord = false
    /// The place of the node.
    fileprivate(set) var place = Place.nowhere
    /// For a lost record: the record of the node that has it as a child; -1 if there is none.
    fileprivate(set) var knownParent: Int32 = -1

    /// The file range of the identifier; nil if unknown.
    var identifierRange: Range<Int>? {
      identifierLength == 0 ? nil : identifierStart..<(identifierStart + Int(identifierLength))
    }
  }

  let opening: SalvageOpening
  private let records: NodeRecords
  /// By record index: the records that lie within the file.
  private(set) var entries: [Entry]
  /// The identifier of the lost-and-found node, if one is needed.
  private(set) var lostAndFoundIdentifier = LostAndFound.identifier
  /// By parent with unsorted children: the identifiers of its children so far.
  private var siblings: [Int: Set<[UInt8]>] = [:]
  /// By parent: the last placed child.
  private var lastChildren: [Int32]
  /// By child: its previously placed sibling; a linked list that starts at the parent's last child.
  private var previousSiblings: [Int32]

  private var metadata: ArchiveMetadata { opening.metadata }

  /// Reads all records, and records their losses in ascending order.
  init(_ opening: SalvageOpening, noting losses: inout LossNotes) {
    self.opening = opening
    records = NodeRecords(bytes: opening.bytes, layout: opening.layout, metadata: opening.metadata, damage: opening.damage)
    let count = records.presentCount
    entries = [Entry](repeating: Entry(), count: count)
    lastChildren = [Int32](repeating: -1, count: count)
    previousSiblings = [Int32](repeating: -1, count: count)
    // A parent precedes its children.
    for index in entries.indices { place(index, cause: read(index), noting: &losses) }
    for (lost, parent) in records.parentsOfLostRecords(isLost: { !entries[$0].hasRecord }) { entries[lost].knownParent = Int32(parent) }
    siblings = [:]
    joinRuns(of: &losses)
    if count < metadata.recordCount {
      let cause = damageError(records.range(of: count)) ?? FormatError(.truncated, at: opening.bytes.count)
      losses.append(.nodes, count..<metadata.recordCount, cause: cause)
    }
    if !entries.isEmpty {
      lostAndFoundIdentifier = LostAndFound.identifier(besides: children(of: 0).lazy.compactMap { [self] in identifier(of: $0) })
    }
  }

  // MARK: Reading

  /// Returns a record; nil if it is lost.
  func record(_ index: Int) -> NodeRecord? {
    entries[index].hasRecord ? records.record(at: index) : nil
  }

  /// Returns the error for the first damage in a range of the file.
  func damageError(_ range: Range<Int>) -> FormatError? {
    guard let damaged = records.firstDamage(in: range) else { return nil }
    let isThere = damaged.lowerBound < opening.bytes.count
    return FormatError(isThere ? .blockDamaged : .truncated, at: isThere ? damaged.lowerBound : opening.bytes.count)
  }

  /// Reads a record, and returns the reason if it or its identifier is lost.
  private mutating func read(_ index: Int) -> FormatError? {
    if let error = damageError(records.range(of: index)) { return error }
    let start = records.offset(of: index)
    let record = records.record(at: index)
    do throws(FormatError) {
      try NodeRules.checkTables(record, types: metadata.types.count, origins: metadata.origins.count, offset: start)
      try NodeRules.checkState(record, length: metadata.states.count, offset: start)
      guard record.children(index: index, count: metadata.recordCount) != nil else {
        throw FormatError(.childRange, at: start + NodeRecord.FieldOffset.firstChild)
      }
      // The application has no place for a provider or attributes.
      if index == 0, record.flags != 0 { throw FormatError(.rootRecord, at: start + NodeRecord.FieldOffset.flags) }
    } catch {
      return error
    }
    entries[index].hasRecord = true
    if index == 0 { return nil }
    do throws(FormatError) {
      let range = try identifierRange(of: index)
      entries[index].identifierStart = range.lowerBound
      entries[index].identifierLength = UInt16(range.count)
    } catch {
      return error
    }
    return nil
  }

  /// Returns the range of an intact and well-formed identifier in the file.
  private func identifierRange(of index: Int) throws(FormatError) -> Range<Int> {
    let storage = opening.bytes
    let bytes = storage.span
    let range = try records.identifier(of: index, in: bytes)
    if let error = damageError(range) { throw error }
    try records.checkText(of: range, of: index, in: bytes)
    return range
  }

  // MARK: Placement

  /// Determines the place of a record, after those of its parent and preceding siblings.
  private mutating func place(_ index: Int, cause: FormatError?, noting losses: inout LossNotes) {
    guard entries[index].hasRecord, let identifier = entries[index].identifierRange else {
      if index == 0, entries[0].hasRecord { return }
      placeUnnamed(index, cause ?? FormatError(.blockDamaged, at: nil), noting: &losses)
      return
    }
    let parent = Int(clamping: records.record(at: index).parent)
    do throws(FormatError) {
      try checkParent(parent, of: index)
      try checkSiblings(identifier, under: parent, of: index)
    } catch {
      entries[index].place = .unplaced
      entries[index].depth = 3
      losses.append(.place, index..<(index + 1), cause: error)
      return
    }
    // A lost parent gets a place only when a node lies below it.
    if parent > 0, !entries[parent].hasRecord, entries[parent].place == .nowhere {
      entries[parent].place = .unnamed
      entries[parent].depth = 2
    }
    entries[index].place = .child(of: Int32(parent))
    entries[index].depth = entries[parent].depth + 1
    previousSiblings[index] = lastChildren[parent]
    lastChildren[parent] = Int32(index)
  }

  private mutating func placeUnnamed(_ index: Int, _ cause: FormatError, noting losses: inout LossNotes) {
    if entries[index].hasRecord {
      entries[index].place = .unnamed
      entries[index].depth = 2
    }
    losses.append(entries[index].hasRecord ? .identifier : .nodes, index..<(index + 1), cause: cause)
  }

  /// Checks that a parent precedes its child and, if its record is intact, has the child in its range (R-6.4-4).
  private func checkParent(_ parent: Int, of index: Int) throws(FormatError) {
    let offset = records.offset(of: index) + NodeRecord.FieldOffset.parent
    guard parent < index else { throw FormatError(.parentMismatch, at: offset) }
    if let record = record(parent), record.children(index: parent, count: metadata.recordCount)?.contains(index) != true {
      throw FormatError(.parentMismatch, at: offset)
    }
    // A lost parent is placed at the second level.
    let depth = !entries[parent].hasRecord && parent > 0 ? 2 : Int(entries[parent].depth)
    guard depth < FormatLimits.pathComponents else { throw FormatError(.pathDepth, at: offset, rule: "R-6.4-10") }
  }

  /// Checks that the identifier differs from those of all siblings (R-3.1-3).
  ///
  /// Identifiers normally ascend, in which case comparing neighbors is enough.
  private mutating func checkSiblings(_ identifier: Range<Int>, under parent: Int, of index: Int) throws(FormatError) {
    let last = Int(lastChildren[parent])
    if last < 0 { return }
    let storage = opening.bytes
    if siblings[parent] == nil {
      if let previous = entries[last].identifierRange,
        storage.span.extracting(previous).precedes(storage.span.extracting(identifier))
      {
        return
      }
      var met: Set<[UInt8]> = []
      var next = last
      while next >= 0 {
        if let identifier = entries[next].identifierRange { met.insert(Array(storage[identifier])) }
        next = Int(previousSiblings[next])
      }
      siblings[parent] = met
    }
    if siblings[parent]?.insert(Array(storage[identifier])).inserted == false {
      throw FormatError(.duplicateIdentifier, at: records.offset(of: index) + NodeRecord.FieldOffset.identifier)
    }
  }

  /// Merges a lost node into the preceding loss if both nodes have the same parent and the same cause.
  private func joinRuns(of losses: inout LossNotes) {
    losses.joinRuns { first, last, next in
      first > 0 && entries[first].place == .nowhere && entries[next].place == .nowhere
        && entries[first].knownParent == entries[next].knownParent && last + 1 == next
    }
  }

  // MARK: Children

  /// Returns the records of a node's children, in saved order.
  func children(of index: Int) -> [Int] {
    var children: [Int] = []
    var next = Int(lastChildren[index])
    while next >= 0 {
      children.append(next)
      next = Int(previousSiblings[next])
    }
    children.sort { (savedOrder(of: $0), $0) < (savedOrder(of: $1), $1) }
    return children
  }

  private func savedOrder(of index: Int) -> UInt32 { record(index)?.savedOrder ?? 0 }

  /// The records whose nodes go into the lost-and-found node.
  var strays: [Int] {
    entries.indices.filter { entries[$0].place == .unnamed || entries[$0].place == .unplaced }
  }
}

extension RecordSurvey {
  /// Returns the identifier of a record's node; nil if it is unknown.
  func identifier(of index: Int) -> String? {
    let storage = opening.bytes
    return entries[index].identifierRange.flatMap { storage.span.extracting($0).makeString() }
  }

  /// Returns the name of a record's node in the salvaged archive.
  func name(of index: Int) -> String {
    identifier(of: index) ?? LostAndFound.name(ofRecord: index)
  }

  /// Returns the path of a record's node in the salvaged archive; nil if the node is not there.
  func path(of index: Int) -> RestorationPath? {
    guard entries.indices.contains(index) else { return nil }
    var components: [String] = []
    var next = index
    while next > 0 {
      let place = entries[next].place
      if place == .nowhere { return nil }
      components.append(name(of: next))
      if case .child(let parent) = place {
        next = Int(parent)
        continue
      }
      if place == .unplaced { components.append(LostAndFound.name(ofParentOf: next)) }
      components.append(lostAndFoundIdentifier)
      break
    }
    return RestorationPath(validated: components.reversed())
  }

  /// Returns the path of a lost record's parent in the salvaged archive, if known.
  func pathOfParent(of index: Int) -> RestorationPath? {
    guard entries.indices.contains(index), entries[index].knownParent >= 0 else { return nil }
    return path(of: Int(entries[index].knownParent))
  }
}
