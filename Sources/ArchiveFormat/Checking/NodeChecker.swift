import Storage

/// Checks every node record against the others, and every state record (D1 to D14 and E1 to E16 of Spec §7.2).
///
/// The type is noncopyable to prevent accidental copies: its tables have a single owner.
struct NodeChecker: ~Copyable {
  typealias Field = NodeRecord.FieldOffset

  /// The records.
  let records: NodeRecords
  private let typeCount: Int
  private let originCount: Int
  private let count: Int
  /// The range of the state records in the file.
  private let states: Range<Int>
  private(set) var findings: [RecordFinding] = []
  /// The code of the finding that is being recreated, if any.
  ///
  /// While it is set, it replaces the tables that only a pass over all records fills.
  private var explainedCode: FormatErrorCode?
  /// For each record, whether it was skipped or has a finding.
  ///
  /// The state of such a record is skipped too.
  private var isUnusable: ScratchArray<Bool>
  private var depths: ScratchArray<Int32>
  /// For each saved order, the index plus one of the record that last had it.
  ///
  /// Within a run of siblings, only entries after the run's first record count.
  private var savedOrderOwners: ScratchArray<UInt32>
  /// The run of siblings that contains the record read last.
  private var siblings = Siblings(start: 0, depth: 0)
  /// The range of that record's identifier, if readable.
  private var identifier: Range<Int>?
  /// The expected first child of the next record, or nil if the previous record was skipped.
  private var nextChild: UInt64? = 1
  /// The order of the state records, available if all node records are intact and valid.
  private(set) var stateOrder: StateRecordOrder?
  /// For each number in the tables of types and origins, whether a record refers to it.
  private var usedTypes: ScratchArray<Bool>
  private var usedOrigins: ScratchArray<Bool>
  /// The ranges in `STAT` of the state records read so far, or nil if the order of the records shows that no two overlap.
  private var readStates: DisjointRanges?
  private var contents: StateChecker

  /// Creates a checker; one that only recreates the findings of another, in full, has no tables.
  init(_ place: RecordFindings.Place, onlyExplains: Bool = false) {
    let tableCount = onlyExplains ? 0 : place.metadata.recordCount
    typeCount = place.metadata.types.count
    originCount = place.metadata.origins.count
    records = NodeRecords(bytes: place.bytes, layout: place.layout, metadata: place.metadata, damage: place.damage)
    count = records.count
    states = place.layout.fileRange(of: place.metadata.states)
    isUnusable = ScratchArray(repeating: false, count: tableCount)
    depths = ScratchArray(repeating: 1, count: tableCount)
    savedOrderOwners = ScratchArray(repeating: 0, count: tableCount)
    usedTypes = ScratchArray(repeating: false, count: tableCount == 0 ? 0 : typeCount + 1)
    usedOrigins = ScratchArray(repeating: false, count: tableCount == 0 ? 0 : originCount + 1)
    contents = StateChecker(keys: place.metadata.keys, isStrict: place.minorVersion <= ArchivePrefix.minorVersion)
  }

  /// Recreates a finding in full, by checking its record again.
  mutating func explain(_ finding: RecordFinding) -> Finding {
    explainedCode = finding.code
    let records = records
    let bytes = records.bytes.span
    let index = Int(finding.node)
    let found = finding.isInState ? stateFinding(of: index, bytes) : recordFinding(of: index, bytes)
    return found ?? Finding(FormatError(finding.code, at: offset(of: index)), node: index)
  }

  mutating func check() {
    let records = records
    let bytes = records.bytes.span
    let progress = WorkProgress.begin(2 * count)
    defer { progress?.end() }
    for index in 0..<count {
      if index % 1024 == 0 { progress?.advance(to: index) }
      checkRecord(index, bytes)
    }
    if findings.isEmpty, records.damage.isEmpty { stateOrder = StateRecordOrder(records) }
    if stateOrder == nil || stateOrder?.finding != nil { readStates = DisjointRanges(count: states.count) }
    for index in 0..<count where !isUnusable[index] {
      if index % 1024 == 0 { progress?.advance(to: count + index) }
      checkState(of: index, bytes)
    }
  }

  /// The first key of the table that no entry uses, or nil if all keys are used or if not every entry was read.
  var unusedKey: Int? { findings.isEmpty ? contents.unusedKey : nil }

  /// The first type that no record uses.
  var unusedType: Int? { (0..<typeCount).first { !usedTypes[$0 + 1] } }

  /// The first origin that no record uses.
  var unusedOrigin: Int? { (0..<originCount).first { !usedOrigins[$0 + 1] } }

  /// Returns the offset of a record in the file.
  private func offset(of index: Int) -> Int {
    records.offset(of: index)
  }

  // MARK: Records

  @inline(__always)
  private func isIntact(_ index: Int) -> Bool {
    records.isIntact(records.range(of: index))
  }

  private mutating func checkRecord(_ index: Int, _ bytes: Span<UInt8>) {
    guard isIntact(index) else {
      isUnusable[index] = true
      nextChild = nil
      return
    }
    let record = NodeRecord(reading: bytes, at: offset(of: index))
    do throws(FormatError) {
      try checkFields(of: record, index, bytes)
    } catch {
      findings.append(RecordFinding(node: UInt32(index), code: error.code, isInState: false))
      isUnusable[index] = true
      // Read despite the error, because the next sibling is compared with it.
      if index > 0, identifier == nil { identifier = try? readIdentifier(of: index, bytes) }
    }
    if Int(record.type) < usedTypes.count { usedTypes[Int(record.type)] = true }
    if Int(record.origin) < usedOrigins.count { usedOrigins[Int(record.origin)] = true }
    depths[index] = siblings.depth
    let order = Int(clamping: record.savedOrder)
    if index > 0, order < count { savedOrderOwners[order] = UInt32(index + 1) }
    nextChild = UInt64(record.firstChild) + UInt64(record.childCount)
  }

  /// Updates `siblings` for a record.
  ///
  /// The siblings of the previous record are kept if that record was read and has the same parent.
  @inline(__always)
  private mutating func updateSiblings(of record: NodeRecord, _ index: Int, _ bytes: Span<UInt8>) {
    if index == 0 { return }
    if index > 1, nextChild != nil, siblings.parent == record.parent {
      if siblings.children == nil { siblings = findSiblings(of: record, index, bytes, start: siblings.start) }
    } else {
      siblings = findSiblings(of: record, index, bytes, start: index)
    }
  }

  @inline(__always)
  private func findSiblings(of record: NodeRecord, _ index: Int, _ bytes: Span<UInt8>, start: Int) -> Siblings {
    let parent = Int(clamping: record.parent)
    var siblings = Siblings(parent: record.parent, start: start)
    guard parent < index, isIntact(parent) else { return siblings }
    let first = bytes.uint32(at: offset(of: parent) &+ Field.firstChild)
    let childCount = bytes.uint32(at: offset(of: parent) &+ Field.childCount)
    siblings.children = UInt64(first)..<(UInt64(first) + UInt64(childCount))
    if explainedCode == nil { siblings.depth = depths[parent] &+ 1 }
    return siblings
  }

  /// Performs checks D1 to D14.
  ///
  /// Every function called from here must be inlined, static or mutating: for any other, the compiler moves the whole
  /// checker to a temporary.
  private mutating func checkFields(of record: NodeRecord, _ index: Int, _ bytes: Span<UInt8>) throws(FormatError) {
    let previousIdentifier = identifier
    identifier = nil
    updateSiblings(of: record, index, bytes)
    if index == 0 { try NodeRules.checkRoot(bytes, at: offset(of: 0), offset: offset(of: 0)) }
    try checkChildren(record, index)
    if index > 0 { try checkParent(record, index) }
    try NodeRules.checkTables(record, types: typeCount, origins: originCount, offset: offset(of: index))
    try NodeRules.checkState(record, length: states.count, offset: offset(of: index))
    if index == 0 { return }
    identifier = try readIdentifier(of: index, bytes)
    if siblings.start < index, let previousIdentifier, let identifier { try checkOrder(previousIdentifier, identifier, index, bytes) }
  }

  private mutating func recordFinding(of index: Int, _ bytes: Span<UInt8>) -> Finding? {
    nextChild = index == 0 ? 1 : nil
    if index > 0, isIntact(index - 1) {
      let previous = records.record(at: index - 1)
      siblings = Siblings(parent: previous.parent, start: index - 1)
      nextChild = UInt64(previous.firstChild) + UInt64(previous.childCount)
      identifier = try? readIdentifier(of: index - 1, bytes)
    }
    do throws(FormatError) {
      try checkFields(of: records.record(at: index), index, bytes)
      return nil
    } catch {
      return Finding(error, node: index)
    }
  }

  /// Whether the depth of the siblings is within the limit.
  @inline(__always)
  private var haveSiblingsRoom: Bool {
    if let explainedCode { return explainedCode != .pathDepth }
    return siblings.depth <= FormatLimits.pathComponents
  }

  /// Whether no earlier sibling has this saved order.
  @inline(__always)
  private func isFree(_ order: Int) -> Bool {
    if let explainedCode { return explainedCode != .savedOrder }
    return savedOrderOwners[order] <= UInt32(siblings.start)
  }

  /// Performs checks D2 and D3.
  @inline(__always)
  private func checkChildren(_ record: NodeRecord, _ index: Int) throws(FormatError) {
    let first = UInt64(record.firstChild)
    let last = first + UInt64(record.childCount)
    guard first > UInt64(index), nextChild ?? first == first else {
      throw FormatError(
        .childRange, at: offset(of: index) + Field.firstChild, "first child",
        expected: nextChild.map { .number($0) } ?? .text("more than \(index)"), found: .number(first), rule: "R-6.4-2")
    }
    guard last <= UInt64(count) else {
      throw FormatError(
        .childRange, at: offset(of: index) + Field.childCount, "last child", expected: "before record \(count)", found: .number(last),
        rule: "R-6.4-3")
    }
  }

  /// Performs checks D4 to D6.
  @inline(__always)
  private func checkParent(_ record: NodeRecord, _ index: Int) throws(FormatError) {
    guard let children = siblings.children else {
      if Int(clamping: record.parent) < index { return }
      throw NodeRules.parentMismatch(record, at: offset(of: index), expected: .text("less than \(index)"))
    }
    guard children.contains(UInt64(index)) else {
      throw NodeRules.parentMismatch(record, at: offset(of: index), expected: .text("the record that lists this child"))
    }
    guard haveSiblingsRoom else {
      throw FormatError(
        .pathDepth, at: offset(of: index) + Field.parent, "depth", expected: "at most \(FormatLimits.pathComponents)", rule: "R-6.4-10")
    }
    let order = Int(clamping: record.savedOrder)
    let limit = Int(clamping: min(children.upperBound - children.lowerBound, UInt64(count)))
    guard order < limit, isFree(order) else {
      throw FormatError(
        .savedOrder, at: offset(of: index) + Field.savedOrder, "saved order", expected: "each number below \(limit) once",
        found: .number(order))
    }
  }

  /// Performs checks D10 to D13.
  ///
  /// Returns nil if the bytes of a long identifier are not intact.
  @inline(__always)
  private func readIdentifier(of index: Int, _ bytes: Span<UInt8>) throws(FormatError) -> Range<Int>? {
    let range = try records.identifier(of: index, in: bytes)
    guard records.isIntact(range) else { return nil }
    try ByteCursor(range, fileOffset: 0).validateText(in: bytes, at: range, "identifier")
    try records.checkBeginning(of: range, of: index, in: bytes)
    return range
  }

  /// Performs check D14.
  @inline(__always)
  private func checkOrder(
    _ previous: Range<Int>, _ identifier: Range<Int>, _ index: Int, _ bytes: Span<UInt8>
  ) throws(FormatError) {
    // The first eight bytes decide most comparisons. In the record, zeros follow a shorter identifier (R-6.5-1, checked
    // before), and zeros sort first.
    if bytes.uint64(at: previous.lowerBound).byteSwapped < bytes.uint64(at: identifier.lowerBound).byteSwapped { return }
    let order = bytes.extracting(previous).compare(with: bytes.extracting(identifier))
    if order < 0 { return }
    let place = offset(of: index) + Field.identifier
    if order == 0 { throw FormatError(.duplicateIdentifier, at: place, "identifiers of siblings", expected: "each once") }
    throw FormatError(.siblingOrder, at: place, "identifier", expected: "one after that of the sibling before it")
  }

  // MARK: State

  private mutating func checkState(of index: Int, _ bytes: Span<UInt8>) {
    let record = NodeRecord(reading: bytes, at: offset(of: index))
    guard record.hasStateRecord else { return }
    let start = states.lowerBound + Int(record.stateOffset)
    let range = start..<(start + Int(record.stateLength))
    guard records.isIntact(range) else { return }
    let place = Int(record.stateOffset)
    if readStates?.insert(place..<(place + range.count)) == false {
      findings.append(RecordFinding(node: UInt32(index), code: .stateOrder, isInState: true))
      return
    }
    do throws(FormatError) {
      try contents.check(ByteCursor(range, fileOffset: 0), bytes, flags: record.flags)
    } catch {
      findings.append(RecordFinding(node: UInt32(index), code: error.code, isInState: true))
    }
  }

  private mutating func stateFinding(of index: Int, _ bytes: Span<UInt8>) -> Finding? {
    if explainedCode == .stateOrder {
      return Finding(
        .stateOrder, at: offset(of: index) + Field.stateOffset, "state record", expected: "bytes of its own",
        found: "bytes of another state record", node: index)
    }
    let record = records.record(at: index)
    let start = states.lowerBound + Int(record.stateOffset)
    do throws(FormatError) {
      try contents.check(ByteCursor(start..<(start + Int(record.stateLength)), fileOffset: 0), bytes, flags: record.flags)
      return nil
    } catch {
      return Finding(error, node: index, key: contents.outermostKey(in: bytes))
    }
  }
}

/// A run of records with the same parent, as the checker meets them.
struct Siblings {
  /// The index of the parent record, as stated by the siblings.
  var parent: UInt32 = 0
  /// The index of the first sibling.
  let start: Int
  /// The range of children that the parent states, or nil if the parent does not precede the siblings or is damaged.
  var children: Range<UInt64>?
  /// The number of identifiers in the siblings' paths, as far as known.
  var depth: Int32 = 1
}
