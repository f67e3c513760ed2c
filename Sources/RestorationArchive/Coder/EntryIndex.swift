import ArchiveFormat

/// The entries of a record or dictionary, found by key.
///
/// A key that is asked for is looked up in the archive's key table, and after that only numbers are compared.
final class EntryIndex {
  let source: DecodingSource
  private let table: EntryTable

  /// Whether two keys are the same to a `String`; set when somebody asked for all keys.
  private(set) var hasCollidingKeys = false

  /// Reads the keys of the entries that `cursor` covers, and checks that they keep the rules.
  init(_ cursor: ByteCursor, role: EntryRole, of source: DecodingSource) throws(FormatError) {
    self.source = source
    let storage = source.storage
    table = try EntryTable(cursor, role: role, in: storage.span, keys: source.keys)
  }

  /// All keys.
  var keys: [String] {
    let storage = source.storage
    return (0..<table.count).map { place in
      let key = table.key(at: place)
      return key.isInline ? storage.span.extracting(key.inlineRange).makeString() ?? "" : source.keys.keys[key.index]
    }
  }

  /// All keys; notes whether some of them collide.
  func collectKeys() -> [String] {
    let keys = keys
    if source.keys.hasNonASCII || !keys.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }), Set(keys).count < keys.count {
      hasCollidingKeys = true
    }
    return keys
  }

  /// The value under a key, or nil if there is none.
  ///
  /// - Complexity: O(log n), and O(1) for keys that are asked for in the same order again.
  @inline(__always)
  func field(_ key: String) -> EntryTable.Field? {
    key.withUTF8Bytes { text in
      guard let number = source.keyNumber(of: text) else { return inlineField(text) }
      return table.field(ofKey: number, at: source.expectedPlace(ofKey: number)) ?? searchField(number)
    }
  }

  @inline(never)
  private func searchField(_ number: Int) -> EntryTable.Field? {
    guard let place = table.place(ofKey: number) else { return nil }
    source.notePlace(place, ofKey: number)
    return table.field(ofKey: number, at: place)
  }

  @inline(never)
  private func inlineField(_ text: Span<UInt8>) -> EntryTable.Field? {
    let storage = source.storage
    return table.field(ofInlineKey: text, in: storage.span)
  }
}
