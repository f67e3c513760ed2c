import ArchiveFormat
import FoundationValues

/// A container that presents the elements of an array.
struct UnkeyedReader: UnkeyedDecodingContainer {
  private let decoder: RecordDecoder
  private var cursor: ByteCursor
  /// The number of elements, counted in advance.
  let count: Int?
  private let depth: Int
  /// The array's place in the coding path; after the first container in it, as the parent of its elements.
  private var place: CodingPlace
  private(set) var currentIndex = 0

  init(decoder: RecordDecoder, cursor: ByteCursor, count: Int, depth: Int, place: CodingPlace) {
    self.decoder = decoder
    self.cursor = cursor
    self.count = count
    self.depth = depth
    self.place = place
  }

  var codingPath: [any CodingKey] { place.path }
  var isAtEnd: Bool { cursor.isAtEnd }

  private var key: PlainCodingKey { PlainCodingKey.index(currentIndex) }

  /// The place of the next element.
  private var elementPlace: CodingPlace {
    mutating get {
      let node = place.node
      place = CodingPlace(container: node, key: .none)
      return CodingPlace(container: node, key: .index(currentIndex))
    }
  }

  /// Reads the next element without advancing.
  @inline(__always)
  private func peek(_ type: Any.Type) throws -> (value: RawValue, rest: ByteCursor) {
    var rest = cursor
    guard !rest.isAtEnd else { throw end(type) }
    do throws(FormatError) {
      let value = try decoder.readValue(&rest)
      return (value, rest)
    } catch {
      throw decoder.error(.format(error), type: type, found: nil, key: key, pathNode: place.node)
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
  private mutating func decode<Value>(_ body: (RecordDecoder, RawValue) throws(RecordDecoder.Mismatch) -> Value) throws -> Value {
    let (value, rest) = try peek(Value.self)
    do throws(RecordDecoder.Mismatch) {
      let result = try body(decoder, value)
      advance(to: rest)
      return result
    } catch {
      throw decoder.error(error, type: Value.self, found: value, key: key, pathNode: place.node)
    }
  }

  mutating func decodeNil() throws -> Bool {
    let (value, rest) = try peek(Any.self)
    guard value.kind == .null else { return false }
    advance(to: rest)
    return true
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool {
    try decode { decoder, value throws(RecordDecoder.Mismatch) in try decoder.bool(value) }
  }

  mutating func decode(_ type: String.Type) throws -> String {
    try decode { decoder, value throws(RecordDecoder.Mismatch) in try decoder.string(value) }
  }

  mutating func decode(_ type: Double.Type) throws -> Double {
    try decode { decoder, value throws(RecordDecoder.Mismatch) in try decoder.double(value) }
  }

  mutating func decode(_ type: Float.Type) throws -> Float {
    try decode { decoder, value throws(RecordDecoder.Mismatch) in try decoder.float(value) }
  }

  @inline(__always)
  private mutating func decodeInteger<Value: FixedWidthInteger>() throws -> Value {
    try decode { decoder, value throws(RecordDecoder.Mismatch) in try decoder.integer(value) }
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
    let result = try decoder.decode(type, from: value, tag: cursor.position, depth: depth, at: elementPlace)
    advance(to: rest)
    return result
  }

  /// Reads the next element for a container of its own.
  private mutating func next(_ type: Any.Type) throws -> (subject: RecordDecoder.Subject, place: CodingPlace, rest: ByteCursor) {
    let (value, rest) = try peek(type)
    return (.value(value, tag: cursor.position, depth: depth), elementPlace, rest)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) throws -> KeyedDecodingContainer<NestedKey> {
    let element = try next([String: Any].self)
    let container = try decoder.container(type, of: element.subject, at: element.place)
    advance(to: element.rest)
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let element = try next([Any].self)
    let elements = try decoder.elements(of: element.subject, at: element.place)
    advance(to: element.rest)
    return elements
  }

  mutating func superDecoder() throws -> any Decoder {
    let element = try next(Any.self)
    advance(to: element.rest)
    return SuperDecoder(decoder: decoder, subject: element.subject, place: element.place)
  }
}

/// A container that presents a value without fields or elements.
struct SingleValueReader: SingleValueDecodingContainer {
  let decoder: RecordDecoder
  let subject: RecordDecoder.Subject
  let place: CodingPlace

  var codingPath: [any CodingKey] { place.path }

  @inline(__always)
  private func decode<Value>(_ body: (RawValue) throws(RecordDecoder.Mismatch) -> Value) throws -> Value {
    guard case .value(let value, _, _) = subject else {
      throw decoder.error(.type, type: Value.self, found: nil, key: nil, pathNode: place.node)
    }
    do throws(RecordDecoder.Mismatch) {
      return try body(value)
    } catch {
      throw decoder.error(error, type: Value.self, found: value, key: nil, pathNode: place.node)
    }
  }

  func decodeNil() -> Bool {
    guard case .value(let value, _, _) = subject else { return false }
    return value.kind == .null
  }

  func decode(_ type: Bool.Type) throws -> Bool {
    try decode { value throws(RecordDecoder.Mismatch) in try decoder.bool(value) }
  }

  // A request for a string or number may come from a `UUID` or `Date` that decodes itself in generic code: `try T(from:
  // decoder)`. These calls therefore accept the native forms too; calls that name a type do not.

  func decode(_ type: String.Type) throws -> String {
    try decode { value throws(RecordDecoder.Mismatch) in
      value.kind == .uuid ? try decoder.uuid(value).uuidString : try decoder.string(value)
    }
  }

  func decode(_ type: Double.Type) throws -> Double {
    try decode { value throws(RecordDecoder.Mismatch) in
      value.kind == .date ? try decoder.date(value).timeIntervalSinceReferenceDate : try decoder.double(value)
    }
  }

  func decode(_ type: Float.Type) throws -> Float {
    try decode { value throws(RecordDecoder.Mismatch) in try decoder.float(value) }
  }

  @inline(__always)
  private func decodeInteger<Value: FixedWidthInteger>() throws -> Value {
    try decode { value throws(RecordDecoder.Mismatch) in try decoder.integer(value) }
  }

  func decode(_ type: Int.Type) throws -> Int { try decodeInteger() }
  func decode(_ type: Int8.Type) throws -> Int8 { try decodeInteger() }
  func decode(_ type: Int16.Type) throws -> Int16 { try decodeInteger() }
  func decode(_ type: Int32.Type) throws -> Int32 { try decodeInteger() }
  func decode(_ type: Int64.Type) throws -> Int64 { try decodeInteger() }
  func decode(_ type: Int128.Type) throws -> Int128 { try decodeInteger() }
  func decode(_ type: UInt.Type) throws -> UInt { try decodeInteger() }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try decodeInteger() }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try decodeInteger() }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try decodeInteger() }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try decodeInteger() }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try decodeInteger() }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try decoder.decodeAgain(type, subject, place)
  }

  /// Reads a reference.
  func decodeReference() throws -> RestorationPath {
    try decode { value throws(RecordDecoder.Mismatch) in try decoder.reference(value) }
  }
}
