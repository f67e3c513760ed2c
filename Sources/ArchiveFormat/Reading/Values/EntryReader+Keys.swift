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
