import ArchiveFormat

/// Presents the entries of a dictionary as fields.
struct KeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ArchiveDecoder
  let index: EntryIndex
  /// The end of the entries.
  let end: Int
  /// How deep the values of the entries are nested.
  let depth: Int
  let pathNode: CodingPathNode?

  private var source: DecodingSource { decoder.source }

  var codingPath: [any CodingKey] { CodingPathNode.keys(of: pathNode) }

  /// The keys.
  ///
  /// Where two of them are the same to a `String`, decoding any value throws `keys-collide`: a dictionary that is made of them would lose
  /// one.
  var allKeys: [Key] {
    let keys = index.keys(of: source)
    if Set(keys).count < keys.count { index.hasCollidingKeys = true }
    return keys.compactMap { Key(stringValue: $0) }
  }

  func contains(_ key: Key) -> Bool {
    index.value(forKey: key.stringValue, of: source) != nil
  }

  @inline(__always)
  private func position(forKey key: Key) throws -> Int {
    if index.hasCollidingKeys { throw collision() }
    guard let position = index.value(forKey: key.stringValue, of: source) else { throw absence(of: key) }
    return position
  }

  @inline(__always)
  private func value(forKey key: Key, at position: Int) throws -> RawValue {
    do throws(FormatError) {
      return try source.value(at: position, end: end)
    } catch {
      throw decoder.error(.format(error), type: Any.self, found: nil, key: key, pathNode: pathNode)
    }
  }

  @inline(__always)
  private func decode<Value>(_ key: Key, _ body: (RawValue) throws(DecodingSource.Mismatch) -> Value) throws -> Value {
    let value = try value(forKey: key, at: try position(forKey: key))
    do throws(DecodingSource.Mismatch) {
      return try body(value)
    } catch {
      throw decoder.error(error, type: Value.self, found: value, key: key, pathNode: pathNode)
    }
  }

  @inline(never)
  private func absence(of key: Key) -> DecodingError {
    let path = codingPath
    let cause = ArchiveError(
      FormatError(.absentKey, at: nil, "value", expected: .text("one under this key"), found: .text("none")), path: source.path,
      key: (path + [key]).first?.stringValue)
    return .keyNotFound(
      key, DecodingError.Context(codingPath: path, debugDescription: "no value under \"\(key.stringValue)\"", underlyingError: cause))
  }

  @inline(never)
  private func collision() -> DecodingError {
    let cause = ArchiveError(
      FormatError(
        .keysCollide, at: nil, "keys of a dictionary", expected: .text("different texts"), found: .text("the same one in two forms")),
      path: source.path, key: codingPath.first?.stringValue)
    return .dataCorrupted(
      DecodingError.Context(codingPath: codingPath, debugDescription: cause.description, underlyingError: cause))
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    try value(forKey: key, at: try position(forKey: key)).kind == .null
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try decode(key) { value throws(DecodingSource.Mismatch) in try source.bool(value) }
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try decode(key) { value throws(DecodingSource.Mismatch) in try source.string(value) }
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try decode(key) { value throws(DecodingSource.Mismatch) in try source.double(value) }
  }

  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try decode(key) { value throws(DecodingSource.Mismatch) in try source.float(value) }
  }

  @inline(__always)
  private func decodeInteger<Value: FixedWidthInteger>(_ key: Key) throws -> Value {
    try decode(key) { value throws(DecodingSource.Mismatch) in try source.integer(value) }
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
    let position = try position(forKey: key)
    let value = try value(forKey: key, at: position)
    return try decoder.decode(type, from: value, tag: position, depth: depth, at: key, below: pathNode)
  }

  func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type, forKey key: Key) throws -> KeyedDecodingContainer<NestedKey> {
    let position = try position(forKey: key)
    let value = try value(forKey: key, at: position)
    return try decoder.keyedContainer(type, of: value, tag: position, depth: depth, pathNode: CodingPathNode(key, below: pathNode))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    let position = try position(forKey: key)
    let value = try value(forKey: key, at: position)
    return try decoder.unkeyedContainer(of: value, tag: position, depth: depth, pathNode: CodingPathNode(key, below: pathNode))
  }

  func superDecoder() throws -> any Decoder {
    try superDecoder(named: PlainCodingKey.super)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    try superDecoder(named: key)
  }

  /// A decoder of the value under a key; of null if there is none, as other decoders do.
  private func superDecoder(named key: any CodingKey) throws -> any Decoder {
    let node = CodingPathNode(key, below: pathNode)
    var subject = ArchiveDecoder.Subject.null
    if let position = index.value(forKey: key.stringValue, of: source) {
      do throws(FormatError) {
        subject = .value(try source.value(at: position, end: end), tag: position, depth: depth)
      } catch {
        throw decoder.error(.format(error), type: Any.self, found: nil, key: key, pathNode: pathNode)
      }
    }
    return ArchiveDecoder(source: source, subject: subject, pathNode: node)
  }
}
