import FoundationValues

/// JSON output of reports.
enum ReportJSON {
  /// The name of a member.
  fileprivate struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  static func text(of value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Reports hold only strings, numbers and booleans, which always encode.
    guard let data = try? encoder.encode(value) else { return "{}" }
    return String(decoding: data, as: UTF8.self)
  }
}

extension Encoder {
  /// Encodes the members of an object, except nil ones.
  func encode(_ members: KeyValuePairs<String, (any Encodable)?>) throws {
    var container = container(keyedBy: ReportJSON.Key.self)
    for case (let key, let value?) in members { try container.encode(value, forKey: ReportJSON.Key(stringValue: key)) }
  }
}
