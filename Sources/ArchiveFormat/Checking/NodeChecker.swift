/// Checks every node record against the others and every state record (D1 to D14 and E1 to E16 of Spec §7.2).
///
/// It cannot be copied, so that nothing of it is by accident, and its tables belong to it alone.
struct NodeChecker: ~Copyable {
  typealias Field = NodeRecord.FieldOffset

  /// The records.
  let records: NodeRecords
  private let metadata: ArchiveMetadata
  /// Where the sections begin in the file, or from the start of the body, and how long they are.
  private let body: Int
  private let nodes: Range<Int>
  private let strings: Range<Int>
  private let states: Range<Int>
  private let damage: BlockDamage
  private let count: Int
  private(set) var findings: [RecordFinding] = []
  /// While a finding is made again in full: its code, which answers what only a walk over all records would know.
  private var explainedCode: FormatErrorCode?
  /// By record: whether it was passed over or has a finding, so that its state is passed over too.
  private var isUnusable: ScratchArray<Bool>
  private var depths: ScratchArray<Int32>
  /// By saved order: the record, plus one, that was last seen with it; within a run, those at or behind its first record count.
  private var savedOrderOwners: ScratchArray<UInt32>
  /// The first record of the present run.
  private var runStart = 0
  /// The record before, if it was not passed over.
  private var previous: (record: NodeRecord, identifier: Range<Int>?)?
  /// How the state records lie, if all node records are intact and in order.
  private(set) var stateOrder: StateOrder?
  /// By number, those of types and of origins: whether a record names it.
  private var usedTypes: ScratchArray<Bool>
  private var usedOrigins: ScratchArray<Bool>
  /// The state records that were read, as places in `STAT`; nil if no two of the file share a byte.
  private var readStates: DisjointRanges?
  private var contents: StateChecker

  init(_ place: RecordFindings.Place) {
    self.init(place, tableCount: place.metadata.recordCount)
  }

  private init(_ place: RecordFindings.Place, tableCount: Int) {
    metadata = place.metadata
    body = place.layout.body.lowerBound
    nodes = metadata.nodes
    strings = metadata.strings
    states = metadata.states
    records = NodeRecords(bytes: place.bytes, start: body + nodes.lowerBound)
    damage = place.damage
    count = metadata.recordCount
    isUnusable = ScratchArray(repeating: false, count: tableCount)
    depths = ScratchArray(repeating: 1, count: tableCount)
    savedOrderOwners = ScratchArray(repeating: 0, count: tableCount)
    usedTypes = ScratchArray(repeating: false, count: tableCount == 0 ? 0 : metadata.types.count + 1)
    usedOrigins = ScratchArray(repeating: false, count: tableCount == 0 ? 0 : metadata.origins.count + 1)
    contents = StateChecker(keys: metadata.keys, isStrict: place.minorVersion <= ArchivePrefix.minorVersion)
  }

  /// A checker that only makes findings of another one again, in full.
  init(explaining place: RecordFindings.Place) {
    self.init(place, tableCount: 0)
  }

  /// Makes a finding again in full, by checking that record once more.
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
    for index in 0..<count { checkRecord(index, bytes) }
    if findings.isEmpty, damage.isEmpty { stateOrder = StateOrder(records) }
    if stateOrder == nil || stateOrder?.finding != nil, haveStatesCommonBytes() { readStates = DisjointRanges(count: states.count) }
    for index in 0..<count where !isUnusable[index] { checkState(of: index, bytes) }
  }

  /// The first key of the table that no entry names, or nil if there is none, or if not every entry was seen.
  var unusedKey: Int? { findings.isEmpty ? contents.unusedKey : nil }

  /// The first type that no record names.
  var unusedType: Int? { (0..<metadata.types.count).first { !usedTypes[$0 + 1] } }

  /// The first origin that no record names.
  var unusedOrigin: Int? { (0..<metadata.origins.count).first { !usedOrigins[$0 + 1] } }

  /// The offset of a record in the file.
  private func offset(of index: Int) -> Int {
    records.offset(of: index)
  }

  // MARK: Records

  @inline(__always)
  private func isIntact(_ index: Int) -> Bool {
    let start = nodes.lowerBound + index * NodeRecord.byteCount
    return damage.isIntact(start..<(start + NodeRecord.byteCount))
  }

  private mutating func checkRecord(_ index: Int, _ bytes: Span<UInt8>) {
    guard isIntact(index) else {
      isUnusable[index] = true
      previous = nil
      return
    }
    let record = NodeRecord(reading: bytes, at: offset(of: index))
    if index <= 1 || previous?.record.parent != record.parent { runStart = index }
    var identifier: Range<Int>?
    do throws(FormatError) {
      try checkFields(of: record, index, bytes, &identifier)
    } catch {
      // The next sibling is compared with it all the same.
      if index > 0, identifier == nil { identifier = try? readIdentifier(of: index, bytes) }
      findings.append(RecordFinding(node: UInt32(index), code: error.code, isInState: false))
      isUnusable[index] = true
    }
    if Int(record.type) < usedTypes.count { usedTypes[Int(record.type)] = true }
    if Int(record.origin) < usedOrigins.count { usedOrigins[Int(record.origin)] = true }
    if index > 0 {
      if Int(record.savedOrder) < count { savedOrderOwners[Int(record.savedOrder)] = UInt32(index + 1) }
      if Int(record.parent) < index, isIntact(Int(record.parent)) { depths[index] = depths[Int(record.parent)] &+ 1 }
    } else {
      depths[0] = 0
    }
    previous = (record, identifier)
  }

  /// D1 to D14; `identifier` is where the identifier is, if it could be read.
  private func checkFields(
    of record: NodeRecord, _ index: Int, _ bytes: Span<UInt8>, _ identifier: inout Range<Int>?
  ) throws(FormatError) {
    if index == 0 { try checkRoot(bytes) }
    try checkChildren(record, index)
    if index > 0 { try checkParent(record, index, bytes) }
    try NodeRules.checkTables(record, types: metadata.types.count, origins: metadata.origins.count, offset: offset(of: index))
    try NodeRules.checkState(record, length: states.count, offset: offset(of: index))
    if index > 0 { identifier = try readIdentifier(of: index, bytes) }
    if let identifier { try checkOrder(identifier, record, index, bytes) }
  }

  private mutating func recordFinding(of index: Int, _ bytes: Span<UInt8>) -> Finding? {
    if index > 0, isIntact(index - 1) { previous = (records.record(at: index - 1), try? readIdentifier(of: index - 1, bytes)) }
    var identifier: Range<Int>?
    do throws(FormatError) {
      try checkFields(of: records.record(at: index), index, bytes, &identifier)
      return nil
    } catch {
      return Finding(error, node: index)
    }
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
  private func checkRoot(_ bytes: Span<UInt8>) throws(FormatError) {
    let start = offset(of: 0)
    for (field, length) in [(Field.parent, 4), (Field.savedOrder, 4), (Field.type, 2), (Field.origin, 2), (Field.flags, 1)] {
      for index in (start + field)..<(start + field + length) where bytes[index] != 0 {
        throw FormatError(.rootRecord, at: start + field, "record of the empty path", expected: .text("0 in this field"))
      }
    }
    for index in (start + Field.identifier)..<(start + NodeRecord.byteCount) where bytes[index] != 0 {
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
  private func checkParent(_ record: NodeRecord, _ index: Int, _ bytes: Span<UInt8>) throws(FormatError) {
    let start = offset(of: index)
    guard Int(record.parent) < index else {
      throw FormatError(
        .parentMismatch, at: start + Field.parent, "parent", expected: .text("less than \(index)"), found: .number(UInt64(record.parent)))
    }
    let isParentIntact = isIntact(Int(record.parent))
    let parent = NodeRecord(reading: bytes, at: offset(of: Int(record.parent)))
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
  private func readIdentifier(of index: Int, _ bytes: Span<UInt8>) throws(FormatError) -> Range<Int>? {
    let start = offset(of: index) + Field.identifier
    let field = try IdentifierField(reading: bytes, at: start, fileOffset: 0)
    try field.checkRange(length: strings.count, at: start, fileOffset: 0)
    var range = field.inRecord
    if let inStrings = field.inStrings {
      let first = strings.lowerBound
      guard damage.isIntact((first + inStrings.lowerBound)..<(first + inStrings.upperBound)) else { return nil }
      let base = body + first
      range = (base + inStrings.lowerBound)..<(base + inStrings.upperBound)
    }
    try ByteCursor(range, fileOffset: 0).validateText(in: bytes, at: range, "identifier")
    if field.inStrings != nil,
      bytes.extracting(range.prefix(IdentifierField.prefixLength)).compare(with: bytes.extracting(field.inRecord)) != 0
    {
      throw FormatError(
        .identifierForm, at: start + IdentifierField.FieldOffset.bytes, "beginning of a long identifier",
        expected: .text("its first four bytes"))
    }
    return range
  }

  /// D14.
  private func checkOrder(_ identifier: Range<Int>, _ record: NodeRecord, _ index: Int, _ bytes: Span<UInt8>) throws(FormatError) {
    guard index > 1, let previous, previous.record.parent == record.parent, let before = previous.identifier else { return }
    let order = bytes.extracting(before).compare(with: bytes.extracting(identifier))
    if order < 0 { return }
    let place = offset(of: index) + Field.identifier
    if order == 0 { throw FormatError(.duplicateIdentifier, at: place, "identifiers of siblings", expected: .text("each once")) }
    throw FormatError(.siblingOrder, at: place, "identifier", expected: .text("one after that of the sibling before it"))
  }

  // MARK: State

  /// Whether two state records share a byte, in which case it has to be found out which comes first.
  private func haveStatesCommonBytes() -> Bool {
    var ranges = ScratchArray<UInt64>(capacity: count)
    for index in 0..<count where !isUnusable[index] {
      let record = records.record(at: index)
      if record.stateLength > 0 { ranges.append(UInt64(record.stateOffset) << 32 | UInt64(record.stateLength)) }
    }
    ranges.sort(0..<ranges.count) { $0 < $1 }
    var end: UInt64 = 0
    for index in 0..<ranges.count {
      let start = ranges[index] >> 32
      if start < end { return true }
      end = start + ranges[index] & UInt64(UInt32.max)
    }
    return false
  }

  private mutating func checkState(of index: Int, _ bytes: Span<UInt8>) {
    let record = NodeRecord(reading: bytes, at: offset(of: index))
    guard record.hasStateRecord else { return }
    let start = states.lowerBound + Int(record.stateOffset)
    let range = start..<(start + Int(record.stateLength))
    guard damage.isIntact(range) else { return }
    let place = Int(record.stateOffset)
    if readStates?.insert(place..<(place + range.count)) == false {
      findings.append(RecordFinding(node: UInt32(index), code: .stateOrder, isInState: true))
      return
    }
    do throws(FormatError) {
      let cursor = ByteCursor((body + range.lowerBound)..<(body + range.upperBound), fileOffset: 0)
      try contents.check(cursor, bytes, flags: record.flags)
    } catch {
      findings.append(RecordFinding(node: UInt32(index), code: error.code, isInState: true))
    }
  }

  private mutating func stateFinding(of index: Int, _ bytes: Span<UInt8>) -> Finding? {
    if explainedCode == .stateOrder {
      return Finding(
        FormatError(
          .stateOrder, at: offset(of: index) + Field.stateOffset, "state record", expected: .text("bytes of its own"),
          found: .text("bytes that another one has")), node: index)
    }
    let record = records.record(at: index)
    let start = body + states.lowerBound + Int(record.stateOffset)
    do throws(FormatError) {
      try contents.check(ByteCursor(start..<(start + Int(record.stateLength)), fileOffset: 0), bytes, flags: record.flags)
      return nil
    } catch {
      return Finding(error, node: index, key: contents.outermostKey(in: bytes))
    }
  }
}
