/// A value (Spec chapter 2).
///
/// Text is UTF-8 bytes and floating-point numbers are bit patterns, so that equality is equality of content.
public enum SlowValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A whole number: its absolute value, and whether it is below 0.
  case integer(isNegative: Bool, magnitude: UInt64)
  case float64(bits: UInt64)
  case string([UInt8])
  case data([UInt8])
  /// Seconds since 2001-01-01T00:00:00Z.
  case date(bits: UInt64)
  case uuid([UInt8])
  case url([UInt8])
  case array([SlowValue])
  case dictionary([SlowEntry])
  case reference([[UInt8]])
  /// A value of a type of a later version, `c0` to `df`: the bytes behind its length.
  case unknown(tag: UInt8, bytes: [UInt8])
}
