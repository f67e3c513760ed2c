/// Checks every node record against the others and every state record (D1 to D14 and E1 to E16 of Spec §7.2).
struct NodeChecker {
  typealias Field = NodeRecord.FieldOffset

  let bytes: [UInt8]
  let layout: FileLayout
  let metadata: ArchiveMetadata
  private let damage: BlockDamage
  private let minorVersion: UInt16
  private let count: Int
  private(set) var findings: [RecordFinding] = []
  /// While a finding is made again in full: its code, which answers what only a walk over all records would know.
  private var explainedCode: FormatErrorCode?
  /// By record: whether it was passed over or has a finding, so that its state is passed over too.
  private var isUnusable: [Bool]
  private var depths: [Int32]
  /// By saved order: the record, plus one, that was last seen with it; within a run, those at or behind its first record count.
  private var savedOrderOwners: [UInt32]
  /// The first record of the present run.
  private var runStart = 0
  /// The record before, if it was not passed over.
  private var previous: (record: NodeRecord, identifier: Identifier?)?
  /// The state records that were read, as places in `STAT`.
  private var readStates: DisjointRanges
  /// The keys of the table that were used.
  private(set) var usedKeys: [Bool]

  /// Where the bytes of a well-formed identifier are in the file.
  struct Identifier {
    let range: Range<Int>
  }

  init(bytes: [UInt8], layout: FileLayout, metadata: ArchiveMetadata, damage: BlockDamage, minorVersion: UInt16) {
    self.bytes = bytes
    self.layout = layout
    self.metadata = metadata
    self.damage = damage
    self.minorVersion = minorVersion
    count = metadata.recordCount
    isUnusable = [Bool](repeating: false, count: count)
    depths = [Int32](repeating: 1, count: count)
    savedOrderOwners = [UInt32](repeating: 0, count: count)
    readStates = DisjointRanges(count: metadata.states.count)
    usedKeys = [Bool](repeating: false, count: metadata.keys.count)
  }

  /// A checker that only makes findings of another one again, in full.
  init(explaining place: RecordFindings.Place) {
    bytes = place.bytes
    layout = place.layout
    metadata = place.metadata
    damage = place.damage
    minorVersion = place.minorVersion
    count = place.metadata.recordCount
    (isUnusable, depths, savedOrderOwners) = ([], [], [])
    readStates = DisjointRanges(count: 0)
    usedKeys = [Bool](repeating: false, count: place.metadata.keys.count)
  }

  /// Makes a finding again in full, by checking that record once more.
  mutating func explain(_ finding: RecordFinding) -> Finding {
    explainedCode = finding.code
    let index = Int(finding.node)
    let found = finding.isInState ? stateFinding(of: index) : recordFinding(of: index)
    return found ?? Finding(FormatError(finding.code, at: offset(of: index)), node: index)
  }

  private mutating func recordFinding(of index: Int) -> Finding? {
    if index > 0, isIntact(index - 1) { previous = (record(at: index - 1), try? identifier(of: index - 1).get()) }
    do throws(FormatError) {
      try checkFields(of: record(at: index), index, identifier: identifier(of: index))
      return nil
    } catch {
      return Finding(error, node: index)
    }
  }

  mutating func check() {
    for index in 0..<count { checkRecord(index) }
    for index in 0..<count where !isUnusable[index] { checkState(of: index) }
  }

  // MARK: Records

  /// The offset of a record in the file.
  func offset(of index: Int) -> Int {
    layout.body.lowerBound + metadata.nodes.lowerBound + index * NodeRecord.byteCount
  }

  /// The fields of a record as they are.
  func record(at index: Int) -> NodeRecord {
    NodeRecord(reading: bytes.span, at: offset(of: index))
  }

  private func isIntact(_ index: Int) -> Bool {
    let start = metadata.nodes.lowerBound + index * NodeRecord.byteCount
    return damage.isIntact(start..<(start + NodeRecord.byteCount))
  }

  private mutating func checkRecord(_ index: Int) {
    guard isIntact(index) else {
      isUnusable[index] = true
      previous = nil
      return
    }
    let record = record(at: index)
    if index <= 1 || previous?.record.parent != record.parent { runStart = index }
    let identifier = identifier(of: index)
    do throws(FormatError) {
      try checkFields(of: record, index, identifier: identifier)
    } catch {
      findings.append(RecordFinding(node: UInt32(index), code: error.code, isInState: false))
      isUnusable[index] = true
    }
    if index > 0 {
      if Int(record.savedOrder) < count { savedOrderOwners[Int(record.savedOrder)] = UInt32(index + 1) }
      if Int(record.parent) < index, isIntact(Int(record.parent)) { depths[index] = depths[Int(record.parent)] &+ 1 }
    } else {
      depths[0] = 0
    }
    previous = (record, try? identifier.get())
  }

  /// The identifier of a record, nil if its bytes are not intact, or what is wrong with it.
  private func identifier(of index: Int) -> Result<Identifier?, FormatError> {
    Result { () throws(FormatError) in index > 0 ? try readIdentifier(of: index) : nil }
  }

  /// D1 to D14.
  private func checkFields(
    of record: NodeRecord, _ index: Int, identifier: Result<Identifier?, FormatError>
  ) throws(FormatError) {
    if index == 0 { try checkRoot() }
    try checkChildren(record, index)
    if index > 0 { try checkParent(record, index) }
    try NodeRules.checkTables(record, types: metadata.types.count, origins: metadata.origins.count, offset: offset(of: index))
    try NodeRules.checkState(record, length: metadata.states.count, offset: offset(of: index))
    if let identifier = try identifier.get() { try checkOrder(identifier, record, index) }
  }

  /// Whether no node below a record is too deep.
  private func hasRoom(below parent: Int) -> Bool {
    if let explainedCode { return explainedCode != .pathDepth }
    return Int(depths[parent]) < FormatLimits.pathComponents
  }

  /// Whether no earlier record of the run has a place in saved order.
  private func isFree(_ order: Int) -> Bool {
    if let explainedCode { return explainedCode != .savedOrder }
    return savedOrderOwners[order] <= UInt32(runStart)
  }

  /// D1.
  private func checkRoot() throws(FormatError) {
    let start = offset(of: 0)
    let span = bytes.span
    for (field, length) in [(Field.parent, 4), (Field.savedOrder, 4), (Field.type, 2), (Field.origin, 2), (Field.flags, 1)] {
      for index in (start + field)..<(start + field + length) where span[index] != 0 {
        throw FormatError(.rootRecord, at: start + field, "record of the empty path", expected: .text("0 in this field"))
      }
    }
    for index in (start + Field.identifier)..<(start + NodeRecord.byteCount) where span[index] != 0 {
      throw FormatError(.rootRecord, at: start + Field.identifier, "record of the empty path", expected: .text("no identifier"))
    }
  }

  /// D2 and D3.
  private func checkChildren(_ record: NodeRecord, _ index: Int) throws(FormatError) {
    let first = UInt64(record.firstChild)
    let last = first + UInt64(record.childCount)
    var expected: UInt64?
    if index == 0 {
      expected = 1
    } else if let previous {
      expected = UInt64(previous.record.firstChild) + UInt64(previous.record.childCount)
    }
    guard first > UInt64(index), expected ?? first == first else {
      throw FormatError(
        .childRange, at: offset(of: index) + Field.firstChild, "first child",
        expected: expected.map { .number($0) } ?? .text("more than \(index)"), found: .number(first), rule: "R-6.4-2")
    }
    guard last <= UInt64(count), index < count - 1 || last == UInt64(count) else {
      throw FormatError(
        .childRange, at: offset(of: index) + Field.childCount, "last child", expected: .text("before record \(count)"),
        found: .number(last), rule: "R-6.4-3")
    }
  }

  /// D4 to D6.
  private func checkParent(_ record: NodeRecord, _ index: Int) throws(FormatError) {
    let start = offset(of: index)
    guard Int(record.parent) < index else {
      throw FormatError(
        .parentMismatch, at: start + Field.parent, "parent", expected: .text("less than \(index)"), found: .number(UInt64(record.parent)))
    }
    let isParentIntact = isIntact(Int(record.parent))
    let parent = self.record(at: Int(record.parent))
    let isInRange =
      UInt64(index) >= UInt64(parent.firstChild) && UInt64(index) < UInt64(parent.firstChild) + UInt64(parent.childCount)
    guard isInRange || !isParentIntact else {
      throw FormatError(
        .parentMismatch, at: start + Field.parent, "parent", expected: .text("the record whose children these are"),
        found: .number(UInt64(record.parent)))
    }
    guard !isParentIntact || hasRoom(below: Int(record.parent)) else {
      throw FormatError(
        .pathDepth, at: start + Field.parent, "depth", expected: .text("at most \(FormatLimits.pathComponents)"), rule: "R-6.4-10")
    }
    if !isParentIntact { return }
    let order = Int(record.savedOrder)
    let limit = min(Int(parent.childCount), count)
    guard order < limit, isFree(order) else {
      throw FormatError(
        .savedOrder, at: start + Field.savedOrder, "saved order", expected: .text("each number below \(limit) once"),
        found: .number(UInt64(order)))
    }
  }

  /// D10 to D13; nil if the bytes of a long identifier are not intact.
  private func readIdentifier(of index: Int) throws(FormatError) -> Identifier? {
    let start = offset(of: index) + Field.identifier
    let span = bytes.span
    let field = try IdentifierField(reading: span, at: start, fileOffset: 0)
    try field.checkRange(length: metadata.strings.count, at: start, fileOffset: 0)
    var range = field.inRecord
    if let inStrings = field.inStrings {
      let first = metadata.strings.lowerBound
      guard damage.isIntact((first + inStrings.lowerBound)..<(first + inStrings.upperBound)) else { return nil }
      let base = layout.body.lowerBound + first
      range = (base + inStrings.lowerBound)..<(base + inStrings.upperBound)
    }
    try ByteCursor(range, fileOffset: 0).validateText(in: span, at: range, "identifier")
    if field.inStrings != nil,
      span.extracting(range.prefix(IdentifierField.prefixLength)).compare(with: span.extracting(field.inRecord)) != 0
    {
      throw FormatError(
        .identifierForm, at: start + IdentifierField.FieldOffset.bytes, "beginning of a long identifier",
        expected: .text("its first four bytes"))
    }
    return Identifier(range: range)
  }

  /// D14.
  private func checkOrder(_ identifier: Identifier, _ record: NodeRecord, _ index: Int) throws(FormatError) {
    guard index > 1, let previous, previous.record.parent == record.parent, let before = previous.identifier else { return }
    let order = bytes.span.extracting(before.range).compare(with: bytes.span.extracting(identifier.range))
    if order < 0 { return }
    let place = offset(of: index) + Field.identifier
    if order == 0 { throw FormatError(.duplicateIdentifier, at: place, "identifiers of siblings", expected: .text("each once")) }
    throw FormatError(.siblingOrder, at: place, "identifier", expected: .text("one after that of the sibling before it"))
  }

  // MARK: State

  private mutating func checkState(of index: Int) {
    let record = record(at: index)
    guard record.hasStateRecord else { return }
    let start = metadata.states.lowerBound + Int(record.stateOffset)
    let range = start..<(start + Int(record.stateLength))
    guard damage.isIntact(range) else { return }
    let place = Int(record.stateOffset)
    let code = readStates.insert(place..<(place + range.count)) ? stateFinding(of: index)?.error.code : .stateOrder
    if let code { findings.append(RecordFinding(node: UInt32(index), code: code, isInState: true)) }
  }

  /// What is wrong with the state record of a record, if anything; that it is read twice, only if it is being explained.
  private mutating func stateFinding(of index: Int) -> Finding? {
    if explainedCode == .stateOrder {
      return Finding(
        FormatError(
          .stateOrder, at: offset(of: index) + Field.stateOffset, "state record", expected: .text("bytes of its own"),
          found: .text("bytes that another one has")), node: index)
    }
    let record = record(at: index)
    let start = layout.body.lowerBound + metadata.states.lowerBound + Int(record.stateOffset)
    var checker = StateChecker(
      cursor: ByteCursor(start..<(start + Int(record.stateLength)), fileOffset: 0), keys: metadata.keys,
      isStrict: minorVersion <= ArchivePrefix.minorVersion)
    swap(&checker.usedKeys, &usedKeys)
    defer { swap(&checker.usedKeys, &usedKeys) }
    do throws(FormatError) {
      try checker.check(bytes.span, flags: record.flags)
      return nil
    } catch {
      return Finding(error, node: index, key: checker.outermostKey(in: bytes.span))
    }
  }
}
