import ArchiveFormat

/// A decoder for the elements of an array, in order.
///
/// ``StateDecoder/decodeArray(forKey:_:)`` passes one to its closure. A call that throws does not advance. Errors are those of
/// ``StateDecoder``, with the outermost key, and `absent-key` after the last element.
public struct ElementDecoder {
  private let coder: StateDecoder
  private var cursor: ByteCursor

  init(_ array: RawValue, of coder: StateDecoder) {
    self.coder = coder
    cursor = ByteCursor(array.payload, fileOffset: coder.fileOffset)
  }

  /// Whether all elements are decoded.
  public var isAtEnd: Bool { cursor.isAtEnd }

  // MARK: Values

  /// Decodes null, or does nothing if the next element is another value.
  ///
  /// - Returns: Whether it was null.
  /// - Throws: `absent-key` after the last element.
  public mutating func decodeNil() throws(ArchiveError) -> Bool {
    let (value, _, rest) = try next()
    if value.kind == .null { cursor = rest }
    return value.kind == .null
  }

  /// Decodes a Boolean value.
  ///
  /// - Throws: `wrong-type`.
  public mutating func decode(_ type: Bool.Type) throws(ArchiveError) -> Bool {
    try decode { coder, value throws(StateDecoder.Mismatch) in try coder.bool(value) }
  }

  /// Decodes an integer.
  ///
  /// - Throws: `wrong-type`; `number-out-of-range`.
  public mutating func decode(_ type: Int.Type) throws(ArchiveError) -> Int {
    try decode { coder, value throws(StateDecoder.Mismatch) in try coder.integer(value) }
  }

  /// Decodes a floating-point number.
  ///
  /// - Throws: `wrong-type`; `number-out-of-range`.
  public mutating func decode(_ type: Double.Type) throws(ArchiveError) -> Double {
    try decode { coder, value throws(StateDecoder.Mismatch) in try coder.double(value) }
  }

  /// Decodes a string.
  ///
  /// - Throws: `wrong-type`; `invalid-utf8`.
  public mutating func decode(_ type: String.Type) throws(ArchiveError) -> String {
    try decode { coder, value throws(StateDecoder.Mismatch) in try coder.string(value) }
  }

  /// Decodes any value, like ``StateDecoder/decode(_:forKey:)-(Value.Type,_)``.
  ///
  /// - Throws: The errors of that call.
  public mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let (value, tag, rest) = try next()
    let result = try coder.decode(type, EntryIndex.Field(value: value, position: tag), nil)
    cursor = rest
    return result
  }

  /// Decodes a value of the archive's own model.
  ///
  /// - Throws: An error for an invalid value.
  public mutating func value() throws(ArchiveError) -> ArchiveValue {
    let (value, tag, rest) = try next()
    do throws(FormatError) {
      let result = try coder.archiveValue(value, tagAt: tag)
      cursor = rest
      return result
    } catch {
      throw coder.error(error, nil)
    }
  }

  /// Decodes the path of another node; nil if null was stored.
  ///
  /// - Throws: `wrong-type`.
  public mutating func decodePath() throws(ArchiveError) -> RestorationPath? {
    try decode { coder, value throws(StateDecoder.Mismatch) in value.kind == .null ? nil : try coder.reference(value) }
  }

  // MARK: Containers

  /// Decodes an array, element by element.
  ///
  /// - Throws: `wrong-type`; `nesting-depth`; rethrows the error of `body`.
  public mutating func decodeArray<Result>(_ body: (inout ElementDecoder) throws -> Result) throws -> Result {
    let (value, tag, rest) = try next()
    let result = try coder.decodeArray(EntryIndex.Field(value: value, position: tag), nil, body)
    cursor = rest
    return result
  }

  /// Decodes a dictionary, entry by entry.
  ///
  /// - Throws: `wrong-type`; `nesting-depth`; rethrows the error of `body`.
  public mutating func decodeDictionary<Result>(_ body: (StateDecoder) throws -> Result) throws -> Result {
    let (value, tag, rest) = try next()
    let result = try coder.decodeDictionary(EntryIndex.Field(value: value, position: tag), nil, body)
    cursor = rest
    return result
  }

  /// Returns the next element, the position of its tag, and the cursor behind it.
  @inline(__always)
  private func next() throws(ArchiveError) -> (value: RawValue, tag: Int, rest: ByteCursor) {
    if cursor.isAtEnd { throw end() }
    var rest = cursor
    do throws(FormatError) {
      return (try coder.readValue(&rest), cursor.position, rest)
    } catch {
      throw coder.error(error, nil)
    }
  }

  @inline(never)
  private func end() -> ArchiveError {
    ArchiveError(.absentKey, "element", expected: "one more", found: "the end of the array", path: coder.path, key: coder.outermostKey)
  }

  @inline(__always)
  private mutating func decode<Value>(
    _ body: (StateDecoder, RawValue) throws(StateDecoder.Mismatch) -> Value
  ) throws(ArchiveError) -> Value {
    let (value, _, rest) = try next()
    do throws(StateDecoder.Mismatch) {
      let result = try body(coder, value)
      cursor = rest
      return result
    } catch {
      throw ArchiveError(error, asked: Value.self, found: value, in: coder, key: nil)
    }
  }
}

extension StateDecoder {
  /// Decodes an array, element by element.
  ///
  ///     tabs = try coder.decodeArray(forKey: "tabs") { elements in
  ///       var tabs: [Tab] = []
  ///       while !elements.isAtEnd { tabs.append(Tab(title: try elements.decode(String.self))) }
  ///       return tabs
  ///     }
  ///
  /// Elements may be of different types, and need not be `Codable`. Those that `body` leaves are not read.
  ///
  /// - Throws: `absent-key`; `wrong-type`; rethrows the error of `body`.
  public func decodeArray<Result>(forKey key: String, _ body: (inout ElementDecoder) throws -> Result) throws -> Result {
    try decodeArray(field(key), key, body)
  }

  /// Decodes a dictionary, entry by entry.
  ///
  ///     tag = try coder.decodeDictionary(forKey: "filter") { try $0.decode(String.self, forKey: "tag") }
  ///
  /// The decoder passed to `body` is this one: while `body` runs, it finds the keys of the dictionary.
  ///
  /// - Throws: `absent-key`; `wrong-type`; rethrows the error of `body`. Errors of the decoder have the outermost key.
  public func decodeDictionary<Result>(forKey key: String, _ body: (StateDecoder) throws -> Result) throws -> Result {
    try decodeDictionary(field(key), key, body)
  }

  func decodeArray<Result>(
    _ array: EntryIndex.Field, _ key: String?, _ body: (inout ElementDecoder) throws -> Result
  ) throws -> Result {
    guard array.value.kind == .array else { throw ArchiveError(.type, asked: [Any].self, found: array.value, in: self, key: key) }
    let outer = try enter(array, key)
    defer { leave(to: outer) }
    var elements = ElementDecoder(array.value, of: self)
    return try body(&elements)
  }

  func decodeDictionary<Result>(_ dictionary: EntryIndex.Field, _ key: String?, _ body: (StateDecoder) throws -> Result) throws -> Result {
    guard dictionary.value.kind == .dictionary else {
      throw ArchiveError(.type, asked: [String: Any].self, found: dictionary.value, in: self, key: key)
    }
    let outer = try enter(dictionary, key)
    defer { leave(to: outer) }
    do throws(FormatError) {
      try openDictionary(dictionary.value)
    } catch {
      throw self.error(error, key)
    }
    return try body(self)
  }
}
