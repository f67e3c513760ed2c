import ArchiveFormat

// Lookup by the text of a key: the text is looked up in the archive's key table; after that, only numbers are compared.
extension EntryTable {
  /// Replaces the content with the entries at `cursor`, and validates them.
  mutating func fill(_ cursor: ByteCursor, role: EntryRole, of source: DecodingSource) throws(FormatError) {
    let storage = source.storage
    try fill(cursor, role: role, in: storage.span, keys: source.keys)
  }

  /// Returns the key of the entry at which ``fill(_:role:of:)`` failed, if known.
  func faultyKey(in source: DecodingSource) -> String? {
    faultyKey.map { Self.text(of: $0, in: source) }
  }

  private static func text(of key: KeyReference, in source: DecodingSource) -> String {
    let storage = source.storage
    return source.keys.text(of: key, in: storage.span)
  }

  /// Returns all keys.
  func keys(in source: DecodingSource) -> [String] {
    (0..<count).map { Self.text(of: key(at: $0), in: source) }
  }

  /// Returns the value under a key, or nil if there is none.
  ///
  /// - Complexity: O(log n); O(1) for keys requested in the same order as before.
  @inline(__always)
  func field(_ key: String, in source: DecodingSource) -> Field? {
    key.withUTF8Bytes { text in
      guard let number = source.keyNumber(of: text) else { return inlineField(text, in: source) }
      return field(ofKey: number, at: source.expectedPlace(ofKey: number)) ?? searchField(number, in: source)
    }
  }

  @inline(never)
  private func searchField(_ number: Int, in source: DecodingSource) -> Field? {
    guard let place = place(ofKey: number) else { return nil }
    source.notePlace(place, ofKey: number)
    return field(ofKey: number, at: place)
  }

  @inline(never)
  private func inlineField(_ text: Span<UInt8>, in source: DecodingSource) -> Field? {
    let storage = source.storage
    return field(ofInlineKey: text, in: storage.span)
  }
}
