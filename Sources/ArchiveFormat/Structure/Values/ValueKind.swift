/// The kind of a value, independent of its tag (Spec §2).
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
