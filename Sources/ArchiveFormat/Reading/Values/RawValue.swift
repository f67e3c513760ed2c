/// A value as stored in the bytes: its kind, and its content if that fits into 64 bits, otherwise the range of its
/// payload.
///
/// Reading a value proves that its tag, length and canonical form are valid. It does not read text or the content of
/// containers, so it costs the same for all sizes.
@frozen @usableFromInline
package struct RawValue: Sendable, BitwiseCopyable {
  /// The kind of the value.
  @usableFromInline package let kind: ValueKind
  /// The tag of the value.
  @usableFromInline package let tag: UInt8
  /// The bits of the value: 0 or 1 for a bool, the integer (its complement if negative), or the bits of a float64 or
  /// date.
  ///
  /// 0 for other kinds.
  @usableFromInline package let bits: UInt64
  /// The range of the payload, for text, data, uuid, reference, array, dictionary and unknown values.
  @inlinable @inline(__always)
  package var payload: Range<Int> {
    payloadStart..<payloadEnd
  }

  // Two numbers, because a range is not bitwise copyable.
  @usableFromInline let payloadStart: Int
  @usableFromInline let payloadEnd: Int

  /// A null that is not stored in any file.
  @usableFromInline package static let null = RawValue(.null, tag: ValueTag.null, payload: 0..<0)

  /// Creates a value.
  @inlinable @inline(__always)
  package init(_ kind: ValueKind, tag: UInt8, bits: UInt64 = 0, payload: Range<Int>) {
    self.kind = kind
    self.tag = tag
    self.bits = bits
    payloadStart = payload.lowerBound
    payloadEnd = payload.upperBound
  }
}

extension ByteCursor {
  /// Reads a value without reading text or the content of containers (Spec §6.1; checks E8, E9 and E11 to E14 of §7.2).
  @inlinable @inline(__always)
  package mutating func readValue(in bytes: Span<UInt8>) throws(FormatError) -> RawValue {
    WorkMeter.count(1)
    guard position < end else { return try readRemainingKinds(in: bytes) }
    let tag = bytes[position]
    switch tag {
    case ValueTag.shortString:
      let length = Int(tag &- ValueTag.shortString.lowerBound)
      guard length < remaining else { return try readRemainingKinds(in: bytes) }
      let start = position &+ 1
      position = start &+ length
      return RawValue(.string, tag: tag, payload: start..<position)
    case ValueTag.smallInteger:
      position &+= 1
      return RawValue(.integer, tag: tag, bits: UInt64(tag &- ValueTag.smallInteger.lowerBound), payload: position..<position)
    case ValueTag.false, ValueTag.true:
      position &+= 1
      return RawValue(.bool, tag: tag, bits: UInt64(tag &- ValueTag.false), payload: position..<position)
    case ValueTag.positiveInteger:
      return try readInteger(in: bytes, tag: tag, kind: .integer, count: Int(tag &- ValueTag.positiveInteger.lowerBound) &+ 1)
    case ValueTag.float64:
      return try readSignificantBytes(in: bytes, tag: tag, kind: .float64, count: Int(tag &- ValueTag.float64.lowerBound))
    case ValueTag.date:
      return try readSignificantBytes(in: bytes, tag: tag, kind: .date, count: Int(tag &- ValueTag.date.lowerBound))
    default:
      return try readRemainingKinds(in: bytes)
    }
  }

  /// Reads the rarer or longer kinds, and throws all errors about tags.
  @inline(never) @usableFromInline
  mutating func readRemainingKinds(in bytes: Span<UInt8>) throws(FormatError) -> RawValue {
    let start = position
    let tag = try readByte(in: bytes, "value tag")
    switch tag {
    case ValueTag.null:
      return RawValue(.null, tag: tag, payload: position..<position)
    case ValueTag.negativeInteger:
      position = start
      return try readInteger(
        in: bytes, tag: tag, kind: .negativeInteger, count: Int(tag &- ValueTag.negativeInteger.lowerBound) &+ 1)
    case ValueTag.string:
      return try readLongString(in: bytes, tag: tag, at: start)
    case ValueTag.url:
      return RawValue(.url, tag: tag, payload: try readString(in: bytes, bounds: 1...Int.max, "url"))
    case ValueTag.uuid:
      return RawValue(.uuid, tag: tag, payload: try readRange(of: 16, "uuid"))
    case ValueTag.array, ValueTag.dictionary, ValueTag.data, ValueTag.reference, ValueTag.reserved:
      let payload = try readLength(in: bytes, "value")
      position = payload.upperBound
      return RawValue(ValueKind(tag: tag) ?? .unknown, tag: tag, payload: payload)
    case ValueTag.shortString:
      throw FormatError(
        .lengthPastEnd, at: fileOffset + start, "string length", expected: "at most \(remaining) bytes left",
        found: .number(tag - ValueTag.shortString.lowerBound))
    case ValueTag.sensitive:
      throw FormatError(.sensitiveMisplaced, at: fileOffset + start, "mark of a sensitive value", expected: "a value")
    default:
      throw FormatError(.invalidTag, at: fileOffset + start, "value tag", expected: "an assigned tag", found: .hexadecimal(tag))
    }
  }

  /// Reads a tag and the `count` bytes after it as an integer.
  @inlinable @inline(__always)
  mutating func readInteger(
    in bytes: Span<UInt8>, tag: UInt8, kind: ValueKind, count: Int
  ) throws(FormatError) -> RawValue {
    let start = position
    position &+= 1
    let range = try readRange(of: count, "integer")
    let bits = bytes.leastSignificantBytes(at: range)
    if kind == .negativeInteger && bits > UInt64(Int64.max) { throw integerRangeError(at: start) }
    let least: UInt64 = count == 1 ? (kind == .integer ? ValueTag.largestSmallInteger &+ 1 : 0) : 1 &<< UInt64(8 &* (count &- 1))
    guard bits >= least else { throw minimalError(.integerNotMinimal, "integer", at: start, count: count) }
    return RawValue(kind, tag: tag, bits: bits, payload: range)
  }

  /// Reads a tag and the `count` bytes after it as the most significant bytes of a 64-bit value.
  @inlinable @inline(__always)
  mutating func readSignificantBytes(
    in bytes: Span<UInt8>, tag: UInt8, kind: ValueKind, count: Int
  ) throws(FormatError) -> RawValue {
    let start = position
    position &+= 1
    let range = try readRange(of: count, "float64")
    if count == 0 { return RawValue(kind, tag: tag, payload: range) }
    guard bytes[range.lowerBound] != 0 else { throw minimalError(.floatNotMinimal, "float64", at: start, count: count) }
    let bits = bytes.leastSignificantBytes(at: range) &<< UInt64(truncatingIfNeeded: 64 &- 8 &* count)
    return RawValue(kind, tag: tag, bits: bits, payload: range)
  }

  @inline(never) @usableFromInline
  func integerRangeError(at start: Int) -> FormatError {
    FormatError(.integerRange, at: fileOffset + start, "integer", expected: "at least -2^63")
  }

  @inline(never) @usableFromInline
  func minimalError(_ code: FormatErrorCode, _ subject: String, at start: Int, count: Int) -> FormatError {
    FormatError(code, at: fileOffset + start, subject, expected: "the fewest bytes", found: "\(count)")
  }

  private mutating func readLongString(in bytes: Span<UInt8>, tag: UInt8, at start: Int) throws(FormatError) -> RawValue {
    let payload = try readLength(in: bytes, "string")
    guard payload.count > ValueTag.longestShortString else {
      throw FormatError(
        .stringNotMinimal, at: fileOffset + start, "string length", expected: "at least 64 in the long form", found: .number(payload.count))
    }
    position = payload.upperBound
    return RawValue(.string, tag: tag, payload: payload)
  }

  /// Skips a plain value, including its text, and returns whether it did (see ``PlainValueRule``).
  ///
  /// Contains no calls. Any other value, valid or not, and a value close to the end of `bytes` is left to
  /// ``readValue(in:)``, which implements all rules.
  @inline(__always)
  package mutating func skipPlainValue(in bytes: Span<UInt8>, by table: PlainValueTable) -> Bool {
    let length = bytes.extracting(position..<bytes.count).lengthOfPlainValue(at: 0, by: table)
    guard length != 0, length <= remaining else { return false }
    position &+= length
    return true
  }

  /// Reads the next component of a reference, whose payload this cursor covers.
  package mutating func readComponent(in bytes: Span<UInt8>) throws(FormatError) -> Range<Int> {
    try readString(in: bytes, bounds: FormatLimits.identifier, "component of a reference")
  }

  /// Throws unless the payload of a reference, which this cursor covers, is a path of identifiers (checks E1 and E15 of
  /// Spec §7.2).
  package mutating func validateReference(in bytes: Span<UInt8>) throws(FormatError) {
    let tagOffset = offset - OutputBuffer.varintLength(remaining) - 1
    var count = 0
    while !isAtEnd {
      count += 1
      guard count <= FormatLimits.pathComponents else {
        throw FormatError(
          .pathDepth, at: tagOffset, "reference", expected: "at most \(FormatLimits.pathComponents) components", rule: "R-6.1-7")
      }
      let component = try readComponent(in: bytes)
      try validateText(in: bytes, at: component, "component of a reference")
    }
    if count == 0 {
      throw FormatError(.emptyReference, at: tagOffset, "reference", expected: "at least one component", found: "none")
    }
  }
}
