import Foundation

/// A node of the model that every contender encodes and decodes.
///
/// Contenders walk its arrays by index: a value is then copied once, where `for` copies it with its key and `switch` copies it again.
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
  /// The tree then lies in memory in the order of a walk, as the state of a restored app does; the draft is made level by level, and every
  /// contender would wait for memory at each step. For the same reason the object is allocated here, before the values it refers to.
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

  /// The same entry; strings and data have memory of their own.
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
