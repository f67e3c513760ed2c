/// Walks records just written by this module, or those of a checked file, to find, replace or copy key references.
///
/// Trusts the bytes, so it must not be used on files with findings; the nesting that a writer and a checker permit bounds
/// its recursion. The bytes are an argument of each call, because a span cannot be stored.
struct RecordWalker<Form: KeyForm> {
  private(set) var position: Int
  private let lengths = ValueLengths.table

  /// Creates a walker at the position of a value or an entry; a walker of whole records needs none.
  init(at position: Int = 0) {
    self.position = position
  }

  // MARK: Finding

  /// Calls `visit` with each key reference in the state record at `range`, including those in nested dictionaries, and with the
  /// position of its first byte.
  @inline(__always)
  mutating func walkRecord(_ range: Range<Int>, of bytes: Span<UInt8>, flags: UInt8, _ visit: (KeyReference, Int) -> Void) {
    position = range.lowerBound
    if flags & NodeRecord.hasProvider != 0 { bytes.skipProvider(at: &position) }
    if flags & NodeRecord.hasAttributes != 0 {
      let length = bytes.readTrustedLength(at: &position)
      walkEntries(bytes, end: position &+ length, visit)
    }
    walkEntries(bytes, end: range.upperBound, visit)
  }

  private mutating func walkEntries(_ bytes: Span<UInt8>, end: Int, _ visit: (KeyReference, Int) -> Void) {
    while position < end {
      let start = position
      visit(readKey(bytes), start)
      walkValue(bytes, visit)
    }
  }

  /// Calls `visit` with each key reference in the value at the current position, and the position of its first byte.
  @inline(__always)
  mutating func walkValue(_ bytes: Span<UInt8>, _ visit: (KeyReference, Int) -> Void) {
    let tag = readByte(bytes)
    let length = lengths[Int(tag)]
    if length < ValueLengths.isSpecial {
      position &+= Int(length)
    } else if length == ValueLengths.isStored {
      let length = bytes.readTrustedLength(at: &position)
      position &+= length
    } else {
      walkContainer(tag, bytes, visit)
    }
  }

  @inline(never)
  private mutating func walkContainer(_ tag: UInt8, _ bytes: Span<UInt8>, _ visit: (KeyReference, Int) -> Void) {
    if tag == ValueTag.sensitive { return walkValue(bytes, visit) }
    let length = bytes.readTrustedLength(at: &position)
    let end = position &+ length
    if tag == ValueTag.dictionary {
      walkEntries(bytes, end: end, visit)
    } else {
      while position < end { walkValue(bytes, visit) }
    }
  }

  /// Skips the value at the current position, which must not be marked as sensitive.
  mutating func skipValue(_ bytes: Span<UInt8>) {
    let tag = readByte(bytes)
    skipPayload(bytes, tag: tag)
  }

  // MARK: Copying

  /// Copies the state record at `range` to `target`, and calls `appendKey` to write each key.
  ///
  /// A key that is too long for a key table is copied without such a call.
  mutating func copyRecord(
    _ range: Range<Int>, of bytes: Span<UInt8>, flags: UInt8, to target: borrowing OutputBuffer, _ appendKey: (KeyReference) -> Void
  ) {
    position = range.lowerBound
    if flags & NodeRecord.hasProvider != 0 {
      bytes.skipProvider(at: &position)
      copyBytes(bytes, from: range.lowerBound, to: target)
    }
    if flags & NodeRecord.hasAttributes != 0 {
      let length = target.count
      target.append(UInt8(0))
      let end = bytes.readTrustedLength(at: &position) + position
      copyEntries(bytes, end: end, to: target, appendKey)
      target.closeLength(at: length)
    }
    copyEntries(bytes, end: range.upperBound, to: target, appendKey)
  }

  /// The header of a container in an entry.
  struct ContainerHead {
    let tag: UInt8
    let isSensitive: Bool
    /// The end of its last entry or element.
    let end: Int
  }

  /// Moves to the first entry or element of the container in the entry at the current position; returns nil if the
  /// value is not a container.
  mutating func enterContainer(_ bytes: Span<UInt8>) -> ContainerHead? {
    _ = readKey(bytes)
    var tag = readByte(bytes)
    let isSensitive = tag == ValueTag.sensitive
    if isSensitive { tag = readByte(bytes) }
    guard tag == ValueTag.dictionary || tag == ValueTag.array else { return nil }
    let length = bytes.readTrustedLength(at: &position)
    return ContainerHead(tag: tag, isSensitive: isSensitive, end: position + length)
  }

  /// Copies the key of the entry at the current position if it is inline and cannot fit into a key table; otherwise
  /// skips the reference and returns it.
  mutating func copyKeyIfTooLong(_ bytes: Span<UInt8>, to target: borrowing OutputBuffer) -> KeyReference? {
    let start = position
    let key = readKey(bytes)
    if !key.isInline || (Form.hasShortInlineKeys && FormatLimits.tableKey.contains(key.inlineRange.count)) { return key }
    copyBytes(bytes, from: start, to: target)
    return nil
  }

  private mutating func copyEntries(
    _ bytes: Span<UInt8>, end: Int, to target: borrowing OutputBuffer, _ appendKey: (KeyReference) -> Void
  ) {
    while position < end {
      if let key = copyKeyIfTooLong(bytes, to: target) { appendKey(key) }
      copyValue(bytes, to: target, appendKey)
    }
  }

  /// Copies the value at the current position to `target`, and calls `appendKey` to write each key in it.
  mutating func copyValue(_ bytes: Span<UInt8>, to target: borrowing OutputBuffer, _ appendKey: (KeyReference) -> Void) {
    let start = position
    let tag = readByte(bytes)
    if tag == ValueTag.sensitive {
      target.append(tag)
      copyValue(bytes, to: target, appendKey)
      return
    }
    guard tag == ValueTag.dictionary || tag == ValueTag.array else {
      skipPayload(bytes, tag: tag)
      copyBytes(bytes, from: start, to: target)
      return
    }
    target.append(tag)
    let length = target.count
    target.append(UInt8(0))
    let end = bytes.readTrustedLength(at: &position) + position
    if tag == ValueTag.dictionary {
      copyEntries(bytes, end: end, to: target, appendKey)
    } else {
      while position < end { copyValue(bytes, to: target, appendKey) }
    }
    target.closeLength(at: length)
  }

  private func copyBytes(_ bytes: Span<UInt8>, from start: Int, to target: borrowing OutputBuffer) {
    target.append(contentsOf: bytes.extracting(start..<position))
  }

  // MARK: Reading

  @inline(__always)
  private mutating func readByte(_ bytes: Span<UInt8>) -> UInt8 {
    position &+= 1
    return bytes[position &- 1]
  }

  @inline(__always)
  private mutating func readKey(_ bytes: Span<UInt8>) -> KeyReference {
    let lead = readByte(bytes)
    if lead != KeyReference.inlineLead { return KeyReference(index: Form.readNumber(lead: lead, in: bytes, at: &position)) }
    let length = bytes.readTrustedLength(at: &position)
    position &+= length
    return KeyReference(inline: (position &- length)..<position)
  }

  @inline(__always)
  private mutating func skipPayload(_ bytes: Span<UInt8>, tag: UInt8) {
    let length = ValueTag.fixedLength(of: tag) ?? bytes.readTrustedLength(at: &position)
    position &+= length
  }
}

/// The lengths of values by their tags, as a table: a walk looks at each value of an archive.
private enum ValueLengths {
  /// The length of the payload, or one of the codes below.
  static let table: [UInt8] = (UInt8.min...UInt8.max).map { tag in
    switch tag {
    case ValueTag.array, ValueTag.dictionary, ValueTag.sensitive: isSpecial
    default: ValueTag.fixedLength(of: tag).map { UInt8($0) } ?? isStored
    }
  }
  /// The code for a value with a stored length.
  static let isStored: UInt8 = 0xFF
  /// The code for a container, or for the mark of a sensitive value.
  static let isSpecial: UInt8 = 0xFE
}

extension Span where Element == UInt8 {
  /// Reads a length, and moves the position past it.
  ///
  /// Nothing about it is checked again, except that it ends within the bytes.
  @inline(__always)
  fileprivate func readTrustedLength(at position: inout Int) -> Int {
    var value = 0
    var shift = 0
    while true {
      let byte = self[position]
      position &+= 1
      value |= Int(byte & 0x7F) &<< shift
      if byte < 0x80 { return value }
      shift &+= 7
    }
  }

  /// Moves a position past the two texts of a provider reference.
  fileprivate func skipProvider(at position: inout Int) {
    for _ in 0..<2 {
      let length = readTrustedLength(at: &position)
      position &+= length
    }
  }
}
