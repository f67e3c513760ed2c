import ArchiveFormat
public import FoundationValues
import Storage

/// An encoder for the state of one node, by key.
///
/// An ``ArchiveWriter`` passes one to its closures, and it is valid while the node is being encoded. Keyed calls encode
/// values in any order:
///
///     try coder.encode(scrollOffset, forKey: "scrollOffset")
///     try coder.encode(selection, forKey: "selection")            // any Codable value
///     try coder.encode(path: "root/list", forKey: "front")        // the path of another node
///
/// Alternatively, encode the whole state as one `Codable` value: `try coder.encodeState(settings)`. To encode arrays
/// and dictionaries piece by piece, use ``encodeArray(forKey:isSensitive:_:)`` and
/// ``encodeDictionary(forKey:isSensitive:_:)``.
///
/// A key is 1 to 65,535 bytes of UTF-8. Encoding a key again replaces its value. A call that throws leaves the state
/// unchanged.
public final class StateEncoder {
  let writer: StateWriter
  /// The assembler that receives the state; it belongs to the archive writer that created this encoder.
  let assembler: ArchiveAssembler
  /// User information for the `encode(to:)` of encoded types.
  public let userInfo: [CodingUserInfoKey: Any]
  /// The engine's own context (``ArchiveWriter/context``).
  package let context: AnyObject?
  let state: UncheckedBox<State>
  /// The encoder for Codable values.
  let encoder: ArchiveEncoder

  struct State {
    /// The node whose state is being encoded.
    var number: Int
    /// The writer's scope in which this encoder is valid.
    var scope: Int
    /// Whether a dictionary in the state is being encoded.
    var isInDictionary = false
  }

  /// Whether a dictionary in the state is being encoded, and not the state itself.
  package var isInDictionary: Bool { state.value.isInDictionary }

  /// The path of the node whose state is being encoded; empty for the application state.
  public var path: RestorationPath { RestorationPath(validated: assembler.identifiers(to: state.value.number)) }
  /// The keys that were encoded so far.
  package var keys: [String] { writer.openEntries.map { writer.key(ofEntry: $0) } }

  /// Creates an encoder for the application state; ``use(for:)`` switches it to another node.
  init(_ assembler: ArchiveAssembler, userInfo: [CodingUserInfoKey: Any], context: AnyObject?) {
    writer = assembler.states
    self.context = context
    self.assembler = assembler
    self.userInfo = userInfo
    state = UncheckedBox(State(number: 0, scope: assembler.states.scope))
    encoder = ArchiveEncoder(writer: assembler.states, assembler: assembler, userInfo: userInfo)
  }

  /// Switches the encoder to a node whose record has been begun.
  func use(for number: Int) {
    state.value.number = number
    state.value.scope = writer.scope
  }

  /// Begins an entry, whose value the caller must write next.
  @inline(__always)
  func begin(_ key: String, isSensitive: Bool) throws(ArchiveError) {
    if !isSensitive, writer.beginKnownEntry(key, scope: state.value.scope) { return }
    try beginRareEntry(key, isSensitive: isSensitive)
  }

  /// Begins an entry that is sensitive, or whose key is new to the writer.
  @inline(never)
  private func beginRareEntry(_ key: String, isSensitive: Bool) throws(ArchiveError) {
    do throws(FormatError) {
      try writer.beginStateEntry(key, isSensitive: isSensitive, scope: state.value.scope)
    } catch {
      throw failure(error, key)
    }
  }

  @inline(__always)
  private func write(_ scalar: ScalarEncoding, under key: String, isSensitive: Bool) throws(ArchiveError) {
    try begin(key, isSensitive: isSensitive)
    writer.buffer.write(scalar)
  }

  @inline(never)
  func failure(_ error: FormatError, _ key: String?) -> ArchiveError {
    ArchiveError(error, path: path, key: key)
  }

  // MARK: Values

  /// Encodes a Boolean value.
  ///
  /// - Throws: `empty-key` or `string-length` for the key.
  public func encode(_ value: Bool, forKey key: String, isSensitive: Bool = false) throws(ArchiveError) {
    try write(.bool(value), under: key, isSensitive: isSensitive)
  }

  /// Encodes an integer.
  ///
  /// - Throws: `empty-key` or `string-length` for the key.
  public func encode(_ value: Int, forKey key: String, isSensitive: Bool = false) throws(ArchiveError) {
    try write(.integer(Int64(value)), under: key, isSensitive: isSensitive)
  }

  /// Encodes a floating-point number; all its bits are preserved.
  ///
  /// - Throws: `empty-key` or `string-length` for the key.
  public func encode(_ value: Double, forKey key: String, isSensitive: Bool = false) throws(ArchiveError) {
    try write(.float64(bits: value.bitPattern), under: key, isSensitive: isSensitive)
  }

  /// Encodes a string.
  ///
  /// - Throws: `empty-key` or `string-length` for the key.
  public func encode(_ value: String, forKey key: String, isSensitive: Bool = false) throws(ArchiveError) {
    try begin(key, isSensitive: isSensitive)
    writer.buffer.writeString(value)
  }

  /// Encodes a date.
  ///
  /// - Throws: `empty-key` or `string-length` for the key.
  public func encode(_ value: Date, forKey key: String, isSensitive: Bool = false) throws(ArchiveError) {
    try write(.date(bits: value.float64Bits), under: key, isSensitive: isSensitive)
  }

  /// Encodes bytes.
  ///
  /// - Throws: `empty-key` or `string-length` for the key.
  public func encode(_ value: Data, forKey key: String, isSensitive: Bool = false) throws(ArchiveError) {
    try begin(key, isSensitive: isSensitive)
    writer.buffer.writeData(value.span)
  }

  /// Encodes any value: a number, string, date, URL, UUID, decimal, optional, array, dictionary, or a type of your own.
  ///
  /// Nil is stored as null. The elements of a set, and of a dictionary whose keys are not strings, are sorted by their
  /// bytes (Spec, rule R-2-4) at any depth, so that the same state gives the same bytes. If a type encodes a set in its
  /// own place (`try set.encode(to: encoder)`), the set cannot be distinguished from an array and keeps its current
  /// order. Use `singleValueContainer().encode(set)` instead.
  ///
  /// - Throws: `empty-key` or `string-length` for the key, and the errors of the value's own encoding: an
  ///   `EncodingError` whose coding path begins with the key.
  public func encode<Value: Encodable>(_ value: Value, forKey key: String, isSensitive: Bool = false) throws {
    let mark = writer.mark
    try begin(key, isSensitive: isSensitive)
    // A value whose `encode(to:)` calls back into this encoder would write into the middle of itself.
    let outer = writer.openScope()
    defer { writer.closeScope(to: outer) }
    do {
      try encoder.encode(value, mark: isSensitive ? .present : .possible, under: key, scope: state.value.scope)
    } catch {
      writer.unwind(to: mark)
      throw error
    }
  }

  /// Encodes a value of the archive's own model, for upgrades and tools.
  ///
  /// - Throws: `empty-key` or `string-length` for the key; an error for a value that the format cannot store.
  public func encode(_ value: ArchiveValue, forKey key: String, isSensitive: Bool = false) throws(ArchiveError) {
    let mark = writer.mark
    try begin(key, isSensitive: isSensitive)
    do throws(FormatError) {
      try writer.write(value)
    } catch {
      writer.unwind(to: mark)
      throw ArchiveError(error, path: path, key: key)
    }
  }

  // MARK: References

  /// Encodes the path of another node, or null.
  ///
  /// The node need not exist, now or later.
  ///
  /// - Throws: `empty-key` or `string-length` for the key; `empty-reference` for the empty path.
  public func encode(path: RestorationPath?, forKey key: String) throws(ArchiveError) {
    try encode(path.map { ArchiveValue.reference($0) } ?? .null, forKey: key)
  }

  /// Encodes the paths of other nodes, in order; nil becomes null.
  ///
  /// - Throws: `empty-key` or `string-length` for the key; `empty-reference` for the empty path.
  public func encode(paths: [RestorationPath?], forKey key: String) throws(ArchiveError) {
    try encode(.array(paths.map { $0.map { .reference($0) } ?? .null }), forKey: key)
  }

  // MARK: The whole state

  /// Encodes a value as the whole state: the fields of the `Codable` type become entries.
  ///
  /// The value may be an optional, or forward to another value with fields through a single-value container, as in
  /// ``StateDecoder/decodeState(_:)``.
  ///
  /// - Throws: The errors of the value's own encoding; an `EncodingError` if the value does not encode itself under
  ///   keys, or uses an empty one.
  public func encodeState(_ value: some Encodable) throws {
    guard writer.scope == state.value.scope else { throw failure(StateWriter.outOfScope, nil) }
    let mark = writer.mark
    let outer = writer.openScope()
    defer { writer.closeScope(to: outer) }
    do {
      try encoder.encodeState(value, scope: state.value.scope)
    } catch {
      writer.unwind(to: mark)
      throw error
    }
  }

  /// Encodes all entries of a dictionary, including their sensitive marks.
  ///
  /// - Throws: `empty-key` or `string-length` for a key; an error for a value that the format cannot store.
  public func encodeState(_ state: ArchiveDictionary) throws(ArchiveError) {
    let mark = writer.mark
    do throws(ArchiveError) {
      for entry in state { try encode(entry.value, forKey: entry.key, isSensitive: entry.isSensitive) }
    } catch {
      writer.unwind(to: mark)
      throw error
    }
  }
}

extension StateWriter {
  /// Writes a value of the model, after a key or as an element.
  func write(_ value: ArchiveValue) throws(FormatError) {
    switch value {
    case .url(let text):
      guard !text.isEmpty else { throw .emptyURL() }
      buffer.writeURL(text)
    case .reference(let path):
      guard !path.isEmpty else { throw .emptyReference() }
      buffer.writeReference(path.components)
    case .array(let elements):
      try beginArray()
      for element in elements { try write(element) }
      endContainer()
    case .dictionary(let dictionary):
      try beginDictionary()
      try write(dictionary)
      endContainer()
    default: buffer.writeInline(value)
    }
  }

  /// Writes entries into the open container.
  func write(_ dictionary: ArchiveDictionary) throws(FormatError) {
    for entry in dictionary {
      try beginEntry(entry.key, isSensitive: entry.isSensitive)
      try write(entry.value)
    }
  }
}

extension OutputBuffer {
  /// Writes a value, with all keys of its dictionaries inline.
  func writeInline(_ value: ArchiveValue) {
    switch value {
    case .null: writeNull()
    case .bool(let value): write(.bool(value))
    case .integer(let value):
      write(value.isNegative ? .negativeInteger(complement: value.bits) : .integer(value.bits))
    case .float(let value): write(.float64(bits: value.bitPattern))
    case .string(let text): writeString(text)
    case .data(let data): writeData(data.span)
    case .date(let date): write(.date(bits: date.float64Bits))
    case .uuid(let uuid): writeUUID(uuid.words.0, uuid.words.1)
    case .url(let text): writeURL(text)
    case .reference(let path): writeReference(path.components)
    case .array(let elements):
      append(ValueTag.array)
      let start = count
      append(UInt8(0))
      for element in elements { writeInline(element) }
      closeLength(at: start)
    case .dictionary(let dictionary):
      append(ValueTag.dictionary)
      let start = count
      append(UInt8(0))
      for entry in dictionary {
        entry.key.withUTF8Bytes { appendInlineKey($0) }
        if entry.isSensitive { append(ValueTag.sensitive) }
        writeInline(entry.value)
      }
      closeLength(at: start)
    }
  }

  /// Writes a reference with validated components.
  func writeReference(_ components: [String]) {
    append(ValueTag.reference)
    let length = count
    append(UInt8(0))
    for component in components { appendText(component) }
    closeLength(at: length)
  }
}
