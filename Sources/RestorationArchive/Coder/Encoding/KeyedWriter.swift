import ArchiveFormat

/// A container that writes the fields of a value as entries of a dictionary.
struct KeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ArchiveEncoder
  let identity: Int
  var codingPath: [any CodingKey] { encoder.codingPath }

  // The key's text is requested each time, even for one-byte keys, because it may have changed.

  /// Begins an entry; its value, which cannot fail, must be written next.
  @inline(__always)
  private func begin(_ key: Key) throws {
    let name = key.stringValue
    if encoder.canWriteDirectly(identity), encoder.writer.beginKnownEntry(name) { return }
    try encoder.beginEntry(name, identity: identity)
  }

  func encodeNil(forKey key: Key) throws {
    try begin(key)
    encoder.writer.buffer.writeNull()
  }

  @inline(__always)
  private func write(_ scalar: ScalarEncoding, under key: Key) throws {
    try begin(key)
    encoder.writer.buffer.write(scalar)
  }

  func encode(_ value: Bool, forKey key: Key) throws {
    try write(.bool(value), under: key)
  }

  func encode(_ value: String, forKey key: Key) throws {
    try begin(key)
    encoder.writer.buffer.writeString(value)
  }

  func encode(_ value: Double, forKey key: Key) throws {
    try write(.float64(bits: value.bitPattern), under: key)
  }

  func encode(_ value: Float, forKey key: Key) throws {
    try encode(Double(value), forKey: key)
  }

  @inline(__always)
  private func encodeInteger(_ value: some FixedWidthInteger, forKey key: Key) throws {
    guard let scalar = ScalarEncoding(exactly: value) else { return try encode("\(value)", forKey: key) }
    try write(scalar, under: key)
  }

  // The witness for all integer types of 8 to 64 bits; the standard library has the others for every container.
  @inline(__always)
  func encode(_ value: some FixedWidthInteger & Encodable, forKey key: Key) throws { try encodeInteger(value, forKey: key) }
  func encode(_ value: Int128, forKey key: Key) throws { try encodeInteger(value, forKey: key) }
  func encode(_ value: UInt128, forKey key: Key) throws { try encodeInteger(value, forKey: key) }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    let name = key.stringValue
    let mark = encoder.writer.mark
    if !(encoder.canWriteDirectly(identity) && encoder.writer.beginKnownEntry(name)) {
      try encoder.beginEntry(ofValue: name, identity: identity)
    }
    do {
      try encoder.encode(value, mark: .possible, at: .key(key))
    } catch {
      encoder.unwind(to: mark)
      throw error
    }
    if !encoder.canWriteDirectly(identity) { encoder.noteValue(under: name) }
  }

  func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type, forKey key: Key) -> KeyedEncodingContainer<NestedKey> {
    encoder.nestedEncoder(under: key, identity: identity).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder.nestedEncoder(under: key, identity: identity).unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    encoder.superEncoder(under: PlainCodingKey.super, identity: identity)
  }

  func superEncoder(forKey key: Key) -> any Encoder {
    encoder.superEncoder(under: key, identity: identity)
  }
}
