/// A property that must hold for all bytes, archives or not.
///
/// A violation is thrown; a trap or hang is also one, which the caller observes. The tests run every property on every
/// corpus file and its mutations, the fuzzer on its own inputs.
public enum ArchiveProperty: String, CaseIterable, Sendable {
  /// Opening, checking and all kinds of reading end with a value or an error.
  case decoding
  /// Encoding the decoded content of a valid archive gives the same bytes.
  case identity
  /// The real and the slow checker report the same codes and offsets in the same order.
  case agreement
  /// The limits on created values, nesting levels and read bytes are respected.
  case limits
  /// Parsing the JSON form ends with a value or an error. Conversion between archives and JSON is lossless in both
  /// directions.
  case json
  /// Salvage returns a valid archive or none, with every intact node and without altered values.
  case salvage
  /// Chains of arbitrary files end with an archive and a number of applied links, and give what the slow reader gives.
  case chain

  /// Whether the property takes many times as long as the others.
  public var isExpensive: Bool {
    switch self {
    case .decoding, .identity, .limits, .json: false
    case .agreement, .salvage, .chain: true
    }
  }

  /// Throws if the property does not hold for `bytes`.
  public func check(_ bytes: [UInt8]) throws(PropertyViolation) {
    switch self {
    case .decoding: try DecodingProperty.check(bytes)
    case .identity: try IdentityProperty.check(bytes)
    case .agreement: try AgreementProperty.check(bytes)
    case .limits: try LimitsProperty.check(bytes)
    case .json: try JSONProperty.check(bytes)
    case .salvage: try SalvageProperty.check(bytes)
    case .chain: try ChainProperty.check(bytes)
    }
  }
}
