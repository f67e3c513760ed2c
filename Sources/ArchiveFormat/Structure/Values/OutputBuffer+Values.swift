extension OutputBuffer {
  // Each function writes one value in its only valid form (Spec §6.1).

  /// Writes null.
  @inlinable @inline(__always)
  package func writeNull() {
    append(ValueTag.null)
  }

  /// Writes a scalar.
  @inlinable @inline(__always)
  package func write(_ scalar: ScalarEncoding) {
    append(tag: scalar.tag, scalar.bits, byteCount: scalar.byteCount)
  }

  /// Writes a string.
  @inlinable @inline(__always)
  package func writeString(_ text: String) {
    text.withUTF8Bytes { bytes in
      if bytes.count <= ValueTag.longestShortString {
        append(ValueTag.shortString.lowerBound &+ UInt8(truncatingIfNeeded: bytes.count))
        append(contentsOf: bytes)
      } else {
        writeLongString(bytes)
      }
    }
  }

  @usableFromInline
  func writeLongString(_ bytes: Span<UInt8>) {
    append(ValueTag.string)
    appendVarint(bytes.count)
    append(contentsOf: bytes)
  }

  /// Writes a data value.
  @inlinable @inline(__always)
  package func writeData(_ bytes: Span<UInt8>) {
    append(ValueTag.data)
    appendVarint(bytes.count)
    append(contentsOf: bytes)
  }

  /// Writes a url, given its text, which must not be empty.
  @inlinable @inline(__always)
  package func writeURL(_ text: String) {
    append(ValueTag.url)
    appendText(text)
  }

  /// Writes a uuid, given its bytes as two little-endian integers.
  @inlinable @inline(__always)
  package func writeUUID(_ first: UInt64, _ second: UInt64) {
    append(ValueTag.uuid)
    append(first)
    append(second)
  }

  /// Appends a string in the form of Spec §5.2: its length and its bytes, without a tag.
  @inlinable @inline(__always)
  package func appendText(_ text: String) {
    text.withUTF8Bytes { bytes in
      appendVarint(bytes.count)
      append(contentsOf: bytes)
    }
  }

  /// Appends a reference to the table key `index` (Spec §6.2).
  @inlinable @inline(__always)
  package func appendKeyReference(_ index: Int) {
    if index < KeyReference.oneByteCount {
      append(UInt8(truncatingIfNeeded: index &+ 1))
    } else {
      let rest = index &- KeyReference.oneByteCount
      append(KeyReference.twoByteLead &+ UInt8(truncatingIfNeeded: rest &>> 8))
      append(UInt8(truncatingIfNeeded: rest))
    }
  }

  /// Appends an inline key (Spec §6.2).
  package func appendInlineKey(_ bytes: Span<UInt8>) {
    append(KeyReference.inlineLead)
    appendVarint(bytes.count)
    append(contentsOf: bytes)
  }
}

/// The encoding of a bool, number or date: a tag and up to eight bytes (Spec §6.1).
///
/// Each value has exactly one.
@frozen @usableFromInline
package struct ScalarEncoding {
  @usableFromInline let tag: UInt8
  /// The bytes after the tag, in little-endian order.
  @usableFromInline let bits: UInt64
  @usableFromInline let byteCount: Int

  @inlinable @inline(__always)
  init(_ tag: UInt8, _ bits: UInt64 = 0, byteCount: Int = 0) {
    self.tag = tag
    self.bits = bits
    self.byteCount = byteCount
  }

  /// Creates the encoding of an integer of any width; nil if the format has none.
  @inlinable @inline(__always)
  package init?(exactly value: some FixedWidthInteger) {
    if let value = Int64(exactly: value) {
      self = .integer(value)
    } else if let value = UInt64(exactly: value) {
      self = .integer(value)
    } else {
      return nil
    }
  }

  @inlinable @inline(__always)
  package static func bool(_ value: Bool) -> ScalarEncoding {
    ScalarEncoding(value ? ValueTag.true : ValueTag.false)
  }

  /// Creates the form of a nonnegative integer.
  @inlinable @inline(__always)
  package static func integer(_ value: UInt64) -> ScalarEncoding {
    if value <= ValueTag.largestSmallInteger {
      return ScalarEncoding(ValueTag.smallInteger.lowerBound &+ UInt8(truncatingIfNeeded: value))
    }
    let count = 8 &- value.leadingZeroBitCount &>> 3
    return ScalarEncoding(ValueTag.positiveInteger.lowerBound &- 1 &+ UInt8(truncatingIfNeeded: count), value, byteCount: count)
  }

  /// Creates the form of a negative integer, given as -1 minus its value, at most 2^63-1.
  @inlinable @inline(__always)
  package static func negativeInteger(complement: UInt64) -> ScalarEncoding {
    let count = max(8 &- complement.leadingZeroBitCount &>> 3, 1)
    return ScalarEncoding(ValueTag.negativeInteger.lowerBound &- 1 &+ UInt8(truncatingIfNeeded: count), complement, byteCount: count)
  }

  @inlinable @inline(__always)
  package static func integer(_ value: Int64) -> ScalarEncoding {
    value >= 0 ? integer(UInt64(bitPattern: value)) : negativeInteger(complement: UInt64(bitPattern: ~value))
  }

  @inlinable @inline(__always)
  package static func float64(bits: UInt64) -> ScalarEncoding {
    significantBytes(of: bits, tag: ValueTag.float64.lowerBound)
  }

  /// Creates the form of a date, given the bits of its float64.
  @inlinable @inline(__always)
  package static func date(bits: UInt64) -> ScalarEncoding {
    significantBytes(of: bits, tag: ValueTag.date.lowerBound)
  }

  @inlinable @inline(__always)
  static func significantBytes(of bits: UInt64, tag: UInt8) -> ScalarEncoding {
    let dropped = bits.trailingZeroBitCount &>> 3
    let count = 8 &- dropped
    return ScalarEncoding(
      tag &+ UInt8(truncatingIfNeeded: count), bits &>> UInt64(truncatingIfNeeded: (dropped & 7) &* 8), byteCount: count)
  }
}
