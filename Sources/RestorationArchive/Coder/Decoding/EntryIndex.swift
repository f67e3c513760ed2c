import ArchiveFormat

/// The entries of a record or dictionary, indexed by key.
///
/// A requested key is looked up in the archive's key table; after that, only numbers are compared.
struct EntryIndex: ~Copyable {
  private var table = EntryTable()

  /// Whether two keys are equal as strings; determined when all keys are requested.
  private(set) var hasCollidingKeys = false

  init() {}

  /// Replaces the index with the keys of the entries at `cursor`, and validates the entries.
  mutating func fill(_ cursor: ByteCursor, role: EntryRole, of source: DecodingSource) throws(FormatError) {
    hasCollidingKeys = false
    let storage = source.storage
    try table.fill(cursor, role: role, in: storage.span, keys: source.keys)
  }

  /// Returns the key of the entry at which ``fill(_:role:of:)`` failed, if known.
  func faultyKey(in source: DecodingSource) -> String? {
    table.faultyKey.map { Self.text(of: $0, in: source) }
  }

  private static func text(of key: KeyReference, in source: DecodingSource) -> String {
    let storage = source.storage
    return key.isInline ? storage.span.extracting(key.inlineRange).makeString() ?? "" : source.keys.text(at: key.index)
  }

  /// Returns all keys.
  func keys(in source: DecodingSource) -> [String] {
    (0..<table.count).map { Self.text(of: table.key(at: $0), in: source) }
  }

  /// Returns all keys, and records whether any collide.
  mutating func collectKeys(in source: DecodingSource) -> [String] {
    let keys = keys(in: source)
    if source.keys.hasNonASCII || !keys.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }), Set(keys).count < keys.count {
      hasCollidingKeys = true
    }
    return keys
  }

  /// Returns the value under a key, or nil if there is none.
  ///
  /// - Complexity: O(log n); O(1) for keys requested in the same order as before.
  @inline(__always)
  func field(_ key: String, in source: DecodingSource) -> EntryTable.Field? {
    key.withUTF8Bytes { text in
      guard let number = source.keyNumber(of: text) else { return inlineField(text, in: source) }
      return table.field(ofKey: number, at: source.expectedPlace(ofKey: number)) ?? searchField(number, in: source)
    }
  }

  @inline(never)
  private func searchField(_ number: Int, in source: DecodingSource) -> EntryTable.Field? {
    guard let place = table.place(ofKey: number) else { return nil }
    source.notePlace(place, ofKey: number)
    return table.field(ofKey: number, at: place)
  }

  @inline(never)
  private func inlineField(_ text: Span<UInt8>, in source: DecodingSource) -> EntryTable.Field? {
    let storage = source.storage
    return table.field(ofInlineKey: text, in: storage.span)
  }

  // MARK: Lookup by key number

  /// Returns the value under the key with this number in the key table, if its entry is at `place`, which may be out of
  /// range.
  @inline(__always)
  func field(ofKey number: Int, at place: Int) -> EntryTable.Field? {
    table.field(ofKey: number, at: place)
  }

  /// Returns the position of the entry whose key has this number in the key table, or nil if there is none.
  func place(ofKey number: Int) -> Int? {
    table.place(ofKey: number)
  }
}
