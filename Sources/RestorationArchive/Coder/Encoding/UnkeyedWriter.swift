import ArchiveFormat

/// A container that writes values without keys: what arrays and single values have in common.
protocol PrimitiveWriter {
  var encoder: ArchiveEncoder { get }

  /// Makes room for one value.
  ///
  /// - Throws: If the container may not be used now.
  func begin() throws
}

extension PrimitiveWriter {
  func encodeNil() throws {
    try begin()
    encoder.writer.buffer.writeNull()
  }

  func encode(_ value: Bool) throws {
    try begin()
    encoder.writer.buffer.write(.bool(value))
  }

  func encode(_ value: String) throws {
    try begin()
    encoder.writer.buffer.writeString(value)
  }

  func encode(_ value: Double) throws {
    try begin()
    encoder.writer.buffer.write(.float64(bits: value.bitPattern))
  }

  func encode(_ value: Float) throws {
    try encode(Double(value))
  }

  @inline(__always)
  func encodeInteger(_ value: some FixedWidthInteger) throws {
    try begin()
    encoder.write(value)
  }
}

/// A container that writes the elements of an array.
struct UnkeyedWriter: UnkeyedEncodingContainer, PrimitiveWriter {
  let encoder: ArchiveEncoder
  let identity: Int

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.context.identity == identity ? encoder.context.count : 0 }

  @inline(__always)
  func begin() throws {
    try encoder.check(identity)
    encoder.addElement()
  }

  // The witness for all integer types of 8 to 64 bits; the standard library has the others for every container.
  func encode(_ value: some FixedWidthInteger & Encodable) throws { try encodeInteger(value) }
  func encode(_ value: Int128) throws { try encodeInteger(value) }
  func encode(_ value: UInt128) throws { try encodeInteger(value) }

  func encode<Value: Encodable>(_ value: Value) throws {
    try encoder.check(identity)
    let mark = encoder.writer.mark
    do {
      try encoder.encode(value, mark: .impossible, at: .index(encoder.context.count))
    } catch {
      encoder.unwind(to: mark)
      throw error
    }
    encoder.addElement()
  }

  func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
    encoder.elementEncoder(identity: identity).container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    encoder.elementEncoder(identity: identity).unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    encoder.elementEncoder(identity: identity)
  }
}

/// A container that writes a value without fields or elements.
struct SingleValueWriter: SingleValueEncodingContainer, PrimitiveWriter {
  let encoder: ArchiveEncoder
  let identity: Int

  var codingPath: [any CodingKey] { encoder.codingPath }

  @inline(__always)
  func begin() throws { try encoder.beginSingle(identity) }

  // The witness for all integer types of 8 to 64 bits; the standard library has the others for every container.
  func encode(_ value: some FixedWidthInteger & Encodable) throws { try encodeInteger(value) }
  func encode(_ value: Int128) throws { try encodeInteger(value) }
  func encode(_ value: UInt128) throws { try encodeInteger(value) }

  func encode<Value: Encodable>(_ value: Value) throws {
    try encoder.encodeSingle(value, identity: identity)
  }

  /// Writes a reference.
  func encode(reference path: RestorationPath) throws {
    guard !path.isEmpty else { throw encoder.error(.emptyReference()) }
    try encoder.beginSingle(identity)
    encoder.writer.buffer.writeReference(path.components)
  }
}
