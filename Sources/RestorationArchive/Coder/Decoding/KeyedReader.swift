import ArchiveFormat

/// A container that presents the entries of a dictionary as fields.
struct KeyedReader<Key: CodingKey>: MadeReader {
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

  @inline(__always)
  private func field(_ key: Key) throws -> EntryIndex.Field {
    if let field = fields.field(key.stringValue, key.byte) { return field }
    throw fields.error(forMissing: key)
  }

  @inline(__always)
  private func decode<Value>(
    _ key: Key, _ body: (RecordDecoder, RawValue) throws(RecordDecoder.Mismatch) -> Value
  ) throws -> Value {
    let value = try field(key).value
    do throws(RecordDecoder.Mismatch) {
      return try body(fields.decoder, value)
    } catch {
      throw fields.decoder.error(error, type: Value.self, found: value, key: key, pathNode: fields.pathNode)
    }
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    try field(key).value.kind == .null
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
    let field = try field(key)
    return try fields.decoder.decode(
      type, from: field.value, tag: field.position, depth: fields.depth, at: CodingPlace(container: fields.pathNode, key: .key(key)))
  }

  /// Returns the value under a key, and its place, for a container of its own.
  private func part(_ key: Key) throws -> (subject: RecordDecoder.Subject, place: CodingPlace) {
    let field = try field(key)
    return (
      .value(field.value, tag: field.position, depth: fields.depth), CodingPlace(container: fields.pathNode, key: .key(key))
    )
  }

  func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type, forKey key: Key) throws -> KeyedDecodingContainer<NestedKey> {
    let part = try part(key)
    return try fields.decoder.container(type, of: part.subject, at: part.place)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    let part = try part(key)
    return try fields.decoder.elements(of: part.subject, at: part.place)
  }

  func superDecoder() throws -> any Decoder {
    try superDecoder(named: PlainCodingKey.super)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    try superDecoder(named: key)
  }

  /// Returns a decoder of the value under a key; if there is none, of null, like other decoders.
  private func superDecoder(named key: any CodingKey) throws -> any Decoder {
    var subject = RecordDecoder.Subject.null
    if let field = fields.field(key.stringValue) {
      subject = .value(field.value, tag: field.position, depth: fields.depth)
    } else if fields.contains(key.stringValue) {
      throw fields.error(forMissing: key)
    }
    return SuperDecoder(decoder: fields.decoder, subject: subject, place: CodingPlace(container: fields.pathNode, key: .key(key)))
  }
}
