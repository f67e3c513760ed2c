import ArchiveFormat

/// A container that presents the entries of a dictionary as fields.
struct KeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
  // A single reference, because each call through Codable copies the container.
  let fields: FieldReader

  var codingPath: [any CodingKey] { CodingPathNode.keys(of: fields.pathNode) }

  /// All keys.
  ///
  /// If two keys are equal as strings, decoding any value throws `keys-collide`: a dictionary built from them would
  /// lose one.
  var allKeys: [Key] {
    fields.collectKeys().compactMap { Key(stringValue: $0) }
  }

  func contains(_ key: Key) -> Bool { fields.contains(key.stringValue, key.byte) }

  /// Returns a container for a field that this one lacks, from the default value.
  ///
  /// - Throws: `DecodingError.keyNotFound` if there is no default.
  @inline(never)
  private func defaults(for key: Key) throws -> KeyedReader { KeyedReader(fields: try fields.defaults(for: key)) }

  @inline(__always)
  private func decode<Value>(
    _ key: Key, _ body: (RecordDecoder, RawValue) throws(RecordDecoder.Mismatch) -> Value
  ) throws -> Value {
    guard let value = fields.field(key.stringValue, key.byte)?.value else { return try decodeDefault(key, body) }
    do throws(RecordDecoder.Mismatch) {
      return try body(fields.decoder, value)
    } catch {
      throw fields.decoder.error(error, type: Value.self, found: value, key: key, pathNode: fields.pathNode)
    }
  }

  @inline(never)
  private func decodeDefault<Value>(
    _ key: Key, _ body: (RecordDecoder, RawValue) throws(RecordDecoder.Mismatch) -> Value
  ) throws -> Value {
    try defaults(for: key).decode(key, body)
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    guard let field = fields.field(key.stringValue, key.byte) else { return try defaults(for: key).decodeNil(forKey: key) }
    return field.value.kind == .null
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try decode(key) { decoder, value throws(RecordDecoder.Mismatch) in try decoder.bool(value) }
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try decode(key) { decoder, value throws(RecordDecoder.Mismatch) in try decoder.string(value) }
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try decode(key) { decoder, value throws(RecordDecoder.Mismatch) in try decoder.double(value) }
  }

  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try decode(key) { decoder, value throws(RecordDecoder.Mismatch) in try decoder.float(value) }
  }

  @inline(__always)
  private func decodeInteger<Value: FixedWidthInteger>(_ key: Key) throws -> Value {
    try decode(key) { decoder, value throws(RecordDecoder.Mismatch) in try decoder.integer(value) }
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try decodeInteger(key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try decodeInteger(key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try decodeInteger(key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try decodeInteger(key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try decodeInteger(key) }
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try decodeInteger(key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try decodeInteger(key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try decodeInteger(key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try decodeInteger(key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try decodeInteger(key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try decodeInteger(key) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try decodeInteger(key) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    guard let field = fields.field(key.stringValue, key.byte) else { return try defaults(for: key).decode(type, forKey: key) }
    return try fields.decoder.decode(
      type, from: field.value, tag: field.position, depth: fields.depth, at: CodingPlace(container: fields.pathNode, key: .key(key)))
  }

  func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type, forKey key: Key) throws -> KeyedDecodingContainer<NestedKey> {
    try requiredDecoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try requiredDecoder(key).unkeyedContainer()
  }

  /// Returns a decoder of the value under a key, for a container of its own.
  private func requiredDecoder(_ key: Key) throws -> SuperDecoder {
    guard let field = fields.field(key.stringValue, key.byte) else { return try defaults(for: key).requiredDecoder(key) }
    return fields.decoder(of: field, key)
  }

  func superDecoder() throws -> any Decoder {
    try superDecoder(named: PlainCodingKey.super)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    try superDecoder(named: key)
  }

  /// Returns a decoder of the value under a key; if there is none, of null, like other decoders.
  private func superDecoder(named key: any CodingKey) throws -> any Decoder {
    if let field = fields.field(key.stringValue) { return fields.decoder(of: field, key) }
    if fields.contains(key.stringValue) { throw fields.error(forMissing: key) }
    return fields.decoder(of: EntryIndex.Field(value: .null, position: 0), key)
  }
}

/// Finds the fields of one dictionary, or of the whole state, by name.
///
/// ``KeyedReader`` is generic in the key type, so it is either specialized or slow. All code that does not depend on
/// the key type is here.
final class FieldReader {
  let decoder: RecordDecoder
  /// The nesting depth of the entries' values.
  let depth: Int
  private let place: CodingPlace
  private let entries: EntryIndex.Section
  /// Where the decoder remembers the keys of this type; -1 if it does not.
  @safe @exclusivity(unchecked) private var memory: Int
  @safe @exclusivity(unchecked) private var knownPathNode: CodingPathNode?
  /// Whether two keys are equal as strings; determined when all keys are requested.
  @safe @exclusivity(unchecked) private var hasCollidingKeys = false
  /// The fields of the default value at the same place, for those that are missing here.
  private let defaults: FieldReader?

  init(
    decoder: RecordDecoder, entries: EntryIndex.Section, depth: Int, place: CodingPlace, memory: Int, defaults: FieldReader?
  ) {
    self.decoder = decoder
    self.entries = entries
    self.depth = depth
    self.place = place
    self.memory = memory
    self.defaults = defaults
  }

  deinit { decoder.close(entries) }

  /// The dictionary's place in the coding path, as the parent of its values.
  var pathNode: CodingPathNode? {
    if let knownPathNode { return knownPathNode }
    let node = place.node
    knownPathNode = node
    return node
  }

  /// Returns all keys.
  ///
  /// If any collide, all later requests for values fail.
  func collectKeys() -> [String] {
    let keys = decoder.keys(in: entries)
    if decoder.keys.hasNonASCII || !keys.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }), Set(keys).count < keys.count {
      hasCollidingKeys = true
      memory = -1
    }
    return keys
  }

  /// Returns the value under a key, or nil if there is none or if keys collide.
  @inline(__always)
  func field(_ key: String, _ byte: UInt8? = nil) -> EntryIndex.Field? {
    if StringWords.areKnown, memory >= 0, let byte, byte < 64 {
      let position = decoder.rememberedPosition(StringWords(key), memory &+ Int(byte), in: entries)
      if position >= 0 { return EntryIndex.Field(value: decoder.value(at: position, in: entries), position: position) }
    }
    return search(key, byte)
  }

  @inline(never)
  private func search(_ key: String, _ byte: UInt8?) -> EntryIndex.Field? {
    if hasCollidingKeys { return nil }
    guard memory >= 0, let byte, byte < 64 else { return decoder.field(key, in: entries) }
    return decoder.find(key, entries, memory: memory + Int(byte))
  }

  /// Returns whether there is a value under a key.
  ///
  /// Returns true if keys collide, so that requesting the value throws instead of giving nil.
  func contains(_ key: String, _ byte: UInt8? = nil) -> Bool { hasCollidingKeys || field(key, byte) != nil }

  /// Returns a decoder of a value.
  func decoder(of field: EntryIndex.Field, _ key: any CodingKey) -> SuperDecoder {
    SuperDecoder(
      decoder: decoder, subject: .value(field.value, tag: field.position, depth: depth),
      place: CodingPlace(container: pathNode, key: .key(key)))
  }

  /// Returns the fields of the default value, for a key for which ``field(_:)`` has returned nil.
  ///
  /// - Throws: The error for a missing key, if there is no default for it.
  func defaults(for key: any CodingKey) throws -> FieldReader {
    guard let defaults, !hasCollidingKeys, defaults.field(key.stringValue) != nil else { throw error(forMissing: key) }
    return defaults
  }

  /// Returns the error for a key for which ``field(_:)`` has returned nil.
  @inline(never)
  func error(forMissing key: any CodingKey) -> DecodingError {
    let path = CodingPathNode.keys(of: pathNode)
    if hasCollidingKeys {
      let cause = ArchiveError(
        .keysCollide, "keys of a dictionary", expected: "different texts", found: "the same one in two forms", path: decoder.path,
        key: path.first?.stringValue)
      return .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: cause.description, underlyingError: cause))
    }
    let cause = ArchiveError(
      .absentKey, "value", expected: "one under this key", found: "none", path: decoder.path, key: (path + [key]).first?.stringValue)
    return .keyNotFound(
      key, DecodingError.Context(codingPath: path, debugDescription: "no value under \"\(key.stringValue)\"", underlyingError: cause))
  }
}
