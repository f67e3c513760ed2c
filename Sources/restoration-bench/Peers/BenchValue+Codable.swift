import Foundation

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
      for index in entries.indices { try nested.encode(entries[index].value, forKey: BenchKey(entries[index].key)) }
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
