import ArchiveFormat

/// A container that presents the elements of an array.
struct UnkeyedReader: UnkeyedDecodingContainer {
  private let decoder: ArchiveDecoder
  private let depth: Int
  private let pathNode: CodingPathNode?
  private var cursor: ByteCursor
  /// The number of elements, counted in advance.
  let count: Int?
  private(set) var currentIndex = 0

  private var source: DecodingSource { decoder.source }

  init(decoder: ArchiveDecoder, value: RawValue, depth: Int, pathNode: CodingPathNode?) throws(FormatError) {
    self.decoder = decoder
    self.depth = depth
    self.pathNode = pathNode
    cursor = ByteCursor(value.payload, fileOffset: decoder.source.fileOffset)
    let storage = decoder.source.storage
    let bytes = storage.span
    var counter = cursor
    var count = 0
    while !counter.isAtEnd {
      _ = try counter.readValue(in: bytes)
      count += 1
    }
    self.count = count
  }

  var codingPath: [any CodingKey] { CodingPathNode.keys(of: pathNode) }
  var isAtEnd: Bool { cursor.isAtEnd }

  private var key: PlainCodingKey { PlainCodingKey.index(currentIndex) }
  private var place: CodingPlace { CodingPlace(container: pathNode, key: .index(currentIndex)) }

  /// Reads the next element without advancing.
  @inline(__always)
  private func peek(_ type: Any.Type) throws -> (value: RawValue, rest: ByteCursor) {
    var rest = cursor
    guard !rest.isAtEnd else { throw end(type) }
    do throws(FormatError) {
      let value = try source.readValue(&rest)
      return (value, rest)
    } catch {
      throw decoder.error(.format(error), type: type, found: nil, key: key, pathNode: pathNode)
    }
  }

  @inline(never)
  private func end(_ type: Any.Type) -> DecodingError {
    .valueNotFound(
      type,
      DecodingError.Context(codingPath: codingPath + [key], debugDescription: "the array has only \(currentIndex) elements"))
  }

  @inline(__always)
  private mutating func advance(to rest: ByteCursor) {
    cursor = rest
    currentIndex &+= 1
  }

  @inline(__always)
  private mutating func decode<Value>(_ body: (DecodingSource, RawValue) throws(DecodingSource.Mismatch) -> Value) throws -> Value {
    let (value, rest) = try peek(Value.self)
    do throws(DecodingSource.Mismatch) {
      let result = try body(source, value)
      advance(to: rest)
      return result
    } catch {
      throw decoder.error(error, type: Value.self, found: value, key: key, pathNode: pathNode)
    }
  }

  mutating func decodeNil() throws -> Bool {
    let (value, rest) = try peek(Any.self)
    guard value.kind == .null else { return false }
    advance(to: rest)
    return true
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool {
    try decode { source, value throws(DecodingSource.Mismatch) in try source.bool(value) }
  }

  mutating func decode(_ type: String.Type) throws -> String {
    try decode { source, value throws(DecodingSource.Mismatch) in try source.string(value) }
  }

  mutating func decode(_ type: Double.Type) throws -> Double {
    try decode { source, value throws(DecodingSource.Mismatch) in try source.double(value) }
  }

  mutating func decode(_ type: Float.Type) throws -> Float {
    try decode { source, value throws(DecodingSource.Mismatch) in try source.float(value) }
  }

  @inline(__always)
  private mutating func decodeInteger<Value: FixedWidthInteger>() throws -> Value {
    try decode { source, value throws(DecodingSource.Mismatch) in try source.integer(value) }
  }

  mutating func decode(_ type: Int.Type) throws -> Int { try decodeInteger() }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try decodeInteger() }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try decodeInteger() }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try decodeInteger() }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try decodeInteger() }
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try decodeInteger() }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try decodeInteger() }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try decodeInteger() }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try decodeInteger() }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try decodeInteger() }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try decodeInteger() }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try decodeInteger() }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let (value, rest) = try peek(type)
    let result = try decoder.decode(type, from: value, tag: cursor.position, depth: depth, at: place)
    advance(to: rest)
    return result
  }

  mutating func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) throws -> KeyedDecodingContainer<NestedKey> {
    let (value, rest) = try peek([String: Any].self)
    let container = try decoder.keyedContainer(
      type, of: value, tag: cursor.position, depth: depth, at: place)
    advance(to: rest)
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let (value, rest) = try peek([Any].self)
    let container = try decoder.unkeyedContainer(
      of: value, tag: cursor.position, depth: depth, at: place)
    advance(to: rest)
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let (value, rest) = try peek(Any.self)
    let decoder = ArchiveDecoder(
      source: source, subject: .value(value, tag: cursor.position, depth: depth), place: place)
    advance(to: rest)
    return decoder
  }
}
