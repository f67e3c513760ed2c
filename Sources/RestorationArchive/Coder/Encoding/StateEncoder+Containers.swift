import ArchiveFormat
import Storage

extension StateEncoder {
  /// Encodes an array, element by element.
  ///
  ///     try coder.encodeArray(forKey: "tabs") { elements in
  ///       for tab in tabs { try elements.encode(tab.title) }
  ///     }
  ///
  /// This avoids building an array first, and elements may be of different types. This encoder cannot be used while
  /// `body` runs.
  ///
  /// - Throws: `empty-key` or `string-length` for the key, `nesting-depth`, and rethrows the error of `body`; the state
  ///   is then unchanged.
  public func encodeArray(forKey key: String, isSensitive: Bool = false, _ body: (ElementEncoder) throws -> Void) throws {
    let mark = writer.mark
    try begin(key, isSensitive: isSensitive)
    do {
      try encodeArray(key, body)
    } catch {
      throw unwind(to: mark, error, key)
    }
  }

  /// Encodes a dictionary, entry by entry.
  ///
  ///     try coder.encodeDictionary(forKey: "filter") { filter in
  ///       try filter.encode("todo", forKey: "tag")
  ///     }
  ///
  /// The encoder passed to `body` is this one: while `body` runs, it encodes into the dictionary.
  ///
  /// - Throws: `empty-key` or `string-length` for the key, `nesting-depth`, and rethrows the error of `body`; the state
  ///   is then unchanged.
  public func encodeDictionary(forKey key: String, isSensitive: Bool = false, _ body: (StateEncoder) throws -> Void) throws {
    let mark = writer.mark
    try begin(key, isSensitive: isSensitive)
    do {
      try encodeDictionary(key, body)
    } catch {
      throw unwind(to: mark, error, key)
    }
  }

  /// Discards an entry whose container could not be encoded, and returns the error.
  ///
  /// The error gets the outermost key, unless it is not from this encoder.
  @inline(never)
  private func unwind(to mark: StateWriter.Mark, _ error: any Error, _ key: String) -> any Error {
    writer.unwind(to: mark)
    guard var failure = error as? ArchiveError, failure.path == path, failure.offset == nil else { return error }
    failure.key = key
    return failure
  }

  /// Writes an array as the value of the open entry or element.
  func encodeArray(_ key: String?, _ body: (ElementEncoder) throws -> Void) throws {
    do throws(FormatError) {
      try writer.beginArray()
    } catch {
      throw failure(error, key)
    }
    let outer = writer.openScope()
    defer { writer.closeScope(to: outer) }
    try body(ElementEncoder(coder: self, scope: writer.scope))
    writer.endContainer()
  }

  /// Writes a dictionary as the value of the open entry or element.
  func encodeDictionary(_ key: String?, _ body: (StateEncoder) throws -> Void) throws {
    do throws(FormatError) {
      try writer.beginDictionary()
    } catch {
      throw failure(error, key)
    }
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
}
