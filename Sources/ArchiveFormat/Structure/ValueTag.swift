/// The tags of values (Spec §6.1).
package enum ValueTag {
  package static let null: UInt8 = 0x00
  package static let `false`: UInt8 = 0x01
  package static let `true`: UInt8 = 0x02
  package static let sensitive: UInt8 = 0x03
  package static let array: UInt8 = 0x04
  package static let dictionary: UInt8 = 0x05
  package static let string: UInt8 = 0x06
  package static let data: UInt8 = 0x07
  package static let url: UInt8 = 0x08
  package static let uuid: UInt8 = 0x09
  package static let reference: UInt8 = 0x0A
  package static let positiveInteger: ClosedRange<UInt8> = 0x10...0x17
  package static let negativeInteger: ClosedRange<UInt8> = 0x18...0x1F
  package static let float64: ClosedRange<UInt8> = 0x20...0x28
  package static let date: ClosedRange<UInt8> = 0x30...0x38
  package static let smallInteger: ClosedRange<UInt8> = 0x40...0x7F
  package static let shortString: ClosedRange<UInt8> = 0x80...0xBF
  package static let reserved: ClosedRange<UInt8> = 0xC0...0xDF

  /// The largest integer that is stored in its tag.
  package static let largestSmallInteger: UInt64 = 63
  /// The longest string whose length is stored in its tag.
  package static let longestShortString = 63
}
