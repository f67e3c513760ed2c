/// What must hold for all bytes, archives or not.
///
/// A violation is thrown; a trap or a hang is one too, which the caller sees. The tests run every property on every file of the corpus and
/// on mutations of it, the fuzzer on whatever it comes up with.
public enum ArchiveProperty: String, CaseIterable, Sendable {
  /// Opening, checking and reading in every way end with a value or an error.
  case decoding
  /// Encoding what was decoded from a valid archive gives the same bytes.
  case identity
  /// The real and the slow checker find the same: codes, offsets, order.
  case agreement
  /// Limits are kept: values made, levels entered, bytes read.
  case limits
  /// The scanner of the JSON form ends with a value or an error; archives and JSON go both ways without loss.
  case json
  /// Salvage gives a valid archive or none, with every intact node and no altered value.
  case salvage

  /// Whether it takes many times as long as the others.
  public var isExpensive: Bool {
    switch self {
    case .decoding, .identity, .limits, .json: false
    case .agreement, .salvage: true
    }
  }

  /// Throws if the property does not hold for these bytes.
  public func check(_ bytes: [UInt8]) throws(PropertyViolation) {
    switch self {
    case .decoding: try DecodingProperty.check(bytes)
    case .identity: try IdentityProperty.check(bytes)
    case .agreement: try AgreementProperty.check(bytes)
    case .limits: try LimitsProperty.check(bytes)
    case .json: try JSONProperty.check(bytes)
    case .salvage: try SalvageProperty.check(bytes)
    }
  }
}
