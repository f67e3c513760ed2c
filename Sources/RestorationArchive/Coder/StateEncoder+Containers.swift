import ArchiveFormat

extension StateEncoder {
  /// Encodes an array, element by element.
  ///
  ///     try coder.encodeArray(forKey: "tabs") { elements in
  ///       for tab in tabs { try elements.encode(tab.title) }
  ///     }
  ///
  /// It takes no array to begin with, and its elements may be of different kinds. This encoder encodes nothing as long as `body` runs.
  ///
  /// - Throws: `empty-key` or `string-length` for the key, `nesting-depth`, and what `body` throws; the state is then as it was before.
  public func encodeArray(forKey key: String, isSensitive: Bool = false, _ body: (ElementEncoder) throws -> Void) throws {
    try encodeEntry(key, isSensitive: isSensitive) { try encodeArray(key, body) }
  }

  /// Encodes a dictionary, entry by entry.
  ///
  ///     try coder.encodeDictionary(forKey: "filter") { filter in
  ///       try filter.encode("todo", forKey: "tag")
  ///     }
  ///
  /// The encoder that `body` gets is this one: as long as `body` runs, it encodes into the dictionary.
  ///
  /// - Throws: `empty-key` or `string-length` for the key, `nesting-depth`, and what `body` throws; the state is then as it was before.
  public func encodeDictionary(forKey key: String, isSensitive: Bool = false, _ body: (StateEncoder) throws -> Void) throws {
    try encodeEntry(key, isSensitive: isSensitive) { try encodeDictionary(key, body) }
  }

  private func encodeEntry(_ key: String, isSensitive: Bool, _ body: () throws -> Void) throws {
    let mark = writer.mark
    try begin(key, isSensitive: isSensitive)
    do {
      try body()
    } catch {
      writer.unwind(to: mark)
      throw named(error, key)
    }
  }

  /// The error of a call within a container, naming the outermost key; errors that are not of this encoder are passed on as they are.
  private func named(_ error: any Error, _ key: String) -> any Error {
    guard var failure = error as? ArchiveError, failure.path == path, failure.offset == nil else { return error }
    failure.key = key
    return failure
  }

  /// Writes an array as the value of the entry or element that was begun.
  func encodeArray(_ key: String?, _ body: (ElementEncoder) throws -> Void) throws {
    try open(key) { () throws(FormatError) in try writer.beginArray() }
    let outer = writer.openScope()
    defer { writer.closeScope(to: outer) }
    try body(ElementEncoder(coder: self, scope: writer.scope))
    writer.endContainer()
  }

  /// Writes a dictionary as the value of the entry or element that was begun.
  func encodeDictionary(_ key: String?, _ body: (StateEncoder) throws -> Void) throws {
    try open(key) { () throws(FormatError) in try writer.beginDictionary() }
    let outer = writer.openScope()
    let outerScope = state.value.scope
    state.value.scope = writer.scope
    defer {
      writer.closeScope(to: outer)
      state.value.scope = outerScope
    }
    try body(self)
    writer.endContainer()
  }

  private func open(_ key: String?, _ begin: () throws(FormatError) -> Void) throws(ArchiveError) {
    do throws(FormatError) {
      try begin()
    } catch {
      throw failure(error, key)
    }
  }
}
