import Foundation

/// What a workload holds.
struct WorkloadCounts {
  var nodes = 0
  var depth = 0
  var values = 0
  var strings = 0
  var nonASCIIStrings = 0
  /// UTF-8 bytes of identifiers, types, keys and strings, 8 a number or date, 1 a bool, the bytes of data.
  var payload = 0

  init(_ roots: [BenchNode]) {
    for root in roots { add(root, depth: 1) }
  }

  private mutating func add(_ node: BenchNode, depth: Int) {
    nodes += 1
    self.depth = max(self.depth, depth)
    add(text: node.identifier)
    add(text: node.type)
    add(node.entries)
    for child in node.children { add(child, depth: depth + 1) }
  }

  private mutating func add(text: String) {
    strings += 1
    payload += text.utf8.count
    if text.utf8.contains(where: { $0 >= 0x80 }) { nonASCIIStrings += 1 }
  }

  private mutating func add(_ entries: [BenchEntry]) {
    for entry in entries {
      add(text: entry.key)
      add(entry.value)
    }
  }

  private mutating func add(_ value: BenchValue) {
    values += 1
    switch value {
    case .string(let text): add(text: text)
    case .integer, .double, .date: payload += 8
    case .bool: payload += 1
    case .data(let data): payload += data.count
    case .array(let elements): for element in elements { add(element) }
    case .dictionary(let entries): add(entries)
    case .selection(let selection):
      add([
        BenchEntry(key: "section", value: .integer(selection.section)), BenchEntry(key: "row", value: .integer(selection.row)),
        BenchEntry(key: "identifier", value: .string(selection.identifier)),
      ])
    }
  }
}
