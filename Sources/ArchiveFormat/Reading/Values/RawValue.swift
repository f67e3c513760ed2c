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

  @inlinable @inline(__always)
  init(_ kind: ValueKind, tag: UInt8, bits: UInt64 = 0, payload: Range<Int>) {
    self.kind = kind
    self.tag = tag
    self.bits = bits
    payloadStart = payload.lowerBound
    payloadEnd = payload.upperBound
  }
}
