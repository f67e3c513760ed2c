import Foundation

// The Codable form of the model, for the peers: what an app would write that keeps a tree of mixed values with Foundation's coders. A
// value is an object with one member, named for its type, since those formats cannot tell a date from a number or data from text.

extension BenchNode: Codable {
  private enum CodingKeys: String, CodingKey {
    case identifier, type, state, children
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(identifier, forKey: .identifier)
    try container.encode(type, forKey: .type)
    var state = container.nestedContainer(keyedBy: BenchKey.self, forKey: .state)
    for index in entries.indices { try state.encode(entries[index].value, forKey: BenchKey(entries[index].key)) }
    try container.encode(children, forKey: .children)
  }

  convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let state = try container.nestedContainer(keyedBy: BenchKey.self, forKey: .state)
    let entries = try state.allKeys.map { BenchEntry(key: $0.stringValue, value: try state.decode(BenchValue.self, forKey: $0)) }
    self.init(
      identifier: try container.decode(String.self, forKey: .identifier), type: try container.decode(String.self, forKey: .type),
      entries: entries, children: try container.decode([BenchNode].self, forKey: .children))
  }
}
