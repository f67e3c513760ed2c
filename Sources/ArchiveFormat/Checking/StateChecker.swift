/// Checks one state record to the last value (E1 to E16 of Spec §7.2).
struct StateChecker {
  private var cursor: ByteCursor
  private let keys: KeyTable
  private let isStrict: Bool
  private var outermost: KeyReference?
  /// The keys of the table that were met.
  var usedKeys: [Bool] = []

  init(cursor: ByteCursor, keys: KeyTable, isStrict: Bool) {
    self.cursor = cursor
    self.keys = keys
    self.isStrict = isStrict
  }

  /// Reads the record and throws its first fault.
  mutating func check(_ bytes: Span<UInt8>, flags: UInt8) throws(FormatError) {
    if flags & NodeRecord.hasProvider != 0 {
      _ = try cursor.readText(in: bytes, bounds: FormatLimits.providerName, "name of the provider")
      _ = try cursor.readText(in: bytes, bounds: FormatLimits.providerName, "name within the provider")
    }
    if flags & NodeRecord.hasAttributes != 0 {
      let start = cursor.offset
      let range = try cursor.readLength(in: bytes, "attributes")
      guard !range.isEmpty else { throw FormatError(.emptyAttributes, at: start, "attributes", expected: .text("at least one entry")) }
      try checkEntries(range, bytes, role: .attributes(strict: isStrict), depth: 0)
      cursor.position = range.upperBound
      outermost = nil
    }
    try checkEntries(cursor.position..<cursor.end, bytes, role: .state, depth: 0)
  }

  /// The key of the outermost entry that was read last.
  func outermostKey(in bytes: Span<UInt8>) -> String? {
    guard let outermost else { return nil }
    return outermost.isInline ? bytes.extracting(outermost.inlineRange).makeString() : keys.keys[outermost.index]
  }

  private mutating func checkEntries(_ range: Range<Int>, _ bytes: Span<UInt8>, role: EntryRole, depth: Int) throws(FormatError) {
    var reader = EntryReader(ByteCursor(range, fileOffset: cursor.fileOffset), role: role)
    while true {
      let entry: RawEntry?
      do throws(FormatError) {
        entry = try reader.next(in: bytes, keys: keys)
      } catch {
        if depth == 0 { outermost = reader.lastKey }
        throw error
      }
      guard let entry else { return }
      if depth == 0 { outermost = entry.key }
      if !entry.key.isInline { usedKeys[entry.key.index] = true }
      try checkContent(of: entry.value, bytes, tagAt: entry.valueStart + (entry.isSensitive ? 1 : 0), depth: depth)
    }
  }

  private mutating func checkContent(of value: RawValue, _ bytes: Span<UInt8>, tagAt tag: Int, depth: Int) throws(FormatError) {
    switch value.kind {
    case .string, .url:
      try cursor.validateText(in: bytes, at: value.payload, "string")
    case .reference:
      var components = ByteCursor(value.payload, fileOffset: cursor.fileOffset)
      try components.validateReference(in: bytes)
    case .dictionary:
      try checkDepth(depth, at: tag)
      try checkEntries(value.payload, bytes, role: .dictionary, depth: depth + 1)
    case .array:
      try checkDepth(depth, at: tag)
      var elements = ByteCursor(value.payload, fileOffset: cursor.fileOffset)
      while !elements.isAtEnd {
        let start = elements.position
        let element = try elements.readValue(in: bytes)
        try checkContent(of: element, bytes, tagAt: start, depth: depth + 1)
      }
    case .unknown:
      throw FormatError(
        .unknownValueType, at: cursor.fileOffset + tag, "value", expected: .text("a type of version 1.0"),
        found: .hexadecimal(UInt64(value.tag)))
    default:
      return
    }
  }

  private func checkDepth(_ depth: Int, at tag: Int) throws(FormatError) {
    guard depth >= FormatLimits.nesting else { return }
    throw FormatError(
      .nestingDepth, at: cursor.fileOffset + tag, "nesting", expected: .text("at most \(FormatLimits.nesting) levels"))
  }
}
