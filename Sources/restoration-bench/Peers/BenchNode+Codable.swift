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
    for entry in entries { try state.encode(entry.value, forKey: BenchKey(entry.key)) }
    try container.encode(children, forKey: .children)
  }

  convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let state = try container.nestedContainer(keyedBy: BenchKey.self, forKey: .state)
    let entries = try state.allKeys.map { BenchEntry(key: $0.stringValue, value: try state.decode(BenchValue.self, forKey: $0)) }
    self.init(
      identifier: try container.decode(String.self, forKey: .identifier), type: try container.decode(String.self, forKey: .type),
      entries: entries)
    children = try container.decode([BenchNode].self, forKey: .children)
  }
}

/// A key of state.
struct BenchKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ text: String) {
    stringValue = text
  }

  init?(stringValue: String) {
    self.init(stringValue)
  }

  init?(intValue: Int) {
    nil
  }
}

extension BenchValue: Codable {
  private enum CodingKeys: String, CodingKey {
    case string = "s"
    case integer = "i"
    case double = "d"
    case bool = "b"
    case date = "t"
    case data = "x"
    case array = "a"
    case dictionary = "m"
    case selection = "c"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .string(let value): try container.encode(value, forKey: .string)
    case .integer(let value): try container.encode(value, forKey: .integer)
    case .double(let value): try container.encode(value, forKey: .double)
    case .bool(let value): try container.encode(value, forKey: .bool)
    case .date(let value): try container.encode(value, forKey: .date)
    case .data(let value): try container.encode(value, forKey: .data)
    case .array(let value): try container.encode(value, forKey: .array)
    case .selection(let value): try container.encode(value, forKey: .selection)
    case .dictionary(let entries):
      var nested = container.nestedContainer(keyedBy: BenchKey.self, forKey: .dictionary)
      for entry in entries { try nested.encode(entry.value, forKey: BenchKey(entry.key)) }
    }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let key = container.allKeys.first else {
      throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: container.codingPath, debugDescription: "no value"))
    }
    switch key {
    case .string: self = .string(try container.decode(String.self, forKey: key))
    case .integer: self = .integer(try container.decode(Int.self, forKey: key))
    case .double: self = .double(try container.decode(Double.self, forKey: key))
    case .bool: self = .bool(try container.decode(Bool.self, forKey: key))
    case .date: self = .date(try container.decode(Date.self, forKey: key))
    case .data: self = .data(try container.decode(Data.self, forKey: key))
    case .array: self = .array(try container.decode([BenchValue].self, forKey: key))
    case .selection: self = .selection(try container.decode(BenchSelection.self, forKey: key))
    case .dictionary:
      let nested = try container.nestedContainer(keyedBy: BenchKey.self, forKey: key)
      self = .dictionary(
        try nested.allKeys.map { BenchEntry(key: $0.stringValue, value: try nested.decode(BenchValue.self, forKey: $0)) })
    }
  }
}
