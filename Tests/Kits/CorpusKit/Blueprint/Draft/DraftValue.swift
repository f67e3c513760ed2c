/// A value as a table writes it down: what is stored, and how its JSON form looks where that is not plain from the value.
indirect enum DraftValue: Sendable {
  case null
  case bool(Bool)
  case integer(Int128)
  /// A float64 by its bits, with the JSON text: a number, or the text of a `$float`.
  case float(bits: UInt64, json: String)
  case string(String)
  case data([UInt8], base64: String)
  /// A date by the bits of its float64, with the JSON text: a time, a number, or the text of a `$float`.
  case date(bits: UInt64, json: String)
  case uuid(String)
  case url(String)
  case array([DraftValue])
  case dictionary(DraftEntries)
  case reference([String])
  /// The value of an entry that is marked as sensitive.
  case sensitive(DraftValue)
  /// Bytes in place of a value.
  case raw([Part])

  /// Data that a table computes.
  static func data(_ bytes: [UInt8]) -> DraftValue { .data(bytes, base64: Base64.encode(bytes)) }

  /// A float64 given as a number.
  static func float(_ value: Double, json: String) -> DraftValue { .float(bits: value.bitPattern, json: json) }

  /// A date given in seconds.
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
