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
