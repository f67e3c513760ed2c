#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A value as written in a table: the stored content, with its JSON form if that does not follow from it.
indirect enum DraftValue: Sendable {
  case null
  case bool(Bool)
  case integer(Int128)
  /// A float64 as its bits, with the JSON text: a number, or the text of a `$float`.
  case float(bits: UInt64, json: String)
  case string(String)
  case data([UInt8], base64: String)
  /// A date as the bits of its float64, with the JSON text: a time, a number, or the text of a `$float`.
  case date(bits: UInt64, json: String)
  case uuid(String)
  case url(String)
  case array([DraftValue])
  case dictionary(DraftEntries)
  case reference([String])
  /// The value of an entry marked as sensitive.
  case sensitive(DraftValue)
  /// Bytes that replace a value.
  case raw([Part])

  /// Returns data that a table computes.
  static func data(_ bytes: [UInt8]) -> DraftValue { .data(bytes, base64: Data(bytes).base64EncodedString()) }

  /// Returns a float64 from a number.
  static func float(_ value: Double, json: String) -> DraftValue { .float(bits: value.bitPattern, json: json) }

  /// Returns a date from seconds.
  static func date(_ seconds: Double, json: String) -> DraftValue { .date(bits: seconds.bitPattern, json: json) }
}

extension DraftValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral {
  init(integerLiteral value: Int64) { self = .integer(Int128(value)) }
  init(stringLiteral value: String) { self = .string(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(nilLiteral: ()) { self = .null }
}

extension DraftValue: ExpressibleByArrayLiteral {
  init(arrayLiteral elements: DraftValue...) { self = .array(elements) }
}
