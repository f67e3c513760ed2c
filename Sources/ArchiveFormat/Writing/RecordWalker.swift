/// Walks over records that this module has just written, to find and to copy what names keys.
///
/// It trusts them: it is not for files.
struct RecordWalker {
  private let buffer: OutputBuffer
  private var position = 0

  /// Makes a walker over the bytes of `buffer`.
  init(buffer: OutputBuffer) {
    self.buffer = buffer
  }

  // MARK: Finding

  /// Calls `visit` with the position of each key reference in the state record at `range`, those of nested dictionaries included.
  @inline(__always)
  mutating func walkRecord(_ range: Range<Int>, flags: UInt8, _ visit: (Int) -> Void) {
    position = range.lowerBound
    if flags & NodeRecord.hasProvider != 0 { skipProvider() }
    if flags & NodeRecord.hasAttributes != 0 {
      let length = readVarint()
      walkEntries(end: position &+ length, visit)
    }
    walkEntries(end: range.upperBound, visit)
  }

  /// The key number at a position that ``walkRecord(_:flags:_:)`` visited, or nil for an inline key.
  static func number(at position: Int, in buffer: OutputBuffer) -> Int? {
    let lead = buffer.byte(at: position)
    if lead == KeyReference.inlineLead { return nil }
    if lead != ProvisionalKey.longLead { return Int(lead) - 1 }
    return buffer.withSpan { Int($0.uint32(at: position + 1)) }
  }

  private mutating func walkEntries(end: Int, _ visit: (Int) -> Void) {
    while position < end {
      visit(position)
      skipKey()
      walkValue(visit)
    }
  }

  private mutating func walkValue(_ visit: (Int) -> Void) {
    var tag = readByte()
    if tag == ValueTag.sensitive { tag = readByte() }
    switch tag {
    case ValueTag.dictionary:
      let length = readVarint()
      walkEntries(end: position &+ length, visit)
    case ValueTag.array:
      let end = readVarint() &+ position
      while position < end { walkValue(visit) }
    default:
      skipPayload(tag: tag)
    }
  }

  // MARK: Copying

  /// Copies the state record at `range` to `target`, each key as `appendKey` writes it.
  mutating func copyRecord(_ range: Range<Int>, flags: UInt8, to target: OutputBuffer, _ appendKey: (Int) -> Void) {
    position = range.lowerBound
    if flags & NodeRecord.hasProvider != 0 {
      skipProvider()
      copyBytes(from: range.lowerBound, to: target)
    }
    if flags & NodeRecord.hasAttributes != 0 {
      let length = target.count
      target.append(UInt8(0))
      let end = readVarint() + position
      copyEntries(end: end, to: target, appendKey)
      target.closeLength(at: length)
    }
    copyEntries(end: range.upperBound, to: target, appendKey)
  }

  /// Copies the value at `range` to `target`, each key in it as `appendKey` writes it.
  mutating func copyValue(_ range: Range<Int>, to target: OutputBuffer, _ appendKey: (Int) -> Void) {
    position = range.lowerBound
    copyValue(to: target, appendKey)
  }

  private mutating func copyEntries(end: Int, to target: OutputBuffer, _ appendKey: (Int) -> Void) {
    while position < end {
      let start = position
      let number = Self.number(at: start, in: buffer)
      skipKey()
      if let number { appendKey(number) } else { copyBytes(from: start, to: target) }
      copyValue(to: target, appendKey)
    }
  }

  private mutating func copyValue(to target: OutputBuffer, _ appendKey: (Int) -> Void) {
    let start = position
    let tag = readByte()
    if tag == ValueTag.sensitive {
      target.append(tag)
      copyValue(to: target, appendKey)
      return
    }
    guard tag == ValueTag.dictionary || tag == ValueTag.array else {
      skipPayload(tag: tag)
      copyBytes(from: start, to: target)
      return
    }
    target.append(tag)
    let length = target.count
    target.append(UInt8(0))
    let end = readVarint() + position
    if tag == ValueTag.dictionary {
      copyEntries(end: end, to: target, appendKey)
    } else {
      while position < end { copyValue(to: target, appendKey) }
    }
    target.closeLength(at: length)
  }

  private func copyBytes(from start: Int, to target: OutputBuffer) {
    buffer.withSpan { target.append(contentsOf: $0.extracting(start..<position)) }
  }

  // MARK: Reading

  @inline(__always)
  private mutating func readByte() -> UInt8 {
    position &+= 1
    return buffer.byte(at: position &- 1)
  }

  @inline(__always)
  private mutating func readVarint() -> Int {
    var value = 0
    var shift = 0
    while true {
      let byte = readByte()
      value |= Int(byte & 0x7F) &<< shift
      if byte < 0x80 { return value }
      shift &+= 7
    }
  }

  private mutating func skipProvider() {
    for _ in 0..<2 {
      let length = readVarint()
      position &+= length
    }
  }

  @inline(__always)
  private mutating func skipKey() {
    let lead = readByte()
    if lead == KeyReference.inlineLead {
      let length = readVarint()
      position &+= length
    } else if lead == ProvisionalKey.longLead {
      position &+= ProvisionalKey.longLength &- 1
    }
  }

  @inline(__always)
  private mutating func skipPayload(tag: UInt8) {
    switch tag {
    case ValueTag.shortString: position &+= Int(tag &- ValueTag.shortString.lowerBound)
    case ValueTag.smallInteger, ValueTag.null, ValueTag.false, ValueTag.true: break
    case ValueTag.positiveInteger, ValueTag.negativeInteger: position &+= Int(tag & 7) &+ 1
    case ValueTag.float64: position &+= Int(tag &- ValueTag.float64.lowerBound)
    case ValueTag.date: position &+= Int(tag &- ValueTag.date.lowerBound)
    case ValueTag.uuid: position &+= 16
    default:
      let length = readVarint()
      position &+= length
    }
  }
}
