/// The type of a stored value (Spec §2), with negative integers apart.
///
/// Several tags can denote the same kind.
@frozen @usableFromInline
package enum ValueKind: UInt8, Sendable, BitwiseCopyable {
  case null, bool, integer, negativeInteger, float64, date, string, data, url, uuid, reference, array, dictionary
  /// A value type of a later version.
  case unknown

  /// Returns the kind of a tag, or nil if the tag is unassigned or marks a sensitive value.
  @inline(__always)
  package init?(tag: UInt8) {
    switch tag {
    case ValueTag.shortString, ValueTag.string: self = .string
    case ValueTag.smallInteger, ValueTag.positiveInteger: self = .integer
    case ValueTag.float64: self = .float64
    case ValueTag.false, ValueTag.true: self = .bool
    case ValueTag.date: self = .date
    case ValueTag.negativeInteger: self = .negativeInteger
    case ValueTag.null: self = .null
    case ValueTag.array: self = .array
    case ValueTag.dictionary: self = .dictionary
    case ValueTag.data: self = .data
    case ValueTag.url: self = .url
    case ValueTag.uuid: self = .uuid
    case ValueTag.reference: self = .reference
    case ValueTag.reserved: self = .unknown
    default: return nil
    }
  }

  /// Whether the payload is text.
  package var isText: Bool { self == .string || self == .url }

  /// The name of the kind in messages and listings.
  package var name: String {
    switch self {
    case .integer, .negativeInteger: "integer"
    case .unknown: "value of an unknown type"
    default: "\(self)"
    }
  }
}

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

  /// Returns the number of bytes after a tag that follows from the tag alone; nil if a stored length follows, or if the
  /// tag is a mark or unassigned.
  @inline(__always)
  static func fixedLength(of tag: UInt8) -> Int? {
    switch tag {
    case shortString: Int(tag &- shortString.lowerBound)
    case smallInteger, null, `false`, `true`: 0
    case positiveInteger, negativeInteger: Int(tag & 7) &+ 1
    case float64: Int(tag &- float64.lowerBound)
    case date: Int(tag &- date.lowerBound)
    case uuid: 16
    default: nil
    }
  }
}

/// A reference to the key of an entry: an index in the key table, or an inline key (Spec §6.2).
@frozen @usableFromInline
package struct KeyReference: Sendable {
  /// The first byte of an inline key.
  @usableFromInline package static let inlineLead: UInt8 = 0x00
  /// The number of table indexes that fit into one byte.
  @usableFromInline package static let oneByteCount = 239
  /// The lowest first byte of a two-byte reference.
  @usableFromInline package static let twoByteLead: UInt8 = 0xF0

  /// The index in the key table, or -1 for an inline key.
  ///
  /// While a record is being written, it is the number that the writer gave the key.
  @usableFromInline package let index: Int
  /// The range of the bytes of an inline key; empty for a table key.
  @usableFromInline package let inlineRange: Range<Int>

  /// Creates a reference into the key table.
  @inlinable @inline(__always)
  package init(index: Int) {
    self.index = index
    inlineRange = 0..<0
  }

  /// Creates a reference to an inline key.
  package init(inline range: Range<Int>) {
    index = -1
    inlineRange = range
  }

  /// Whether the entry contains the key itself.
  @inlinable @inline(__always)
  package var isInline: Bool {
    index < 0
  }
}
