import ArchiveFormat

/// Reads the node records that are left of a damaged archive: which can be believed, and who is whose parent (Spec §7.6).
final class RecordSurvey {
  /// Where a node goes.
  enum Place: Equatable {
    /// Nowhere: its record is lost, and no node lay below it.
    case nowhere
    /// Below its parent, whose record has this number.
    case child(of: Int)
    /// Into the lost-and-found node, under its number: its name is lost, or its whole record.
    case unnamed
    /// Into the lost-and-found node, under a parent of its own that stands for the one it had.
    case unplaced
  }

  /// What is known about a record.
  struct Entry {
    /// The fields; nil if the record is lost.
    var record: NodeRecord?
    /// The identifier; nil if it is not known.
    var identifier: String?
    /// Where it goes.
    var place = Place.nowhere
    /// How many components its path will have.
    var depth = 0
    /// For a lost record: that of a node that has it among its children.
    var claimant: Int?
  }

  let opening: SalvageOpening
  /// By number: the records that the file is long enough for.
  private(set) var entries: [Entry]
  /// What went wrong with records, in ascending order; paths are not filled in.
  private(set) var losses: [SalvageLoss] = []
  /// By parent with siblings that are not in ascending order: the identifiers that were met.
  private var siblings: [Int: Set<[UInt8]>] = [:]
  /// By parent: the child that was placed last.
  private var lastChildren: [Int]
  /// By parent with disordered siblings: all children so far are looked up from here back.
  private var previousSiblings: [Int]

  private var metadata: ArchiveMetadata { opening.metadata }

  init(_ opening: SalvageOpening) {
    self.opening = opening
    let available = max(opening.bytes.count - opening.layout.body.lowerBound - opening.metadata.nodes.lowerBound, 0)
    let count = min(opening.metadata.recordCount, available / NodeRecord.byteCount)
    entries = [Entry](repeating: Entry(), count: count)
    lastChildren = [Int](repeating: -1, count: count)
    previousSiblings = [Int](repeating: -1, count: count)
    var causes = [FormatError?](repeating: nil, count: count)
    for index in entries.indices { causes[index] = read(index) }
    findClaimants()
    for index in entries.indices { place(index, cause: causes[index]) }
    if count < metadata.recordCount {
      losses.append(
        SalvageLoss(
          kind: .nodes, records: count..<metadata.recordCount,
          cause: ArchiveError(damageError(bodyRange(of: count)) ?? FormatError(.truncated, at: opening.bytes.count))))
    }
  }

  // MARK: Reading

  /// Where a record lies, from the start of the body.
  private func bodyRange(of index: Int) -> Range<Int> {
    let start = metadata.nodes.lowerBound + index * NodeRecord.byteCount
    return start..<(start + NodeRecord.byteCount)
  }

  /// The error about the damage that `range` of the body has a part in.
  func damageError(_ range: Range<Int>) -> FormatError? {
    guard let damaged = opening.damage.firstDamage(in: range) else { return nil }
    let isThere = damaged.lowerBound < opening.bytes.count
    return FormatError(isThere ? .blockDamaged : .truncated, at: isThere ? damaged.lowerBound : opening.bytes.count)
  }

  /// Reads a record and returns why it, or its identifier, is lost.
  private func read(_ index: Int) -> FormatError? {
    let place = bodyRange(of: index)
    if let error = damageError(place) { return error }
    let start = place.lowerBound + opening.layout.body.lowerBound
    let storage = opening.bytes
    let record = NodeRecord(reading: storage.span, at: start)
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
    entries[index].record = record
    if index == 0 { return nil }
    do throws(FormatError) {
      entries[index].identifier = try identifier(at: start + NodeRecord.FieldOffset.identifier)
    } catch {
      return error
    }
    return nil
  }

  /// The identifier of the record whose field begins at `start` of the file.
  private func identifier(at start: Int) throws(FormatError) -> String {
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
    guard let text = bytes.extracting(range).makeString() else { throw FormatError(.invalidUTF8, at: range.lowerBound) }
    return text
  }

  /// Notes for each lost record which node has it among its children; others say themselves who their parent is.
  ///
  /// Ranges of children ascend; one that goes back is passed over, which keeps this linear.
  private func findClaimants() {
    var next = 1
    for index in entries.indices {
      guard let children = entries[index].record?.children(index: index, count: metadata.recordCount), children.lowerBound >= next else {
        continue
      }
      for child in children.clamped(to: 0..<entries.count) where entries[child].record == nil { entries[child].claimant = index }
      next = children.upperBound
    }
  }

  // MARK: Placing

  /// Says where a record goes; those of its parent and of the siblings before it have been placed.
  private func place(_ index: Int, cause: FormatError?) {
    guard let record = entries[index].record, let identifier = entries[index].identifier else {
      if index == 0, entries[0].record != nil { return }
      placeUnnamed(index, cause ?? FormatError(.blockDamaged, at: nil))
      return
    }
    let parent = Int(record.parent)
    do throws(FormatError) {
      try checkParent(parent, of: index)
      try checkSiblings(identifier, under: parent, of: index)
    } catch {
      entries[index].place = .unplaced
      entries[index].depth = 3
      losses.append(SalvageLoss(kind: .place, records: index..<(index + 1), cause: ArchiveError(error)))
      return
    }
    // Only now that something lies below it is a lost parent worth a place.
    if parent > 0, entries[parent].record == nil, entries[parent].place == .nowhere {
      entries[parent].place = .unnamed
      entries[parent].depth = 2
    }
    entries[index].place = .child(of: parent)
    entries[index].depth = entries[parent].depth + 1
    previousSiblings[index] = lastChildren[parent]
    lastChildren[parent] = index
  }

  private func placeUnnamed(_ index: Int, _ cause: FormatError) {
    if entries[index].record != nil {
      entries[index].place = .unnamed
      entries[index].depth = 2
    }
    let kind: SalvageLoss.Kind = entries[index].record == nil ? .nodes : .identifier
    losses.append(SalvageLoss(kind: kind, records: index..<(index + 1), cause: ArchiveError(cause)))
  }

  /// A parent comes before its children, and has them in its range if its record is there to say so (R-6.4-4).
  private func checkParent(_ parent: Int, of index: Int) throws(FormatError) {
    let offset = bodyRange(of: index).lowerBound + opening.layout.body.lowerBound + NodeRecord.FieldOffset.parent
    guard parent < index else { throw FormatError(.parentMismatch, at: offset) }
    if let record = entries[parent].record, record.children(index: parent, count: metadata.recordCount)?.contains(index) != true {
      throw FormatError(.parentMismatch, at: offset)
    }
    // A lost parent will stand in the second level.
    let depth = entries[parent].record == nil && parent > 0 ? 2 : entries[parent].depth
    guard depth < FormatLimits.pathComponents else { throw FormatError(.pathDepth, at: offset, rule: "R-6.4-10") }
  }

  /// No two siblings have the same identifier (R-3.1-3).
  ///
  /// Where they ascend, as they should, comparing neighbours is enough.
  private func checkSiblings(_ identifier: String, under parent: Int, of index: Int) throws(FormatError) {
    let last = lastChildren[parent]
    if last < 0 { return }
    if siblings[parent] == nil {
      if let previous = entries[last].identifier, previous.compareText(with: identifier) < 0 { return }
      var met: Set<[UInt8]> = []
      var next = last
      while next >= 0 {
        if let identifier = entries[next].identifier { met.insert([UInt8](identifier.utf8)) }
        next = previousSiblings[next]
      }
      siblings[parent] = met
    }
    if siblings[parent]?.insert([UInt8](identifier.utf8)).inserted == false {
      throw FormatError(
        .duplicateIdentifier, at: bodyRange(of: index).lowerBound + opening.layout.body.lowerBound + NodeRecord.FieldOffset.identifier)
    }
  }

  // MARK: Children

  /// The records of the nodes below a record, in saved order.
  func children(of index: Int) -> [Int] {
    var children: [Int] = []
    var next = lastChildren[index]
    while next >= 0 {
      children.append(next)
      next = previousSiblings[next]
    }
    children.sort { left, right in
      let (first, second) = (entries[left].record?.savedOrder ?? 0, entries[right].record?.savedOrder ?? 0)
      return (first, left) < (second, right)
    }
    return children
  }

  /// The records that go into the lost-and-found node.
  var strays: [Int] {
    entries.indices.filter { entries[$0].place == .unnamed || entries[$0].place == .unplaced }
  }
}
