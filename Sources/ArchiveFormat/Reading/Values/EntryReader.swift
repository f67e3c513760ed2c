package import Storage

/// Reads the entries of a state record, of attributes or of a dictionary one by one, and checks their keys.
///
/// Implements Spec §6.2 and checks E1 and E3 to E8 of §7.2.
@frozen @usableFromInline
package struct EntryReader {
  /// The start of the next entry.
  @usableFromInline package var cursor: ByteCursor
  @usableFromInline let role: EntryRole
  // The last key, in the form that is compared fastest: its index in the key table; -1 if there is none; Int.max for an
  // inline key, because after one no table key is in order by its index alone.
  @usableFromInline var lastIndex = -1
  @usableFromInline var lastInline = 0..<0
  // The range of key indexes that a one-byte reference may name next without further checks.
  @usableFromInline var quickStart: Int
  @usableFromInline let quickEnd: Int

  /// Creates a reader of the entries that `cursor` covers.
  package init(_ cursor: ByteCursor, role: EntryRole, keys: borrowing KeyTable) {
    self.cursor = cursor
    self.role = role
    quickEnd = min(KeyReference.oneByteCount, keys.count)
    switch role {
    case .dictionary: quickStart = 0
    case .state: quickStart = keys.hasEmptyKey ? 1 : 0
    case .attributes: quickStart = Int.max
    }
  }

  /// The last key that was read, for errors about the key or its value.
  package internal(set) var lastKey: KeyReference? {
    get { lastIndex < 0 ? nil : (lastIndex == Int.max ? KeyReference(inline: lastInline) : KeyReference(index: lastIndex)) }
    set {
      lastIndex = newValue.map { $0.isInline ? Int.max : $0.index } ?? -1
      lastInline = newValue?.inlineRange ?? 0..<0
      if case .attributes = role { return }
      quickStart = max(quickStart, lastIndex == Int.max ? lastIndex : lastIndex + 1)
    }
  }

  /// Reads the next entry, or returns nil at the end.
  @inlinable @inline(__always)
  package mutating func next(in bytes: Span<UInt8>, keys: borrowing KeyTable) throws(FormatError) -> RawEntry? {
    guard !cursor.isAtEnd else { return nil }
    let start = cursor.position
    let key = try readKey(in: bytes, keys: keys)
    let valueStart = cursor.position
    var isSensitive = false
    if valueStart < cursor.end, bytes[valueStart] == ValueTag.sensitive {
      if case .attributes = role { throw misplacedMark() }
      isSensitive = true
      cursor.position &+= 1
    }
    let value = try cursor.readValue(in: bytes)
    return RawEntry(start: start, key: key, isSensitive: isSensitive, valueStart: valueStart, value: value)
  }

  /// Skips entries with one-byte key references and plain values, and calls `note` with the key and the position of the
  /// value of each.
  ///
  /// Contains no calls, so all its state stays in registers. Stops at any other entry, valid or not; ``next(in:keys:)``
  /// reads that one.
  @inline(__always)
  mutating func passPlainEntries(
    in bytes: Span<UInt8>, by table: PlainValueTable, readingContent: Bool = true, noting note: (_ key: Int, _ position: Int) -> Void
  ) {
    let trailing = bytes.count &- cursor.end
    var rest = bytes.extracting(cursor.position..<bytes.count)
    var least = quickStart
    // The second condition is also checked for each value. Here it lets the compiler omit the bounds check of each load
    // (2 % of checking).
    while rest.count > trailing, rest.count > PlainValueRule.reach {
      let index = Int(rest[0]) &- 1
      guard index >= least, index < quickEnd else { break }
      let length = rest.lengthOfPlainValue(at: 1, by: table, readingContent: readingContent)
      guard length != 0, rest.count &- length > trailing else { break }
      note(index, bytes.count &- rest.count &+ 1)
      least = index &+ 1
      rest = rest.extracting(droppingFirst: length &+ 1)
    }
    if least == quickStart { return }
    quickStart = least
    lastIndex = least &- 1
    cursor.position = bytes.count &- rest.count
  }

  /// Skips one entry whose value is a small container of plain values, records the keys in `used`, and returns whether
  /// it did.
  ///
  /// The key reference must take one byte. The container must be an array or a dictionary of up to 127 bytes.
  ///
  /// A rejected entry is read again by ``next(in:keys:)`` and its caller. Nested containers are rejected, so this
  /// function reads no byte more than twice. (Without it, a check takes 1.16 times the instructions.)
  package mutating func skipPlainContainer(
    in bytes: Span<UInt8>, by table: PlainValueTable, keys: borrowing KeyTable, noting used: inout ScratchArray<Bool>
  ) -> Bool {
    let rest = bytes.extracting(cursor.position..<cursor.end)
    guard rest.count > 2 else { return false }
    let index = Int(rest[0]) &- 1
    let tag = rest[1]
    let length = Int(rest[2])
    guard index >= quickStart, index < quickEnd, length < 0x80, length <= rest.count &- 3 else { return false }
    let start = cursor.position &+ 3
    var content = ByteCursor(start..<(start &+ length), fileOffset: cursor.fileOffset)
    switch tag {
    case ValueTag.array:
      while !content.isAtEnd { if !content.skipPlainValue(in: bytes, by: table) { return false } }
    case ValueTag.dictionary:
      var entries = EntryReader(content, role: .dictionary, keys: keys)
      entries.passPlainEntries(in: bytes, by: table) { key, _ in used[key] = true }
      if !entries.cursor.isAtEnd { return false }
    default:
      return false
    }
    used[index] = true
    lastIndex = index
    quickStart = index &+ 1
    cursor.position = content.end
    return true
  }

  @inline(never) @usableFromInline
  func misplacedMark() -> FormatError {
    FormatError(.sensitiveMisplaced, at: cursor.offset, "mark of a sensitive value", expected: "none in attributes")
  }
}

// The keys of entries: their references, names and order (checks E1 and E3 to E7 of Spec §7.2).
extension EntryReader {
  /// Reads a key reference.
  ///
  /// The usual case takes a few instructions: one byte, greater than the previous one.
  @inlinable @inline(__always)
  mutating func readKey(in bytes: Span<UInt8>, keys: borrowing KeyTable) throws(FormatError) -> KeyReference {
    let lead = bytes[cursor.position]
    let index = Int(lead) &- 1
    if index >= quickStart, index < quickEnd {
      cursor.position &+= 1
      lastIndex = index
      quickStart = index &+ 1
      return KeyReference(index: index)
    }
    return try readAnyKey(in: bytes, keys: keys)
  }

  @inline(never) @usableFromInline
  mutating func readAnyKey(in bytes: Span<UInt8>, keys: borrowing KeyTable) throws(FormatError) -> KeyReference {
    let start = cursor.offset
    let previous = lastKey
    lastKey = nil
    let key = try readReference(in: bytes, keys: keys)
    lastKey = key
    try checkName(of: key, in: bytes, keys: keys, at: start)
    if let previous {
      let order = compare(previous, key, in: bytes, keys: keys)
      if order == 0 { throw FormatError(.duplicateKey, at: start, "key", expected: "each key once") }
      if order > 0 { throw FormatError(.keyOrder, at: start, "key", expected: "a key after the one before it") }
    }
    return key
  }

  private mutating func readReference(in bytes: Span<UInt8>, keys: borrowing KeyTable) throws(FormatError) -> KeyReference {
    let start = cursor.offset
    let lead = try cursor.readByte(in: bytes, "key reference")
    if lead == KeyReference.inlineLead {
      let range = try cursor.readText(in: bytes, bounds: FormatLimits.key, "key")
      lastKey = KeyReference(inline: range)
      guard !keys.claims(bytes.extracting(range)) else {
        throw FormatError(.keyInline, at: start, "key", expected: "a reference into the key table", found: "an inline key")
      }
      return KeyReference(inline: range)
    }
    var index = Int(lead) - 1
    if lead >= KeyReference.twoByteLead {
      guard !cursor.isAtEnd else {
        throw FormatError(.unexpectedEnd, at: start, "key reference", expected: "2 bytes", found: "1 left")
      }
      let second = try cursor.readByte(in: bytes, "key reference")
      index = KeyReference.oneByteCount + Int(lead - KeyReference.twoByteLead) << 8 + Int(second)
    }
    guard index < keys.count else {
      throw FormatError(.keyIndex, at: start, "key reference", expected: "one of \(keys.count) keys", found: .number(index))
    }
    return KeyReference(index: index)
  }

  private func checkName(
    of key: KeyReference, in bytes: Span<UInt8>, keys: borrowing KeyTable, at start: Int
  ) throws(FormatError) {
    if case .dictionary = role { return }
    let isEmpty = key.isInline ? key.inlineRange.isEmpty : keys.byteCount(at: key.index) == 0
    if isEmpty { throw FormatError(.emptyKey, at: start, "key", expected: "at least one byte") }
    if case .attributes(strict: true) = role {
      let isForeign =
        key.isInline
        ? !key.inlineRange.allSatisfy { bytes[$0] != UInt8(ascii: ".") } : keys.key(at: key.index, contains: UInt8(ascii: "."))
      if !isForeign { throw FormatError(.unknownAttribute, at: start, "attribute key", expected: "a key with a full stop") }
    }
  }

  private func compare(_ left: KeyReference, _ right: KeyReference, in bytes: Span<UInt8>, keys: borrowing KeyTable) -> Int {
    switch (left.isInline, right.isInline) {
    case (false, false): left.index - right.index
    case (true, true): bytes.extracting(left.inlineRange).compare(with: bytes.extracting(right.inlineRange))
    case (false, true): keys.compareKey(at: left.index, with: bytes.extracting(right.inlineRange))
    case (true, false): -keys.compareKey(at: right.index, with: bytes.extracting(left.inlineRange))
    }
  }
}

/// An entry of a state record or dictionary, as stored in the bytes (Spec §6.2).
@frozen @usableFromInline
package struct RawEntry: Sendable {
  /// The index of its first byte.
  @usableFromInline package let start: Int
  /// Its key.
  @usableFromInline package let key: KeyReference
  /// Whether tools should hide its value.
  @usableFromInline package let isSensitive: Bool
  /// The index of its value, including its mark.
  @usableFromInline package let valueStart: Int
  /// The index of the value's tag, which follows the sensitivity mark if there is one.
  @inlinable
  package var tagStart: Int {
    @inline(__always) get { valueStart &+ (isSensitive ? 1 : 0) }
  }
  /// Its value.
  @usableFromInline package let value: RawValue

  @inlinable @inline(__always)
  init(start: Int, key: KeyReference, isSensitive: Bool, valueStart: Int, value: RawValue) {
    self.start = start
    self.key = key
    self.isSensitive = isSensitive
    self.valueStart = valueStart
    self.value = value
  }
}

/// The owner of a sequence of entries, which decides the rules for keys (Spec §6.2, §6.3).
@frozen @usableFromInline
package enum EntryRole: Sendable {
  /// The state of a node or of the application.
  case state
  /// The attributes of a node, in an archive of minor version 0 (`strict`) or of a later one.
  case attributes(strict: Bool)
  /// A dictionary.
  case dictionary
}

/// The three parts of a state record, located but not read (Spec §6.3).
package struct RecordParts {
  /// The ranges of the texts of the provider reference.
  package let provider: (name: Range<Int>, identifier: Range<Int>)?
  /// The entries of the attributes.
  package var attributes: ByteCursor?
  /// The end of the attributes, which a truncated file may not have.
  package private(set) var attributesEnd = 0
  /// The entries of the state.
  package let entries: ByteCursor

  /// Locates the parts of a record whose node has these flags.
  package init(_ record: borrowing VerifiedBytes, flags: UInt8) throws(FormatError) {
    try self.init(record.cursor, in: record.storage.span, flags: flags)
  }

  /// Locates the parts of the record that `cursor` covers.
  ///
  /// Without `validates`, the texts of the provider reference are not validated, and attributes may be empty. `damage`
  /// returns the error for the first damage in a range; the lengths of texts and attributes must be intact.
  @inline(__always)
  package init(
    _ cursor: ByteCursor, in bytes: Span<UInt8>, flags: UInt8, end: Int? = nil, validates: Bool = true,
    damage: (Range<Int>) -> FormatError? = { _ in nil }
  ) throws(FormatError) {
    var cursor = cursor
    if flags & NodeRecord.hasProvider != 0 {
      let name = try cursor.readProviderText(in: bytes, "name of the provider", validates, damage)
      provider = (name, try cursor.readProviderText(in: bytes, "name within the provider", validates, damage))
    } else {
      provider = nil
    }
    if flags & NodeRecord.hasAttributes != 0 {
      let start = cursor.position
      // In a truncated file, the record may end behind the bytes that are there.
      var whole = ByteCursor(cursor.position..<(end ?? cursor.end), fileOffset: cursor.fileOffset)
      guard !cursor.isAtEnd else { throw cursor.endError("attributes", needs: 1) }
      let length = try cursor.readVarint(in: bytes, "attributes")
      whole.position = cursor.position
      guard Int(clamping: length) <= whole.remaining else {
        throw whole.lengthError("attributes", length: Int(clamping: length), at: start)
      }
      attributesEnd = whole.position + Int(length)
      let range = cursor.position..<min(attributesEnd, cursor.end)
      if let error = damage(start..<range.lowerBound) { throw error }
      if validates, range.isEmpty {
        throw FormatError(.emptyAttributes, at: cursor.fileOffset + start, "attributes", expected: "at least one entry")
      }
      attributes = ByteCursor(range, fileOffset: cursor.fileOffset)
      cursor.position = range.upperBound
    }
    entries = cursor
  }
}

extension ByteCursor {
  fileprivate mutating func readProviderText(
    in bytes: Span<UInt8>, _ subject: StaticString, _ validates: Bool, _ damage: (Range<Int>) -> FormatError?
  ) throws(FormatError) -> Range<Int> {
    let start = position
    let range = try readString(in: bytes, bounds: FormatLimits.providerName, subject)
    if let error = damage(start..<range.lowerBound) { throw error }
    if validates { try validateText(in: bytes, at: range, subject) }
    return range
  }
}
