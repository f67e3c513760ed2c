import ArchiveFormat
public import FoundationValues
import Storage

/// An encoder for the elements of an array, in order.
///
/// ``StateEncoder/encodeArray(forKey:isSensitive:_:)`` passes one to its closure, and it is valid while the array is
/// being encoded. A call that throws adds no element. All calls throw `not-storable` once the array is complete, and
/// while a container inside it is being encoded.
public struct ElementEncoder {
  private let coder: StateEncoder
  private let scope: Int

  init(coder: StateEncoder, scope: Int) {
    self.coder = coder
    self.scope = scope
  }

  /// Returns the writer for the next element; throws if the array is not the innermost open container.
  @inline(__always)
  private func begin() throws(ArchiveError) -> StateWriter {
    guard coder.writer.scope == scope else { throw coder.failure(StateWriter.outOfScope, nil) }
    return coder.writer
  }

  // MARK: Values

  /// Encodes null.
  public func encodeNil() throws(ArchiveError) {
    try begin().buffer.writeNull()
  }

  /// Encodes a Boolean value.
  public func encode(_ value: Bool) throws(ArchiveError) {
    try begin().buffer.write(.bool(value))
  }

  /// Encodes an integer.
  public func encode(_ value: Int) throws(ArchiveError) {
    try begin().buffer.write(.integer(Int64(value)))
  }

  /// Encodes a floating-point number; all its bits are preserved.
  public func encode(_ value: Double) throws(ArchiveError) {
    try begin().buffer.write(.float64(bits: value.bitPattern))
  }

  /// Encodes a string.
  public func encode(_ value: String) throws(ArchiveError) {
    try begin().buffer.writeString(value)
  }

  /// Encodes a date.
  public func encode(_ value: Date) throws(ArchiveError) {
    try begin().buffer.write(.date(bits: value.float64Bits))
  }

  /// Encodes bytes.
  public func encode(_ value: Data) throws(ArchiveError) {
    try begin().buffer.writeData(value.span)
  }

  /// Encodes any value, like ``StateEncoder/encode(_:forKey:isSensitive:)-(Value,_,_)``.
  ///
  /// - Throws: The errors of the value's own encoding.
  public func encode<Value: Encodable>(_ value: Value) throws {
    try encodeElement { writer in
      let outer = writer.openScope()
      defer { writer.closeScope(to: outer) }
      try coder.encoder.encodeElement(value, scope: scope)
    }
  }

  /// Encodes a value of the archive's own model.
  ///
  /// - Throws: An error for a value that the format cannot store.
  public func encode(_ value: ArchiveValue) throws(ArchiveError) {
    let writer = try begin()
    let mark = writer.mark
    do throws(FormatError) {
      try writer.write(value)
    } catch {
      writer.unwind(to: mark)
      throw coder.failure(error, nil)
    }
  }

  /// Encodes the path of another node, or null.
  ///
  /// - Throws: `empty-reference` for the empty path.
  public func encode(path: RestorationPath?) throws(ArchiveError) {
    try encode(path.map { ArchiveValue.reference($0) } ?? .null)
  }

  // MARK: Containers

  /// Encodes an array as an element.
  ///
  /// - Throws: `nesting-depth`, and rethrows the error of `body`.
  public func encodeArray(_ body: (ElementEncoder) throws -> Void) throws {
    try encodeElement { _ in try coder.encodeArray(nil, body) }
  }

  /// Encodes a dictionary as an element.
  ///
  /// - Throws: `nesting-depth`, and rethrows the error of `body`.
  public func encodeDictionary(_ body: (StateEncoder) throws -> Void) throws {
    try encodeElement { _ in try coder.encodeDictionary(nil, body) }
  }

  private func encodeElement(_ body: (StateWriter) throws -> Void) throws {
    let writer = try begin()
    let mark = writer.mark
    do {
      try body(writer)
    } catch {
      writer.unwind(to: mark)
      throw error
    }
  }
}

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
    let outerState = state.value
    (state.value.scope, state.value.isInDictionary) = (writer.scope, true)
    defer {
      writer.closeScope(to: outer)
      state.value = outerState
    }
    try body(self)
    writer.endContainer()
  }
}
