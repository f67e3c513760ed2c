import ArchiveFormat

/// Writes the fields of a value as entries of a dictionary.
struct KeyedWriter<Key: CodingKey>: MadeWriter {
  let encoder: ArchiveEncoder
  let identity: Int
  /// What the encoder knows the type of the keys by.
  let firstKey: Int

  var codingPath: [any CodingKey] { encoder.codingPath }

  @inline(__always)
  private func begin(_ key: Key) throws {
    if encoder.beginRememberedEntry(key.byte, firstKey: firstKey, identity: identity) { return }
    try encoder.beginEntry(key.stringValue, key.byte, firstKey: firstKey, identity: identity)
  }

  func encodeNil(forKey key: Key) throws {
    try begin(key)
    encoder.writer.buffer.writeNull()
  }

  func encode(_ value: Bool, forKey key: Key) throws {
    try begin(key)
    encoder.writer.buffer.writeBool(value)
  }

  func encode(_ value: String, forKey key: Key) throws {
    try begin(key)
    encoder.writer.buffer.writeString(value)
  }

  func encode(_ value: Double, forKey key: Key) throws {
    try begin(key)
    encoder.writer.buffer.writeFloat64(bits: value.bitPattern)
  }

  func encode(_ value: Float, forKey key: Key) throws {
    try encode(Double(value), forKey: key)
  }

  @inline(__always)
  private func encodeInteger(_ value: some FixedWidthInteger, forKey key: Key) throws {
    try begin(key)
    encoder.write(value)
  }

  func encode(_ value: Int, forKey key: Key) throws { try encodeInteger(value, forKey: key) }
  func encode(_ value: Int8, forKey key: Key) throws { try encodeInteger(value, forKey: key) }
  func encode(_ value: Int16, forKey key: Key) throws { try encodeInteger(value, forKey: key) }
  func encode(_ value: Int32, forKey key: Key) throws { try encodeInteger(value, forKey: key) }
  func encode(_ value: Int64, forKey key: Key) throws { try encodeInteger(value, forKey: key) }
  func encode(_ value: Int128, forKey key: Key) throws { try encodeInteger(value, forKey: key) }
  func encode(_ value: UInt, forKey key: Key) throws { try encodeInteger(value, forKey: key) }
  func encode(_ value: UInt8, forKey key: Key) throws { try encodeInteger(value, forKey: key) }
  func encode(_ value: UInt16, forKey key: Key) throws { try encodeInteger(value, forKey: key) }
  func encode(_ value: UInt32, forKey key: Key) throws { try encodeInteger(value, forKey: key) }
  func encode(_ value: UInt64, forKey key: Key) throws { try encodeInteger(value, forKey: key) }
  func encode(_ value: UInt128, forKey key: Key) throws { try encodeInteger(value, forKey: key) }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    let mark = encoder.writer.mark
    try begin(key)
    do {
      try encoder.encode(value, isEntry: true, at: .key(key))
    } catch {
      encoder.writer.unwind(to: mark)
      throw error
    }
  }

  func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type, forKey key: Key) -> KeyedEncodingContainer<NestedKey> {
    encoder.detach(key: key, isElement: false, identity: identity).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder.detach(key: key, isElement: false, identity: identity).unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    encoder.detach(key: PlainCodingKey.super, isElement: false, identity: identity)
  }

  func superEncoder(forKey key: Key) -> any Encoder {
    encoder.detach(key: key, isElement: false, identity: identity)
  }
}
