/// The tags of values (Spec §6.1).
@usableFromInline
package enum ValueTag {
  @usableFromInline package static let null: UInt8 = 0x00
  @usableFromInline package static let `false`: UInt8 = 0x01
  @usableFromInline package static let `true`: UInt8 = 0x02
  @usableFromInline package static let sensitive: UInt8 = 0x03
  @usableFromInline package static let array: UInt8 = 0x04
  @usableFromInline package static let dictionary: UInt8 = 0x05
  @usableFromInline package static let string: UInt8 = 0x06
  @usableFromInline package static let data: UInt8 = 0x07
  @usableFromInline package static let url: UInt8 = 0x08
  @usableFromInline package static let uuid: UInt8 = 0x09
  @usableFromInline package static let reference: UInt8 = 0x0A
  @usableFromInline package static let positiveInteger: ClosedRange<UInt8> = 0x10...0x17
  @usableFromInline package static let negativeInteger: ClosedRange<UInt8> = 0x18...0x1F
  @usableFromInline package static let float64: ClosedRange<UInt8> = 0x20...0x28
  @usableFromInline package static let date: ClosedRange<UInt8> = 0x30...0x38
  @usableFromInline package static let smallInteger: ClosedRange<UInt8> = 0x40...0x7F
  @usableFromInline package static let shortString: ClosedRange<UInt8> = 0x80...0xBF
  @usableFromInline package static let reserved: ClosedRange<UInt8> = 0xC0...0xDF

  /// The largest integer that fits into its tag.
  @usableFromInline package static let largestSmallInteger: UInt64 = 63
  /// The longest string whose length fits into its tag.
  @usableFromInline package static let longestShortString = 63
}
