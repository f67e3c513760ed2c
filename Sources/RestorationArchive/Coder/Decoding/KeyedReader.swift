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

  /// Returns whether there is a value under a key.
  ///
  /// Returns true if keys collide, so that requesting the value throws instead of giving nil.
  func contains(_ key: Key) -> Bool {
    let name = KeyText(key.stringValue)
    if fields.rememberedField(name, key.byte) != nil { return true }
    do throws(FieldReader.Failure) {
      _ = try fields.searchField(name.string, key.byte)
      return true
    } catch {
      return error == .collision
    }
  }

  @inline(__always)
  private func field(_ key: Key) throws -> EntryTable.Field {
    let name = KeyText(key.stringValue)
    if let field = fields.rememberedField(name, key.byte) { return field }
    return try searchField(name.string, key)
  }

  @inline(never)
  private func searchField(_ name: String, _ key: Key) throws -> EntryTable.Field {
    do throws(FieldReader.Failure) {
      return try fields.searchField(name, key.byte)
    } catch {
      throw fields.error(error, key: key)
    }
  }

  @inline(__always)
  private func decode<Value>(
    _ key: Key, _ body: (DecodingSource, RawValue) throws(DecodingSource.Mismatch) -> Value
  ) throws -> Value {
    let value = try field(key).value
    do throws(DecodingSource.Mismatch) {
      return try body(fields.source, value)
    } catch {
      throw fields.decoder.error(error, type: Value.self, found: value, key: key, pathNode: fields.pathNode)
    }
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    try field(key).value.kind == .null
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try decode(key) { source, value throws(DecodingSource.Mismatch) in try source.bool(value) }
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try decode(key) { source, value throws(DecodingSource.Mismatch) in try source.string(value) }
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try decode(key) { source, value throws(DecodingSource.Mismatch) in try source.double(value) }
  }

  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try decode(key) { source, value throws(DecodingSource.Mismatch) in try source.float(value) }
  }

  @inline(__always)
  private func decodeInteger<Value: FixedWidthInteger>(_ key: Key) throws -> Value {
    try decode(key) { source, value throws(DecodingSource.Mismatch) in try source.integer(value) }
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

  func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type, forKey key: Key) throws -> KeyedDecodingContainer<NestedKey> {
    let field = try field(key)
    return try fields.decoder.keyedContainer(
      type, of: field.value, tag: field.position, depth: fields.depth, at: CodingPlace(container: fields.pathNode, key: .key(key)))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    let field = try field(key)
    return try fields.decoder.unkeyedContainer(
      of: field.value, tag: field.position, depth: fields.depth, at: CodingPlace(container: fields.pathNode, key: .key(key)))
  }

  func superDecoder() throws -> any Decoder {
    try superDecoder(named: PlainCodingKey.super)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    try superDecoder(named: key)
  }

  /// Returns a decoder of the value under a key; if there is none, of null, like other decoders.
  private func superDecoder(named key: any CodingKey) throws -> any Decoder {
    var subject = ArchiveDecoder.Subject.null
    do throws(FieldReader.Failure) {
      let field = try fields.searchField(key.stringValue, nil)
      subject = .value(field.value, tag: field.position, depth: fields.depth)
    } catch {
      guard case .absent = error else { throw fields.error(error, key: key) }
    }
    return ArchiveDecoder(source: fields.source, subject: subject, place: CodingPlace(container: fields.pathNode, key: .key(key)))
  }
}

/// A keyed container that ``KeyedReaderMaker`` creates.
protocol MadeReader: KeyedDecodingContainerProtocol {
  init(fields: FieldReader)
}

/// A factory of keyed containers for one key type, like ``KeyedWriterMaker`` for encoding.
final class KeyedReaderMaker<Reader: MadeReader> {
  @inline(never)
  func container(of fields: FieldReader) -> KeyedDecodingContainer<Reader.Key> {
    KeyedDecodingContainer(Reader(fields: fields))
  }
}
