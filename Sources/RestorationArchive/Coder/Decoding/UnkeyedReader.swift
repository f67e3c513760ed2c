import ArchiveFormat
import FoundationValues

/// A container that presents the elements of an array.
struct UnkeyedReader: UnkeyedDecodingContainer {
  let array: ValueDecoder
  var cursor: ByteCursor
  /// The number of elements, counted in advance.
  let count: Int?
  private(set) var currentIndex = 0

  var codingPath: [any CodingKey] { array.codingPath }
  var isAtEnd: Bool { cursor.isAtEnd }

  private var key: PlainCodingKey { PlainCodingKey.index(currentIndex) }

  /// Reads the next element without advancing.
  @inline(__always)
  private func peek(_ type: Any.Type) throws -> (value: RawValue, rest: ByteCursor) {
    var rest = cursor
    guard !rest.isAtEnd else { throw end(type) }
    do throws(FormatError) {
      let value = try array.state.readValue(&rest)
      return (value, rest)
    } catch {
      throw array.error(.format(error), type: type, found: nil, key: key)
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
  private mutating func decode<Value>(_ body: (StateDecoder, RawValue) throws(StateDecoder.Mismatch) -> Value) throws -> Value {
    let (value, rest) = try peek(Value.self)
    do throws(StateDecoder.Mismatch) {
      let result = try body(array.state, value)
      advance(to: rest)
      return result
    } catch {
      throw array.error(error, type: Value.self, found: value, key: key)
    }
  }

  mutating func decodeNil() throws -> Bool {
    let (value, rest) = try peek(Any.self)
    guard value.kind == .null else { return false }
    advance(to: rest)
    return true
  }

  mutating func decode(_ type: Float.Type) throws -> Float {
    try decode { state, value throws(StateDecoder.Mismatch) in try state.float(value) }
  }

  @inline(__always)
  private mutating func decodeInteger<Value: FixedWidthInteger>() throws -> Value {
    try decode { state, value throws(StateDecoder.Mismatch) in try state.integer(value) }
  }

  // The witness for all integer types of 8 to 64 bits; the standard library has the others for every container.
  @inline(__always)
  mutating func decode<Value: FixedWidthInteger & Decodable>(_ type: Value.Type) throws -> Value { try decodeInteger() }
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try decodeInteger() }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try decodeInteger() }

  // The witness for Bool, String and Double too, which have a native form.
  @inline(__always)
  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let (value, rest) = try peek(type)
    let result = try array.decode(type, value, tag: cursor.position, at: .index(currentIndex))
    advance(to: rest)
    return result
  }

  /// Reads the next element for a container of its own.
  private func next(_ type: Any.Type) throws -> (decoder: ValueDecoder, rest: ByteCursor) {
    let (value, rest) = try peek(type)
    return (array.decoder(of: value, tag: cursor.position, .index(currentIndex)), rest)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) throws -> KeyedDecodingContainer<NestedKey> {
    let element = try next([String: Any].self)
    let container = try element.decoder.container(keyedBy: type)
    advance(to: element.rest)
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let element = try next([Any].self)
    let elements = try element.decoder.elements()
    advance(to: element.rest)
    return elements
  }

  mutating func superDecoder() throws -> any Decoder {
    let element = try next(Any.self)
    advance(to: element.rest)
    return element.decoder
  }
}
