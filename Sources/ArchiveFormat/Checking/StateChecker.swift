import Storage

/// Checks state records down to the last value (E1 to E16 of Spec §7.2; E1 and E3 to E8 by ``EntryReader``).
struct StateChecker: ~Copyable {
  private let keys: KeyTable
  /// The rules for skipping plain values.
  ///
  /// A stored copy, because each access to a global constant checks whether it has been initialized.
  private let table = PlainValueTable.shared
  private let isStrict: Bool
  /// The key of the outermost entry being read when a fault was found.
  private var outermost: KeyReference?
  /// For each key of the table, whether an entry uses it.
  private var usedKeys: ScratchArray<Bool>

  init(keys: KeyTable, isStrict: Bool) {
    self.keys = keys
    self.isStrict = isStrict
    usedKeys = ScratchArray(repeating: false, count: keys.count)
  }

  /// Reads the record that `cursor` covers and throws its first fault.
  mutating func check(_ cursor: consuming ByteCursor, _ bytes: Span<UInt8>, flags: UInt8) throws(FormatError) {
    outermost = nil
    let parts = try RecordParts(cursor, in: bytes, flags: flags)
    if let attributes = parts.attributes { try checkEntries(attributes, bytes, role: .attributes(strict: isStrict), depth: 0) }
    try checkEntries(parts.entries, bytes, role: .state, depth: 0)
  }

  /// The first key of the table that no entry uses, or nil if all keys are used.
  var unusedKey: Int? {
    (0..<usedKeys.count).first { !usedKeys[$0] }
  }

  /// Returns the key of the outermost entry that contains the fault.
  func outermostKey(in bytes: Span<UInt8>) -> String? {
    guard let outermost else { return nil }
    return outermost.isInline ? bytes.extracting(outermost.inlineRange).makeString() : keys.text(at: outermost.index)
  }

  private mutating func checkEntries(_ entries: ByteCursor, _ bytes: Span<UInt8>, role: EntryRole, depth: Int) throws(FormatError) {
    var reader = EntryReader(entries, role: role, keys: keys)
    do throws(FormatError) {
      while true {
        reader.passPlainEntries(in: bytes, by: table) { key, _ in usedKeys[key] = true }
        if depth < FormatLimits.nesting, reader.skipPlainContainer(in: bytes, by: table, keys: keys, noting: &usedKeys) { continue }
        guard let entry = try reader.next(in: bytes, keys: keys) else { return }
        if !entry.key.isInline { usedKeys[entry.key.index] = true }
        try checkContent(
          of: entry.value, bytes, fileOffset: entries.fileOffset, tagAt: entry.tagStart, depth: depth)
      }
    } catch {
      if depth == 0 { outermost = reader.lastKey }
      throw error
    }
  }

  /// Checks text and containers; reading the other kinds of value has checked them already.
  @inline(__always)
  private mutating func checkContent(
    of value: RawValue, _ bytes: Span<UInt8>, fileOffset: Int, tagAt tag: Int, depth: Int
  ) throws(FormatError) {
    switch value.kind {
    case .string:
      if !bytes.isASCII(at: value.payload) { try checkText(value, bytes, fileOffset) }
    case .integer, .bool, .float64, .date:
      return
    default:
      try checkOtherContent(of: value, bytes, fileOffset: fileOffset, tagAt: tag, depth: depth)
    }
  }

  @inline(never)
  private func checkText(_ value: RawValue, _ bytes: Span<UInt8>, _ fileOffset: Int) throws(FormatError) {
    try ByteCursor(value.payload, fileOffset: fileOffset).validateText(in: bytes, at: value.payload, "string")
  }

  @inline(never)
  private mutating func checkOtherContent(
    of value: RawValue, _ bytes: Span<UInt8>, fileOffset: Int, tagAt tag: Int, depth: Int
  ) throws(FormatError) {
    switch value.kind {
    case .url:
      try checkText(value, bytes, fileOffset)
    case .reference:
      var components = ByteCursor(value.payload, fileOffset: fileOffset)
      try components.validateReference(in: bytes)
    case .dictionary:
      try checkDepth(depth, at: fileOffset + tag)
      try checkEntries(ByteCursor(value.payload, fileOffset: fileOffset), bytes, role: .dictionary, depth: depth + 1)
    case .array:
      try checkDepth(depth, at: fileOffset + tag)
      var elements = ByteCursor(value.payload, fileOffset: fileOffset)
      while !elements.isAtEnd {
        if elements.skipPlainValue(in: bytes, by: table) { continue }
        let start = elements.position
        let element = try elements.readValue(in: bytes)
        try checkContent(of: element, bytes, fileOffset: fileOffset, tagAt: start, depth: depth + 1)
      }
    case .unknown:
      throw FormatError(
        .unknownValueType, at: fileOffset + tag, "value",
        expected: "a type of version \(ArchivePrefix.majorVersion).\(ArchivePrefix.minorVersion)", found: .hexadecimal(value.tag))
    default:
      return
    }
  }

  private func checkDepth(_ depth: Int, at offset: Int) throws(FormatError) {
    guard depth >= FormatLimits.nesting else { return }
    throw FormatError(.nestingDepth, at: offset, "nesting", expected: "at most \(FormatLimits.nesting) levels")
  }
}

/// A check that the state records lie in preorder of their nodes, without gaps (F3 and F4 of Spec §7.2).
///
/// State records in that order cannot overlap, which saves the checker a sort.
struct StateRecordOrder {
  /// The finding for the first record whose state is out of place.
  private(set) var finding: Finding?
  /// The end of the last state record, from the start of `STAT`.
  private(set) var end = 0

  /// Walks all nodes, whose records must have passed D1 to D14.
  ///
  /// - Complexity: O(n).
  init(_ records: NodeRecords) {
    // 64 bits, because records that overlap can have a total length greater than that of the file.
    var next: UInt64 = 0
    var stack = ScratchArray<UInt32>(capacity: 64)
    stack.append(0)
    while let last = stack.last {
      stack.truncate(to: stack.count - 1)
      let index = Int(last)
      let record = records.record(at: index)
      let expected = record.stateLength == 0 ? 0 : next
      if finding == nil, UInt64(record.stateOffset) != expected {
        finding = Finding(
          .stateOrder, at: records.offset(of: index) + NodeRecord.FieldOffset.stateOffset, "place of the state record",
          expected: .number(expected), found: .number(record.stateOffset), node: index)
      }
      next += UInt64(record.stateLength)
      if record.stateLength > 0 { end = max(end, Int(record.stateOffset) + Int(record.stateLength)) }
      // The saved orders are a permutation (D6), so every slot is filled. The first child is visited next, so it goes
      // on top.
      let count = Int(record.childCount)
      stack.append(repeating: 0, count: count)
      let top = stack.count - 1
      for child in 0..<count {
        let number = Int(record.firstChild) + child
        stack[top - records.savedOrder(at: number)] = UInt32(number)
      }
    }
  }
}
