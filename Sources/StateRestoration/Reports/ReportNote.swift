public import RestorationArchive

/// An event in a report, with the path that it is about.
public struct ReportNote<Kind: RawRepresentable<String> & Sendable & Hashable>: Sendable, Hashable {
  /// The kind of the note.
  public let kind: Kind
  /// The path of the affected node, if any.
  public let path: RestorationPath?
  /// The message.
  public let message: String
}

extension ReportNote: CustomStringConvertible {
  /// The path and message.
  public var description: String { "\(path.map { "\($0.textForDisplay): " } ?? "")\(message)" }
}

extension ReportNote: Encodable {
  private enum Key: String, CodingKey {
    case kind, path, message
  }

  /// Encodes the note, using the keys of the report's JSON form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(kind.rawValue, forKey: .kind)
    try container.encodeIfPresent(path?.description, forKey: .path)
    try container.encode(message, forKey: .message)
  }
}
