/// Keyed values in any order; writing sorts them.
///
/// Tables use a dictionary literal.
struct DraftEntries: Sendable, ExpressibleByDictionaryLiteral {
  /// A key and its value.
  struct Entry: Sendable {
    var key: String
    var value: DraftValue
  }

  private(set) var entries: [Entry]

  init(dictionaryLiteral elements: (String, DraftValue)...) {
    self.init(elements)
  }

  /// Creates entries from a computed list.
  init(_ elements: [(String, DraftValue)]) {
    entries = elements.map { Entry(key: $0.0, value: $0.1) }
  }

  var isEmpty: Bool { entries.isEmpty }

  /// The entries in ascending order of their keys (R-6.2-3).
  var sorted: [Entry] { entries.sorted { Bytes.ascends($0.key, $1.key) } }
}
