#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import ArchiveFormat

/// Encodes the state of one node under keys.
///
/// You get one from an ``ArchiveWriter``, for as long as the node is being encoded. Values go in by keyed calls, in any order:
///
///     try coder.encode(scrollOffset, forKey: "scrollOffset")
///     try coder.encode(selection, forKey: "selection")            // any Codable value
///     try coder.encode(path: "root/list", forKey: "front")        // the path of another node
///
/// or the whole state is one `Codable` value: `try coder.encodeState(settings)`. Arrays and dictionaries can be encoded piece by piece, with
/// ``encodeArray(forKey:isSensitive:_:)`` and ``encodeDictionary(forKey:isSensitive:_:)``.
///
/// A key is 1 to 65,535 bytes of UTF-8. Encoding a key again replaces its value. A call that throws leaves the state as it was before it.
public final class StateEncoder {
  let writer: StateWriter
  /// What the state becomes a part of: the one of the archive writer that gave out this encoder.
  let assembler: ArchiveAssembler
  /// Information for the `encode(to:)` of the types that are encoded.
  public let userInfo: [CodingUserInfoKey: Any]
  let state: UncheckedBox<State>
  /// What encodes Codable values.
  let encoder: ArchiveEncoder

  struct State {
    /// The node whose state is being encoded.
    var number: Int
    /// The scope of the writer in which this encoder is good.
    var scope: Int
  }

  /// The path of the node whose state is being encoded; empty for the application state.
  public var path: RestorationPath { RestorationPath(unchecked: assembler.identifiers(to: state.value.number)) }

  /// Makes an encoder of the application state, and of whatever node it is used for then.
  init(_ assembler: ArchiveAssembler, userInfo: [CodingUserInfoKey: Any]) {
    writer = assembler.states
    self.assembler = assembler
    self.userInfo = userInfo
    state = UncheckedBox(State(number: 0, scope: assembler.states.scope))
    encoder = ArchiveEncoder(writer: assembler.states, assembler: assembler, userInfo: userInfo)
  }

  /// Encodes a node from now on, whose record was begun.
  func use(for number: Int) {
    state.value.number = number
    state.value.scope = writer.scope
  }

  /// Begins an entry whose value must be written next.
  @inline(__always)
  func begin(_ key: String, isSensitive: Bool) throws(ArchiveError) {
    if !isSensitive, writer.beginKnownEntry(key, scope: state.value.scope) { return }
    try beginRareEntry(key, isSensitive: isSensitive)
  }

  /// Begins an entry that is sensitive, or whose key is not known to the writer.
  @inline(never)
  private func beginRareEntry(_ key: String, isSensitive: Bool) throws(ArchiveError) {
    do throws(FormatError) {
      try writer.beginStateEntry(key, isSensitive: isSensitive, scope: state.value.scope)
    } catch {
      throw failure(error, key)
    }
  }

  @inline(never)
  func failure(_ error: FormatError, _ key: String?) -> ArchiveError {
    ArchiveError(error, path: path, key: key)
  }

  // MARK: Values

  /// Encodes a truth value.
  ///
  /// - Throws: `empty-key` or `string-length` for the key.
  public func encode(_ value: Bool, forKey key: String, isSensitive: Bool = false) throws(ArchiveError) {
    if !isSensitive, writer.writeKnownEntry(key, value, scope: state.value.scope) { return }
    try beginRareEntry(key, isSensitive: isSensitive)
    writer.buffer.writeBool(value)
  }

  /// Encodes a whole number.
  ///
  /// - Throws: `empty-key` or `string-length` for the key.
  public func encode(_ value: Int, forKey key: String, isSensitive: Bool = false) throws(ArchiveError) {
    if !isSensitive, writer.writeKnownEntry(key, value, scope: state.value.scope) { return }
    try beginRareEntry(key, isSensitive: isSensitive)
    writer.buffer.writeInteger(Int64(value))
  }

  /// Encodes a floating-point number; all its bits are kept.
  ///
  /// - Throws: `empty-key` or `string-length` for the key.
  public func encode(_ value: Double, forKey key: String, isSensitive: Bool = false) throws(ArchiveError) {
    if !isSensitive, writer.writeKnownEntry(key, value, scope: state.value.scope) { return }
    try beginRareEntry(key, isSensitive: isSensitive)
    writer.buffer.writeFloat64(bits: value.bitPattern)
  }

  /// Encodes text.
  ///
  /// - Throws: `empty-key` or `string-length` for the key.
  public func encode(_ value: String, forKey key: String, isSensitive: Bool = false) throws(ArchiveError) {
    if !isSensitive, writer.writeKnownEntry(key, value, scope: state.value.scope) { return }
    try beginRareEntry(key, isSensitive: isSensitive)
    writer.buffer.writeString(value)
  }

  /// Encodes an instant.
  ///
  /// - Throws: `empty-key` or `string-length` for the key.
  public func encode(_ value: Date, forKey key: String, isSensitive: Bool = false) throws(ArchiveError) {
    let bits = value.timeIntervalSinceReferenceDate.bitPattern
    if !isSensitive, writer.writeKnownEntry(key, dateBits: bits, scope: state.value.scope) { return }
    try beginRareEntry(key, isSensitive: isSensitive)
    writer.buffer.writeDate(bits: bits)
  }

  /// Encodes bytes.
  ///
  /// - Throws: `empty-key` or `string-length` for the key.
  public func encode(_ value: Data, forKey key: String, isSensitive: Bool = false) throws(ArchiveError) {
    try begin(key, isSensitive: isSensitive)
    writer.buffer.writeData(value.span)
  }

  /// Encodes any value: a number, text, date, URL, UUID, decimal, an optional, an array or dictionary of such, a type of your own.
  ///
  /// Nil is stored as null. A set, and a dictionary whose keys are not strings, is sorted by the bytes of its elements (Spec, rule R-2-4), at
  /// any depth, so that the same state gives the same bytes. Where a type encodes a set in its own place (`try set.encode(to: encoder)`),
  /// the set cannot be told from an array and keeps the order that it happens to have; `singleValueContainer().encode(set)` tells it.
  ///
  /// - Throws: `empty-key` or `string-length` for the key, and what the value's own encoding throws: an `EncodingError` whose coding path
  ///   begins with the key.
  public func encode<Value: Encodable>(_ value: Value, forKey key: String, isSensitive: Bool = false) throws {
    let mark = writer.mark
    try begin(key, isSensitive: isSensitive)
    // A value whose `encode(to:)` comes back to this encoder would write into the middle of itself.
    let outer = writer.openScope()
    defer { writer.closeScope(to: outer) }
    do {
      try encoder.encode(value, isEntry: !isSensitive, under: key, scope: state.value.scope)
    } catch {
      writer.unwind(to: mark)
      throw error
    }
  }

  /// Encodes a value of the archive's own model, as upgrades and tools have them.
  ///
  /// - Throws: `empty-key` or `string-length` for the key; what the format cannot store, with its code.
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
  /// The node need not exist yet, or ever.
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

  /// Encodes the fields of a value as the state: the whole state as one `Codable` type.
  ///
  /// The value may be an optional, or pass another one with fields through a single-value container, as ``StateDecoder/decodeState(_:)``
  /// takes it.
  ///
  /// - Throws: What the value's own encoding throws; an `EncodingError` if it does not encode itself under keys, or under an empty one.
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

  /// Encodes all entries of a dictionary, marks included.
  ///
  /// - Throws: `empty-key` or `string-length` for a key; what the format cannot store, with its code.
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
