/// The encoding of a null, bool, number or date: a tag and up to eight bytes (Spec §6.1). Each value has exactly one.
@usableFromInline
struct ScalarEncoding {
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

  @inlinable @inline(__always)
  static func bool(_ value: Bool) -> ScalarEncoding {
    ScalarEncoding(value ? ValueTag.true : ValueTag.false)
  }

  /// Creates the form of a nonnegative integer.
  @inlinable @inline(__always)
  static func integer(_ value: UInt64) -> ScalarEncoding {
    if value <= ValueTag.largestSmallInteger {
      return ScalarEncoding(ValueTag.smallInteger.lowerBound &+ UInt8(truncatingIfNeeded: value))
    }
    let count = 8 &- value.leadingZeroBitCount &>> 3
    return ScalarEncoding(ValueTag.positiveInteger.lowerBound &- 1 &+ UInt8(truncatingIfNeeded: count), value, byteCount: count)
  }

  /// Creates the form of a negative integer, given as -1 minus its value, at most 2^63-1.
  @inlinable @inline(__always)
  static func negativeInteger(complement: UInt64) -> ScalarEncoding {
    let count = max(8 &- complement.leadingZeroBitCount &>> 3, 1)
    return ScalarEncoding(ValueTag.negativeInteger.lowerBound &- 1 &+ UInt8(truncatingIfNeeded: count), complement, byteCount: count)
  }

  @inlinable @inline(__always)
  static func integer(_ value: Int64) -> ScalarEncoding {
    value >= 0 ? integer(UInt64(bitPattern: value)) : negativeInteger(complement: UInt64(bitPattern: ~value))
  }

  @inlinable @inline(__always)
  static func float64(bits: UInt64) -> ScalarEncoding {
    significantBytes(of: bits, tag: ValueTag.float64.lowerBound)
  }

  /// Creates the form of a date, given the bits of its float64.
  @inlinable @inline(__always)
  static func date(bits: UInt64) -> ScalarEncoding {
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
