import RestorationArchive

extension PreservationReport: Encodable {
  private enum Key: String, CodingKey {
    case nodeCount, byteCount, excesses, notes, nodes
  }

  /// Encodes the report with all nodes, using the keys of its JSON form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(nodeCount, forKey: .nodeCount)
    try container.encode(byteCount, forKey: .byteCount)
    let excesses = excesses
    if !excesses.isEmpty { try container.encode(excesses, forKey: .excesses) }
    try container.encode(notes, forKey: .notes)
    try container.encode(entries(), forKey: .nodes)
  }

  /// Returns the report as JSON with sorted keys, for logs and programs.
  public func json() -> String { JSONText.text(of: self) }
}

extension PreservationReport.Entry: Encodable {
  private enum Key: String, CodingKey {
    case path, byteCount, isCarriedOver
  }

  /// Encodes the entry, using the keys of the report's JSON form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(path.description, forKey: .path)
    try container.encode(byteCount, forKey: .byteCount)
    if isCarriedOver { try container.encode(true, forKey: .isCarriedOver) }
  }
}
