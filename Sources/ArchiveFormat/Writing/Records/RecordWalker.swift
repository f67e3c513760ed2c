/// Walks records just written by this module, or those of a checked file, to find and copy key references.
///
/// Trusts the bytes, so it must not be used on files with findings; the nesting that a writer and a checker permit bounds
/// its recursion. The bytes are an argument of each call, because a span cannot be stored.
struct RecordWalker<Form: KeyForm> {
  private(set) var position = 0

  init() {}

  /// Creates a walker at the position of a value or an entry.
  init(at position: Int) {
    self.position = position
  }

  // MARK: Finding

  /// Calls `visit` with each key reference in the state record at `range`, including those in nested dictionaries.
  @inline(__always)
  mutating func walkRecord(_ range: Range<Int>, of bytes: Span<UInt8>, flags: UInt8, _ visit: (KeyReference) -> Void) {
    position = range.lowerBound
    if flags & NodeRecord.hasProvider != 0 { bytes.skipCheckedProvider(at: &position) }
    if flags & NodeRecord.hasAttributes != 0 {
      let length = bytes.checkedVarint(at: &position)
      walkEntries(bytes, end: position &+ length, visit)
    }
    walkEntries(bytes, end: range.upperBound, visit)
  }

  private mutating func walkEntries(_ bytes: Span<UInt8>, end: Int, _ visit: (KeyReference) -> Void) {
    while position < end {
      visit(readKey(bytes))
      walkValue(bytes, visit)
    }
  }

  /// Walks the value at the current position, and calls `visit` with each key reference in it.
  mutating func walkValue(_ bytes: Span<UInt8>, _ visit: (KeyReference) -> Void) {
    var tag = readByte(bytes)
    if tag == ValueTag.sensitive { tag = readByte(bytes) }
    switch tag {
    case ValueTag.dictionary:
      let length = bytes.checkedVarint(at: &position)
      walkEntries(bytes, end: position &+ length, visit)
    case ValueTag.array:
      let end = bytes.checkedVarint(at: &position) &+ position
      while position < end { walkValue(bytes, visit) }
    default:
      skipPayload(bytes, tag: tag)
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
      bytes.skipCheckedProvider(at: &position)
      copyBytes(bytes, from: range.lowerBound, to: target)
    }
    if flags & NodeRecord.hasAttributes != 0 {
      let length = target.count
      target.append(UInt8(0))
      let end = bytes.checkedVarint(at: &position) + position
      copyEntries(bytes, end: end, to: target, appendKey)
      target.closeLength(at: length)
    }
    copyEntries(bytes, end: range.upperBound, to: target, appendKey)
  }

  /// Copies the value at `range` to `target`, and calls `appendKey` to write each key in it.
  mutating func copyValue(
    _ range: Range<Int>, of bytes: Span<UInt8>, to target: borrowing OutputBuffer, _ appendKey: (KeyReference) -> Void
  ) {
    position = range.lowerBound
    copyValue(bytes, to: target, appendKey)
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
    let length = bytes.checkedVarint(at: &position)
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

  /// Copies the value at the current position.
  mutating func copyNextValue(_ bytes: Span<UInt8>, to target: borrowing OutputBuffer, _ appendKey: (KeyReference) -> Void) {
    copyValue(bytes, to: target, appendKey)
  }

  private mutating func copyEntries(
    _ bytes: Span<UInt8>, end: Int, to target: borrowing OutputBuffer, _ appendKey: (KeyReference) -> Void
  ) {
    while position < end {
      if let key = copyKeyIfTooLong(bytes, to: target) { appendKey(key) }
      copyValue(bytes, to: target, appendKey)
    }
  }

  private mutating func copyValue(_ bytes: Span<UInt8>, to target: borrowing OutputBuffer, _ appendKey: (KeyReference) -> Void) {
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
    let end = bytes.checkedVarint(at: &position) + position
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
    let length = bytes.checkedVarint(at: &position)
    position &+= length
    return KeyReference(inline: (position &- length)..<position)
  }

  @inline(__always)
  private mutating func skipPayload(_ bytes: Span<UInt8>, tag: UInt8) {
    let length = ValueTag.fixedLength(of: tag) ?? bytes.checkedVarint(at: &position)
    position &+= length
  }
}
