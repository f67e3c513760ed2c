import ArchiveFormat

/// Reads the node records that are left of a damaged archive: which can be believed, and who is whose parent (Spec §7.6).
///
/// It keeps 40 bytes for each record of 48; identifiers and paths, which can be thousands of times as long, are made when they are asked
/// for.
struct RecordSurvey: Sendable {
  /// Where a node goes.
  enum Place: Equatable {
    /// Nowhere: its record is lost, and no node lay below it.
    case nowhere
    /// Below its parent, whose record has this number.
    case child(of: Int32)
    /// Into the lost-and-found node, under its number: its name is lost, or its whole record.
    case unnamed
    /// Into the lost-and-found node, under a parent of its own that stands for the one it had.
    case unplaced
  }

  /// What is known about a record.
  struct Entry {
    /// Where the identifier begins in the file.
    fileprivate var identifierStart = 0
    /// The length of the identifier in bytes; 0 if it is not known.
    fileprivate var identifierLength: UInt16 = 0
    /// How many components its path will have.
    fileprivate var depth: Int16 = 0
    /// Whether the record can be believed.
    fileprivate(set) var hasRecord = false
    /// Where it goes.
    fileprivate(set) var place = Place.nowhere
    /// For a lost record: that of a node that has it among its children; -1 if there is none.
    fileprivate(set) var claimant: Int32 = -1

    /// Where the identifier is in the file; nil if it is not known.
    var identifierRange: Range<Int>? {
      identifierLength == 0 ? nil : identifierStart..<(identifierStart + Int(identifierLength))
    }
  }

  let opening: SalvageOpening
  /// By number: the records that the file is long enough for.
  private(set) var entries: [Entry]
  /// The identifier of the lost-and-found node, if one is needed.
  private(set) var lostAndFoundIdentifier = LostAndFound.identifier
  /// By parent with siblings that are not in ascending order: the identifiers that were met.
  private var siblings: [Int: Set<[UInt8]>] = [:]
  /// By parent: the child that was placed last.
  private var lastChildren: [Int32]
  /// By parent with disordered siblings: all children so far are looked up from here back.
  private var previousSiblings: [Int32]

  private var metadata: ArchiveMetadata { opening.metadata }

  /// Reads all records, and notes what went wrong with them in ascending order.
  init(_ opening: SalvageOpening, noting losses: inout LossNotes) {
    self.opening = opening
    let available = max(opening.bytes.count - opening.layout.body.lowerBound - opening.metadata.nodes.lowerBound, 0)
    let count = min(opening.metadata.recordCount, available / NodeRecord.byteCount)
    entries = [Entry](repeating: Entry(), count: count)
    lastChildren = [Int32](repeating: -1, count: count)
    previousSiblings = [Int32](repeating: -1, count: count)
    // A parent comes before its children.
    for index in entries.indices { place(index, cause: read(index), noting: &losses) }
    findClaimants()
    siblings = [:]
    joinRuns(of: &losses)
    if count < metadata.recordCount {
      let cause = damageError(bodyRange(of: count)) ?? FormatError(.truncated, at: opening.bytes.count)
      losses.append(.nodes, count..<metadata.recordCount, cause: cause)
    }
    if !entries.isEmpty {
      lostAndFoundIdentifier = LostAndFound.identifier(besides: children(of: 0).lazy.compactMap { [self] in identifier(of: $0) })
    }
  }

  // MARK: Reading

  /// Where a record lies, from the start of the body.
  private func bodyRange(of index: Int) -> Range<Int> {
    let start = metadata.nodes.lowerBound + index * NodeRecord.byteCount
    return start..<(start + NodeRecord.byteCount)
  }

  /// Where a record begins in the file.
  private func start(of index: Int) -> Int {
    bodyRange(of: index).lowerBound + opening.layout.body.lowerBound
  }

  /// A record; nil if it is lost.
  func record(_ index: Int) -> NodeRecord? {
    entries[index].hasRecord ? readRecord(index) : nil
  }

  private func readRecord(_ index: Int) -> NodeRecord {
    let storage = opening.bytes
    return NodeRecord(reading: storage.span, at: start(of: index))
  }

  /// The error about the damage that `range` of the body has a part in.
  func damageError(_ range: Range<Int>) -> FormatError? {
    guard let damaged = opening.damage.firstDamage(in: range) else { return nil }
    let isThere = damaged.lowerBound < opening.bytes.count
    return FormatError(isThere ? .blockDamaged : .truncated, at: isThere ? damaged.lowerBound : opening.bytes.count)
  }

  /// Reads a record and returns why it, or its identifier, is lost.
  private mutating func read(_ index: Int) -> FormatError? {
    if let error = damageError(bodyRange(of: index)) { return error }
    let start = start(of: index)
    let record = readRecord(index)
    do throws(FormatError) {
      try NodeRules.checkTables(record, types: metadata.types.count, origins: metadata.origins.count, offset: start)
      try NodeRules.checkState(record, length: metadata.states.count, offset: start)
      guard record.children(index: index, count: metadata.recordCount) != nil else {
        throw FormatError(.childRange, at: start + NodeRecord.FieldOffset.firstChild)
      }
      // The application has neither provider nor attributes to keep them in.
      if index == 0, record.flags != 0 { throw FormatError(.rootRecord, at: start + NodeRecord.FieldOffset.flags) }
    } catch {
      return error
    }
    entries[index].hasRecord = true
    if index == 0 { return nil }
    do throws(FormatError) {
      let range = try identifierRange(at: start + NodeRecord.FieldOffset.identifier)
      entries[index].identifierStart = range.lowerBound
      entries[index].identifierLength = UInt16(range.count)
    } catch {
      return error
    }
    return nil
  }

  /// Where the identifier lies in the file of which the field begins at `start`.
  private func identifierRange(at start: Int) throws(FormatError) -> Range<Int> {
    let storage = opening.bytes
    let bytes = storage.span
    let field = try IdentifierField(reading: bytes, at: start, fileOffset: 0)
    try field.checkRange(length: metadata.strings.count, at: start, fileOffset: 0)
    var range = field.inRecord
    if let inStrings = field.inStrings {
      let first = metadata.strings.lowerBound
      let place = (first + inStrings.lowerBound)..<(first + inStrings.upperBound)
      if let error = damageError(place) { throw error }
      let base = opening.layout.body.lowerBound
      range = (base + place.lowerBound)..<(base + place.upperBound)
      guard bytes.extracting(range.prefix(IdentifierField.prefixLength)).isEqual(to: bytes.extracting(field.inRecord)) else {
        throw FormatError(.identifierForm, at: start + IdentifierField.FieldOffset.bytes)
      }
    }
    guard bytes.extracting(range).firstIllFormedUTF8() == nil else { throw FormatError(.invalidUTF8, at: range.lowerBound) }
    return range
  }

  /// Notes for each lost record which node has it among its children; others say themselves who their parent is.
  ///
  /// Ranges of children ascend; one that goes back is passed over, which keeps this linear.
  private mutating func findClaimants() {
    var next = 1
    for index in entries.indices {
      guard let children = record(index)?.children(index: index, count: metadata.recordCount), children.lowerBound >= next else {
        continue
      }
      for child in children.clamped(to: 0..<entries.count) where !entries[child].hasRecord { entries[child].claimant = Int32(index) }
      next = children.upperBound
    }
  }

  // MARK: Placing

  /// Says where a record goes; its parent and the siblings before it have been placed.
  private mutating func place(_ index: Int, cause: FormatError?, noting losses: inout LossNotes) {
    guard entries[index].hasRecord, let identifier = entries[index].identifierRange else {
      if index == 0, entries[0].hasRecord { return }
      placeUnnamed(index, cause ?? FormatError(.blockDamaged, at: nil), noting: &losses)
      return
    }
    let parent = Int(readRecord(index).parent)
    do throws(FormatError) {
      try checkParent(parent, of: index)
      try checkSiblings(identifier, under: parent, of: index)
    } catch {
      entries[index].place = .unplaced
      entries[index].depth = 3
      losses.append(.place, index..<(index + 1), cause: error)
      return
    }
    // Only now that something lies below it is a lost parent worth a place.
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

  /// A parent comes before its children, and has them in its range if its record is there to say so (R-6.4-4).
  private func checkParent(_ parent: Int, of index: Int) throws(FormatError) {
    let offset = start(of: index) + NodeRecord.FieldOffset.parent
    guard parent < index else { throw FormatError(.parentMismatch, at: offset) }
    if let record = record(parent), record.children(index: parent, count: metadata.recordCount)?.contains(index) != true {
      throw FormatError(.parentMismatch, at: offset)
    }
    // A lost parent will stand in the second level.
    let depth = !entries[parent].hasRecord && parent > 0 ? 2 : Int(entries[parent].depth)
    guard depth < FormatLimits.pathComponents else { throw FormatError(.pathDepth, at: offset, rule: "R-6.4-10") }
  }

  /// No two siblings have the same identifier (R-3.1-3).
  ///
  /// Where they ascend, as they should, comparing neighbours is enough.
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
      throw FormatError(.duplicateIdentifier, at: start(of: index) + NodeRecord.FieldOffset.identifier)
    }
  }

  /// Counts a lost node to the loss of the one before it, if they had the same parent and the same thing happened to them.
  private func joinRuns(of losses: inout LossNotes) {
    losses.joinRuns { first, last, next in
      first > 0 && entries[first].place == .nowhere && entries[next].place == .nowhere
        && entries[first].claimant == entries[next].claimant && last + 1 == next
    }
  }

  // MARK: Children

  /// The records of the nodes below a record, in saved order.
  func children(of index: Int) -> [Int] {
    var children: [(order: UInt32, index: Int)] = []
    var next = Int(lastChildren[index])
    while next >= 0 {
      children.append((record(next)?.savedOrder ?? 0, next))
      next = Int(previousSiblings[next])
    }
    children.sort { $0 < $1 }
    return children.map(\.index)
  }

  /// The records that go into the lost-and-found node.
  var strays: [Int] {
    entries.indices.filter { entries[$0].place == .unnamed || entries[$0].place == .unplaced }
  }
}
