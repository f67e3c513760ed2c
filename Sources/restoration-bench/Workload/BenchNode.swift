import Foundation

/// A node of the model that every contender encodes and decodes.
///
/// Contenders walk its arrays by index, which copies each value once. A `for` loop would copy it with its key, and
/// `switch` once more.
final class BenchNode: Equatable {
  let identifier: String
  let type: String
  let entries: [BenchEntry]
  let children: [BenchNode]

  init(identifier: String, type: String, entries: [BenchEntry], children: [BenchNode]) {
    self.identifier = identifier
    self.type = type
    self.entries = entries
    self.children = children
  }

  /// Copies a draft with its descendants.
  ///
  /// The copy lies in memory in traversal order, as the state of a restored app does. The draft is built level by
  /// level, so every step of a traversal would wait for memory. For the same reason the object is allocated here,
  /// before the values that it refers to.
  init(inPreorder draft: DraftNode) {
    identifier = draft.identifier.copied
    type = draft.type
    entries = draft.entries.map(\.copied)
    children = draft.children.map(BenchNode.init(inPreorder:))
  }

  static func == (left: BenchNode, right: BenchNode) -> Bool {
    left.identifier == right.identifier && left.type == right.type && left.entries == right.entries && left.children == right.children
  }
}

/// A value under a key.
struct BenchEntry: Equatable {
  var key: String
  var value: BenchValue

  /// A copy of the entry whose strings and data have their own memory.
  fileprivate var copied: BenchEntry { BenchEntry(key: key, value: value.copied) }
}

/// A value of the model.
enum BenchValue: Equatable {
  case string(String)
  case integer(Int)
  case double(Double)
  case bool(Bool)
  case date(Date)
  case data(Data)
  /// Strings and integers.
  case array([BenchValue])
  case dictionary([BenchEntry])
  /// A value of a Codable type.
  indirect case selection(BenchSelection)

  fileprivate var copied: BenchValue {
    switch self {
    case .string(let text): .string(text.copied)
    case .integer, .double, .bool, .date: self
    case .data(let data): .data(Data(Array(data)))
    case .array(let elements): .array(elements.map(\.copied))
    case .dictionary(let entries): .dictionary(entries.map(\.copied))
    case .selection(let selection):
      .selection(BenchSelection(section: selection.section, row: selection.row, identifier: selection.identifier.copied))
    }
  }
}

/// The Codable value that some entries hold.
struct BenchSelection: Codable, Equatable {
  var section: Int
  var row: Int
  var identifier: String
}

extension String {
  fileprivate var copied: String { String(decoding: Array(utf8), as: UTF8.self) }
}

// The Codable form of the model as a user would write it: every value directly under its key, without a wrapper. A
// decoder must know the type under each key, as an app does; ``NodeShape`` supplies it.

/// The types of the values of a node and of its descendants.
final class NodeShape {
  let fields: [FieldShape]
  let children: [NodeShape]

  init(_ node: BenchNode) {
    fields = node.entries.map { FieldShape($0) }
    children = node.children.map { NodeShape($0) }
  }

  /// The shape of the next node to be decoded.
  ///
  /// A global variable, since reading `userInfo` would copy a dictionary for each node, at the expense of Foundation's
  /// decoders.
  nonisolated(unsafe) fileprivate(set) static var next: NodeShape?
}

/// The type of the value under a key.
struct FieldShape {
  let key: BenchKey
  let shape: ValueShape

  init(_ entry: BenchEntry) {
    key = BenchKey(entry.key)
    shape = ValueShape(entry.value)
  }
}

/// The type of a value.
indirect enum ValueShape {
  case string, integer, double, bool, date, data, selection
  case array([ValueShape])
  case dictionary([FieldShape])

  init(_ value: BenchValue) {
    switch value {
    case .string: self = .string
    case .integer: self = .integer
    case .double: self = .double
    case .bool: self = .bool
    case .date: self = .date
    case .data: self = .data
    case .selection: self = .selection
    case .array(let elements): self = .array(elements.map { ValueShape($0) })
    case .dictionary(let entries): self = .dictionary(entries.map { FieldShape($0) })
    }
  }
}

/// A key of the model.
struct BenchKey: CodingKey {
  static let identifier = BenchKey("identifier")
  static let type = BenchKey("type")
  static let children = BenchKey("children")

  let stringValue: String
  var intValue: Int? { nil }

  init(_ text: String) { stringValue = text }

  init?(stringValue: String) { self.init(stringValue) }

  init?(intValue: Int) { nil }
}

// MARK: Encoding

extension BenchNode: Codable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: BenchKey.self)
    try container.encode(identifier, forKey: .identifier)
    try container.encode(type, forKey: .type)
    for index in entries.indices { try container.encode(entries[index].value, under: BenchKey(entries[index].key)) }
    try container.encode(children, forKey: .children)
  }

  convenience init(from decoder: any Decoder) throws {
    guard let shape = unsafe NodeShape.next else { throw BenchError("a node of unknown shape") }
    let container = try decoder.container(keyedBy: BenchKey.self)
    let entries = try shape.fields.map { BenchEntry(key: $0.key.stringValue, value: try container.decode($0.shape, under: $0.key)) }
    self.init(
      identifier: try container.decode(String.self, forKey: .identifier), type: try container.decode(String.self, forKey: .type),
      entries: entries, children: try container.decode(BenchForest.self, forKey: .children, as: shape.children).nodes)
  }
}

extension KeyedEncodingContainer<BenchKey> {
  fileprivate mutating func encode(_ value: BenchValue, under key: BenchKey) throws {
    switch value {
    case .string(let value): try encode(value, forKey: key)
    case .integer(let value): try encode(value, forKey: key)
    case .double(let value): try encode(value, forKey: key)
    case .bool(let value): try encode(value, forKey: key)
    case .date(let value): try encode(value, forKey: key)
    case .data(let value): try encode(value, forKey: key)
    case .selection(let value): try encode(value, forKey: key)
    case .array(let elements):
      var nested = nestedUnkeyedContainer(forKey: key)
      for index in elements.indices { try nested.encode(elements[index]) }
    case .dictionary(let entries):
      var nested = nestedContainer(keyedBy: BenchKey.self, forKey: key)
      for index in entries.indices { try nested.encode(entries[index].value, under: BenchKey(entries[index].key)) }
    }
  }
}

extension UnkeyedEncodingContainer {
  fileprivate mutating func encode(_ value: BenchValue) throws {
    switch value {
    case .string(let value): try encode(value)
    case .integer(let value): try encode(value)
    default: throw BenchError.element
    }
  }
}

// MARK: Decoding

/// The nodes of one level.
struct BenchForest: Decodable {
  let nodes: [BenchNode]

  /// The shapes of the nodes of the next level to be decoded.
  nonisolated(unsafe) static var next: [NodeShape] = []

  init(from decoder: any Decoder) throws {
    let shapes = unsafe Self.next
    var container = try decoder.unkeyedContainer()
    nodes = try shapes.map { shape in
      unsafe NodeShape.next = shape
      return try container.decode(BenchNode.self)
    }
  }
}

/// An array or dictionary whose element types the program knows.
struct ShapedContainer: Decodable {
  let value: BenchValue

  /// The shape of the next container to be decoded.
  nonisolated(unsafe) static var next: ValueShape?

  init(from decoder: any Decoder) throws {
    switch unsafe Self.next {
    case .array(let shapes):
      var container = try decoder.unkeyedContainer()
      value = .array(try shapes.map { try container.decode($0) })
    case .dictionary(let fields):
      let container = try decoder.container(keyedBy: BenchKey.self)
      value = .dictionary(try fields.map { BenchEntry(key: $0.key.stringValue, value: try container.decode($0.shape, under: $0.key)) })
    default:
      throw BenchError("a container of unknown shape")
    }
  }
}

extension KeyedDecodingContainer<BenchKey> {
  fileprivate func decode(_ type: BenchForest.Type, forKey key: BenchKey, as shapes: [NodeShape]) throws -> BenchForest {
    unsafe BenchForest.next = shapes
    return try decode(type, forKey: key)
  }

  fileprivate func decode(_ shape: ValueShape, under key: BenchKey) throws -> BenchValue {
    switch shape {
    case .string: return .string(try decode(String.self, forKey: key))
    case .integer: return .integer(try decode(Int.self, forKey: key))
    case .double: return .double(try decode(Double.self, forKey: key))
    case .bool: return .bool(try decode(Bool.self, forKey: key))
    case .date: return .date(try decode(Date.self, forKey: key))
    case .data: return .data(try decode(Data.self, forKey: key))
    case .selection: return .selection(try decode(BenchSelection.self, forKey: key))
    case .array, .dictionary:
      unsafe ShapedContainer.next = shape
      return try decode(ShapedContainer.self, forKey: key).value
    }
  }
}

extension UnkeyedDecodingContainer {
  fileprivate mutating func decode(_ shape: ValueShape) throws -> BenchValue {
    switch shape {
    case .string: .string(try decode(String.self))
    case .integer: .integer(try decode(Int.self))
    default: throw BenchError.element
    }
  }
}

// MARK: One value

/// Decodes only the string of a workload's probe and skips everything outside its path.
struct ProbedNode: Decodable {
  let value: String

  /// The key of the string.
  nonisolated(unsafe) static var key = BenchKey("")

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: BenchKey.self)
    var children = try container.nestedUnkeyedContainer(forKey: .children)
    guard let count = children.count, count > 0 else {
      value = try container.decode(String.self, forKey: unsafe Self.key)
      return
    }
    for _ in 1..<count { _ = try children.decode(Skipped.self) }
    value = try children.decode(ProbedNode.self).value
  }

  private struct Skipped: Decodable {
    init(from decoder: any Decoder) {}
  }
}

/// The reason for a failed measurement.
struct BenchError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  static let element = BenchError("an array holds strings and integers")
}

/// Consumes a result, so that the optimizer cannot remove its computation.
@inline(never) @_optimize(none) func consume<Value>(_ value: borrowing Value) {}
