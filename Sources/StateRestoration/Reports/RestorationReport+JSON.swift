import FoundationValues
import RestorationArchive

extension RestorationReport: Encodable {
  private enum Key: String, CodingKey {
    case decision, refusal, application, applicationError, applicationUpgradedFrom, applicationUpgradedTo, nodes, notes, isDegraded, summary
  }

  /// Encodes the report, using the keys of its JSON form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(summary, forKey: .summary)
    try container.encode(decision.rawValue, forKey: .decision)
    try container.encodeIfPresent(refusal, forKey: .refusal)
    try container.encode(application.name, forKey: .application)
    try container.encodeIfPresent(applicationError, forKey: .applicationError)
    try container.encodeIfPresent(applicationUpgrade?.lowerBound, forKey: .applicationUpgradedFrom)
    try container.encodeIfPresent(applicationUpgrade?.upperBound, forKey: .applicationUpgradedTo)
    try container.encode(isDegraded, forKey: .isDegraded)
    try container.encode(nodes, forKey: .nodes)
    try container.encode(notes, forKey: .notes)
  }

  /// Returns the report as JSON with sorted keys, for logs and programs.
  public func json() -> String { JSONText.text(of: self) }
}

extension RestorationReport.NodeResult: Encodable {
  private enum Key: String, CodingKey {
    case path, archivedPath, type, outcome, rule, place, upgradedFrom, upgradedTo, isCarriedOver, isKept, isAdded, error, why, trace
  }

  /// Encodes the node, using the keys of the report's JSON form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(path.description, forKey: .path)
    try container.encodeIfPresent(archivedPath?.description, forKey: .archivedPath)
    try container.encodeIfPresent(type, forKey: .type)
    try container.encode(outcome.name, forKey: .outcome)
    try container.encodeIfPresent(rule?.description, forKey: .rule)
    try container.encodeIfPresent(rule?.place?.description, forKey: .place)
    try container.encodeIfPresent(upgrade?.lowerBound, forKey: .upgradedFrom)
    try container.encodeIfPresent(upgrade?.upperBound, forKey: .upgradedTo)
    if isCarriedOver { try container.encode(true, forKey: .isCarriedOver) }
    if isKept { try container.encode(true, forKey: .isKept) }
    if isAdded { try container.encode(true, forKey: .isAdded) }
    try container.encodeIfPresent(error, forKey: .error)
    try container.encode(sentence(refusal: nil), forKey: .why)
    if !trace.isEmpty { try container.encode(trace, forKey: .trace) }
  }
}

/// JSON output of reports.
enum JSONText {
  static func text(of value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Reports hold only strings, numbers and booleans, which always encode.
    guard let data = try? encoder.encode(value) else { return "{}" }
    return String(decoding: data, as: UTF8.self)
  }
}
