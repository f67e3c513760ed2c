import ArchiveFormat

/// A container that presents the entries of a dictionary as fields.
struct KeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
  // A single reference, because each call through Codable copies the container.
  let fields: ValueDecoder

  var codingPath: [any CodingKey] { fields.codingPath }

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
    _ key: Key, _ body: (StateDecoder, RawValue) throws(StateDecoder.Mismatch) -> Value
  ) throws -> Value {
    guard let value = fields.field(key.stringValue, key.byte)?.value else { return try decodeDefault(key, body) }
    do throws(StateDecoder.Mismatch) {
      return try body(fields.state, value)
    } catch {
      throw fields.error(error, type: Value.self, found: value, key: key)
    }
  }

  @inline(never)
  private func decodeDefault<Value>(
    _ key: Key, _ body: (StateDecoder, RawValue) throws(StateDecoder.Mismatch) -> Value
  ) throws -> Value {
    try defaults(for: key).decode(key, body)
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    guard let field = fields.field(key.stringValue, key.byte) else { return try defaults(for: key).decodeNil(forKey: key) }
    return field.value.kind == .null
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try decode(key) { state, value throws(StateDecoder.Mismatch) in try state.bool(value) }
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try decode(key) { state, value throws(StateDecoder.Mismatch) in try state.string(value) }
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try decode(key) { state, value throws(StateDecoder.Mismatch) in try state.double(value) }
  }

  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try decode(key) { state, value throws(StateDecoder.Mismatch) in try state.float(value) }
  }

  @inline(__always)
  private func decodeInteger<Value: FixedWidthInteger>(_ key: Key) throws -> Value {
    try decode(key) { state, value throws(StateDecoder.Mismatch) in try state.integer(value) }
  }

  // The witness for all integer types of 8 to 64 bits; the standard library has the others for every container.
  @inline(__always)
  func decode<Value: FixedWidthInteger & Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try decodeInteger(key) }
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try decodeInteger(key) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try decodeInteger(key) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    guard let field = fields.field(key.stringValue, key.byte) else { return try defaults(for: key).decode(type, forKey: key) }
    return try fields.decode(type, field.value, tag: field.position, at: .key(key))
  }

  func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type, forKey key: Key) throws -> KeyedDecodingContainer<NestedKey> {
    try requiredDecoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try requiredDecoder(key).unkeyedContainer()
  }

  /// Returns a decoder of the value under a key, for a container of its own.
  private func requiredDecoder(_ key: Key) throws -> ValueDecoder {
    guard let field = fields.field(key.stringValue, key.byte) else { return try defaults(for: key).requiredDecoder(key) }
    return fields.decoder(of: field.value, tag: field.position, .key(key))
  }

  func superDecoder() throws -> any Decoder {
    try superDecoder(named: PlainCodingKey.super)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    try superDecoder(named: key)
  }

  /// Returns a decoder of the value under a key, or of its default; if there is neither, of null, like other decoders.
  private func superDecoder(named key: any CodingKey) throws -> any Decoder {
    if let field = fields.field(key.stringValue) { return fields.decoder(of: field.value, tag: field.position, .key(key)) }
    if fields.contains(key.stringValue) { throw fields.error(forMissing: key) }
    if let defaults = fields.defaultsIfPresent(for: key) { return try KeyedReader(fields: defaults).superDecoder(named: key) }
    return fields.decoder(of: .null, tag: -1, .key(key))
  }
}
