import Foundation

/// Copies what the nodes of a draft hold, so that the tree (``BenchNode/init(inPreorder:)``) lies in memory in the order in which a walk visits it, as the state of an app does that a launch has
/// restored.
///
/// The draft is made level by level; every contender would then wait for memory at each step, and the less it does itself the
/// larger a part of its time that would be.
enum PreorderCopy {
  static func copy(_ entry: BenchEntry) -> BenchEntry {
    BenchEntry(key: entry.key, value: copy(entry.value))
  }

  private static func copy(_ value: BenchValue) -> BenchValue {
    switch value {
    case .string(let text): .string(copy(text))
    case .integer, .double, .bool, .date: value
    case .data(let data): .data(Data(Array(data)))
    case .array(let elements): .array(elements.map(copy))
    case .dictionary(let entries): .dictionary(entries.map(copy))
    case .selection(let selection):
      .selection(BenchSelection(section: selection.section, row: selection.row, identifier: copy(selection.identifier)))
    }
  }

  /// A text with memory of its own.
  static func copy(_ text: String) -> String {
    String(copying: text.utf8Span)
  }
}
