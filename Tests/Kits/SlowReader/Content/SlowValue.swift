/// A value (Spec chapter 2).
///
/// Text is UTF-8 bytes and floating-point numbers are bit patterns, so that equality is equality of content.
public enum SlowValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// An integer, as its sign and absolute value.
  case integer(isNegative: Bool, magnitude: UInt64)
  case float64(bits: UInt64)
  case string([UInt8])
  case data([UInt8])
  /// The seconds since 2001-01-01T00:00:00Z.
  case date(bits: UInt64)
  case uuid([UInt8])
  case url([UInt8])
  case array([SlowValue])
  case dictionary([SlowEntry])
  case reference([[UInt8]])
  /// A value of an unknown type, `c0` to `df`: the bytes after its length.
  case unknown(tag: UInt8, bytes: [UInt8])
}

/// A key with its value, in state, attributes or a dictionary (Spec 6.2).
public struct SlowEntry: Hashable, Sendable {
  /// The key as UTF-8.
  public var key: [UInt8]
  /// Whether the value is marked as sensitive; always false in attributes.
  public var isSensitive: Bool
  /// The value.
  public var value: SlowValue

  /// Creates an entry.
  public init(key: [UInt8], isSensitive: Bool = false, value: SlowValue) {
    self.key = key
    self.isSensitive = isSensitive
    self.value = value
  }
}
