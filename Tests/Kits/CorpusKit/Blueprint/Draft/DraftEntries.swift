/// Keyed values in any order; they are sorted when they are written.
///
/// A table writes them as a dictionary literal.
struct DraftEntries: Sendable, ExpressibleByDictionaryLiteral {
  /// One keyed value.
  struct Entry: Sendable {
    var key: String
    var value: DraftValue
  }

  private(set) var entries: [Entry]

  init(dictionaryLiteral elements: (String, DraftValue)...) {
    self.init(elements)
  }

  /// Entries from a computed list.
  init(_ elements: [(String, DraftValue)]) {
    entries = elements.map { Entry(key: $0.0, value: $0.1) }
  }

  var isEmpty: Bool { entries.isEmpty }

  /// The entries in ascending order of their keys (R-6.2-3).
  var sorted: [Entry] { entries.sorted { Bytes.ascends($0.key, $1.key) } }
}
