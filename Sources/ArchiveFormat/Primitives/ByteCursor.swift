/// A position in a run of bytes, with the end of the structure being read.
///
/// Operations performed for every value can be inlined into other modules, which would otherwise pass each value
/// through memory.
///
/// The bytes are an argument of each call, because a span cannot be stored. `read…` advances, every read is checked
/// against `end`, and errors carry the offset in the file:
///
///     bytes    … 05 68 65 6c 6c 6f | 41 …        a span; index 0 lies at `fileOffset` in the file
///                ^ position          ^ end       readString gives the range of "hello" and moves to `end`
@frozen @usableFromInline
package struct ByteCursor {
  /// The index of the next byte to read.
  @usableFromInline package var position: Int
  /// The index after the last byte of the structure.
  @usableFromInline package let end: Int
  /// The offset in the file of index 0.
  @usableFromInline package let fileOffset: Int

  /// Creates a cursor over `range` of bytes whose index 0 lies at `fileOffset` in the file.
  @inlinable @inline(__always)
  package init(_ range: Range<Int>, fileOffset: Int) {
    position = range.lowerBound
    end = range.upperBound
    self.fileOffset = fileOffset
  }

  /// Whether no bytes remain.
  @inlinable @inline(__always)
  package var isAtEnd: Bool {
    position >= end
  }

  /// The number of remaining bytes.
  @inlinable @inline(__always)
  package var remaining: Int {
    end &- position
  }

  /// The offset in the file of the next byte to read.
  package var offset: Int { fileOffset + position }

  /// Reads one byte.
  @inline(__always)
  package mutating func readByte(in bytes: Span<UInt8>, _ subject: StaticString) throws(FormatError) -> UInt8 {
    guard position < end else { throw endError(subject, needs: 1) }
    let byte = bytes[position]
    position &+= 1
    return byte
  }

  /// Skips `count` bytes and returns their range.
  @inlinable @inline(__always)
  package mutating func readRange(of count: Int, _ subject: StaticString) throws(FormatError) -> Range<Int> {
    guard count <= remaining else { throw endError(subject, needs: count) }
    let start = position
    position &+= count
    return start..<position
  }

  /// Reads a varint (Spec §5.1).
  @inline(__always)
  package mutating func readVarint(in bytes: Span<UInt8>, _ subject: StaticString) throws(FormatError) -> UInt32 {
    if position < end {
      let byte = bytes[position]
      if byte < 0x80 {
        position &+= 1
        return UInt32(byte)
      }
    }
    return try readLongVarint(in: bytes, subject)
  }

  @inline(never)
  private mutating func readLongVarint(in bytes: Span<UInt8>, _ subject: StaticString) throws(FormatError) -> UInt32 {
    var value: UInt32 = 0
    var index = position
    for shift in stride(from: UInt32(0), through: 28, by: 7) {
      guard index < end else { throw endError(subject, needs: index - position + 1) }
      let byte = bytes[index]
      if shift == 28, byte > 0x0F {
        throw FormatError(.varintTooLarge, at: offset, "\(subject)", expected: "at most 4294967295")
      }
      value |= UInt32(byte & 0x7F) &<< shift
      index += 1
      if byte < 0x80 {
        guard byte != 0 || shift == 0 else {
          throw FormatError(.varintNotMinimal, at: offset, "\(subject)", expected: "the fewest bytes")
        }
        position = index
        return value
      }
    }
    // Unreachable: the fifth byte is at most 0x0F, so the loop has returned.
    throw FormatError(.varintTooLarge, at: offset, "\(subject)")
  }

  /// Reads a varint that counts the bytes after it, and returns their range without skipping them.
  @inline(__always)
  package mutating func readLength(in bytes: Span<UInt8>, _ subject: StaticString) throws(FormatError) -> Range<Int> {
    let start = position
    let length = Int(clamping: try readVarint(in: bytes, subject))
    guard length <= remaining else { throw lengthError(subject, length: length, at: start) }
    return position..<(position &+ length)
  }

  /// Reads a string whose length must be within `bounds`, and returns the range of its text, which is not validated
  /// (Spec §5.2).
  @inline(__always)
  package mutating func readString(
    in bytes: Span<UInt8>, bounds: ClosedRange<Int>, _ subject: StaticString
  ) throws(FormatError) -> Range<Int> {
    let start = position
    let length = Int(clamping: try readVarint(in: bytes, subject))
    guard bounds.contains(length) else {
      throw FormatError(
        .stringLength, at: fileOffset + start, "\(subject) length", expected: "\(bounds.lowerBound) to \(bounds.upperBound)",
        found: .number(length))
    }
    guard length <= remaining else { throw lengthError(subject, length: length, at: start) }
    position &+= length
    return (position &- length)..<position
  }

  /// Throws unless the text at `range` is well-formed UTF-8 (rule R-5.2-1).
  @inline(__always)
  package func validateText(
    in bytes: Span<UInt8>, at range: Range<Int>, _ subject: StaticString
  ) throws(FormatError) {
    if bytes.isASCII(at: range) { return }
    try validateOtherText(in: bytes, at: range, subject)
  }

  @inline(never)
  private func validateOtherText(
    in bytes: Span<UInt8>, at range: Range<Int>, _ subject: StaticString
  ) throws(FormatError) {
    guard let place = bytes.extracting(range).firstIllFormedUTF8() else { return }
    throw FormatError(
      .invalidUTF8, at: fileOffset + range.lowerBound + place, "\(subject)", expected: "UTF-8", found: "an ill-formed sequence")
  }

  /// Reads a string whose length must be within `bounds`, validates it and returns the range of its text.
  package mutating func readText(
    in bytes: Span<UInt8>, bounds: ClosedRange<Int>, _ subject: StaticString
  ) throws(FormatError) -> Range<Int> {
    let range = try readString(in: bytes, bounds: bounds, subject)
    try validateText(in: bytes, at: range, subject)
    return range
  }

  @inline(never) @usableFromInline
  func endError(_ subject: StaticString, needs count: Int) -> FormatError {
    FormatError(.unexpectedEnd, at: offset, "\(subject)", expected: "\(count) \(count == 1 ? "byte" : "bytes")", found: "\(remaining) left")
  }

  @inline(never)
  func lengthError(_ subject: StaticString, length: Int, at start: Int) -> FormatError {
    FormatError(
      .lengthPastEnd, at: fileOffset + start, "\(subject) length", expected: "at most \(remaining) bytes left", found: .number(length))
  }
}
