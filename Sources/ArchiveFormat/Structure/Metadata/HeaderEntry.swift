/// A value that the header may contain: any scalar (rule R-3.3-2).
package enum HeaderScalar: Sendable {
  case bool(Bool)
  case integer(UInt64)
  /// A negative integer, stored as -1 minus its value.
  case negativeInteger(complement: UInt64)
  /// The bits of a float64.
  case float64(UInt64)
  case string(String)
  case data([UInt8])
  /// The bits of a float64 of seconds.
  case date(UInt64)
  /// The bytes as two little-endian integers.
  case uuid(UInt64, UInt64)
  case url(String)

  /// The kind of the value.
  package var kind: ValueKind {
    switch self {
    case .bool: .bool
    case .integer: .integer
    case .negativeInteger: .negativeInteger
    case .float64: .float64
    case .string: .string
    case .data: .data
    case .date: .date
    case .uuid: .uuid
    case .url: .url
    }
  }

  /// Writes the value (Spec §6.1).
  package func write(to buffer: borrowing OutputBuffer) {
    switch self {
    case .bool(let value): buffer.writeBool(value)
    case .integer(let value): buffer.writeInteger(value)
    case .negativeInteger(let complement): buffer.writeNegativeInteger(complement: complement)
    case .float64(let bits): buffer.writeFloat64(bits: bits)
    case .string(let text): buffer.writeString(text)
    case .data(let bytes): buffer.writeData(bytes.span)
    case .date(let bits): buffer.writeDate(bits: bits)
    case .uuid(let first, let second): buffer.writeUUID(first, second)
    case .url(let text): buffer.writeURL(text)
    }
  }
}

/// A key of the header and its value (Spec §4.3.2).
package struct HeaderEntry: Sendable {
  /// The key.
  package var key: String
  /// The value.
  package var value: HeaderScalar

  /// Creates an entry.
  package init(key: String, value: HeaderScalar) {
    self.key = key
    self.value = value
  }

  /// The registered key, or nil if the key is not registered.
  package var registeredKey: RegisteredHeaderKey? { RegisteredHeaderKey(rawValue: key) }
}
