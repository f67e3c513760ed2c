/// A value as it lies in the bytes: its kind, and where its payload is or what it is if it fits into 64 bits.
///
/// Reading one proves that its tag, its length and its canonical form are right, but looks neither into text nor into containers, so it
/// costs the same for all sizes.
@frozen @usableFromInline
package struct RawValue: Sendable, BitwiseCopyable {
  /// What it is.
  @usableFromInline package let kind: ValueKind
  /// Its tag.
  @usableFromInline package let tag: UInt8
  /// The value of a bool (0 or 1) or integer (complement, if negative), the bits of a float64 or date; 0 for others.
  @usableFromInline package let bits: UInt64
  /// Where the payload of text, data, uuid, reference, array, dictionary and unknown values is.
  @inlinable @inline(__always)
  package var payload: Range<Int> {
    payloadStart..<payloadEnd
  }

  // A range is not bitwise copyable, two numbers are.
  @usableFromInline let payloadStart: Int
  @usableFromInline let payloadEnd: Int

  /// A null that is in no file.
  package static let null = RawValue(.null, tag: ValueTag.null, payload: 0..<0)

  @inlinable @inline(__always)
  init(_ kind: ValueKind, tag: UInt8, bits: UInt64 = 0, payload: Range<Int>) {
    self.kind = kind
    self.tag = tag
    self.bits = bits
    payloadStart = payload.lowerBound
    payloadEnd = payload.upperBound
  }
}
