import ArchiveFormat
import FoundationValues

/// Presents a value, or the whole state, to a type that decodes itself.
///
/// It finds the fields of a dictionary by name, too. ``KeyedReader`` is generic in the key type, so it is either specialized
/// or slow; all code that does not depend on the key type is here.
final class ValueDecoder: Decoder, SingleValueDecodingContainer {
  let state: StateDecoder
  private let value: RawValue
  /// The position of the value's tag; negative for an absent value, presented as a null.
  let tag: Int
  /// The nesting depth of the value; -1 for the whole state.
  private let depth: Int
  /// The decoder of the container that the value is in; nil for a value under a key of the state.
  private let container: ValueDecoder?
  private let key: CodingPlace.Key
  // The fields, once they are asked for.
  @safe @exclusivity(unchecked) private var section: EntryIndex.Section?
  /// Where the positions of the fields are remembered; negative if they are not.
  @safe @exclusivity(unchecked) private var memory = -1
  /// Why no field can be requested; determined when all keys are requested.
  @safe @exclusivity(unchecked) private var keyFault = KeyFault.none
  /// The default value at the same place, for fields that are missing here.
  @safe @exclusivity(unchecked) private var defaults: ValueDecoder?

  /// A fault of the keys together.
  private enum KeyFault {
    case none
    /// Two keys are equal as strings.
    case collision
    /// A key has too many combining marks in a row to be hashed.
    case marks
  }

  init(
    _ value: RawValue, tag: Int, depth: Int, of state: StateDecoder, in container: ValueDecoder?, _ key: consuming CodingPlace.Key
  ) {
    self.state = state
    self.value = value
    self.tag = tag
    self.depth = depth
    self.container = container
    self.key = key
  }

  /// Presents a whole state.
  convenience init(whole state: StateDecoder) {
    let entries = RawValue(.dictionary, tag: ValueTag.dictionary, payload: state.entries.position..<state.entries.end)
    self.init(entries, tag: 0, depth: -1, of: state, in: nil, .none)
    section = state.record
  }

  deinit {
    if let section, !isWhole { state.index.close(section) }
  }

  private var isWhole: Bool { depth < 0 }

  /// The value, if it is one under a key or in a container.
  private var found: RawValue? { isWhole ? nil : value }

  var userInfo: [CodingUserInfoKey: Any] { state.userInfo }

  var codingPath: [any CodingKey] {
    var keys: [any CodingKey] = []
    var next: ValueDecoder? = self
    while let current = next {
      if let key = current.key.codingKey { keys.append(key) }
      next = current.container
    }
    return keys.reversed()
  }

  // MARK: Parts

  /// Decodes a part of the value.
  @inline(__always)
  func decode<Value: Decodable>(
    _ type: Value.Type, _ part: RawValue, tag: Int, at key: @autoclosure () -> CodingPlace.Key
  ) throws -> Value {
    guard let native = NativeType(type) else { return try decodeOwn(type, decoder(of: part, tag: tag, key())) }
    do throws(StateDecoder.Mismatch) {
      return try state.native(part, native, as: type)
    } catch {
      return try decoder(of: part, tag: tag, key()).decodeOwnForm(type, native, error)
    }
  }

  /// Returns a decoder of a part of the value.
  func decoder(of part: RawValue, tag: Int, _ key: consuming CodingPlace.Key) -> ValueDecoder {
    ValueDecoder(part, tag: tag, depth: depth + 1, of: state, in: self, key)
  }

  @inline(__always)
  private func decodeOwn<Value: Decodable>(_ type: Value.Type, _ decoder: ValueDecoder) throws -> Value {
    do throws(FormatError) {
      try state.budget.spend()
    } catch {
      throw decoder.error(.format(error), type: Any.self, found: nil)
    }
    return try type.init(from: decoder)
  }

  /// Decodes the value, which is not a native one, from the form in which its native type encodes itself.
  @inline(never)
  private func decodeOwnForm<Value: Decodable>(
    _ type: Value.Type, _ native: NativeType, _ mismatch: StateDecoder.Mismatch
  ) throws -> Value {
    if native.encodesItself(as: value.kind) {
      do { return try decodeOwn(type, self) } catch {
        if error.isOfLimit { throw error }
      }
    }
    throw error(mismatch, type: type, found: value)
  }

  // MARK: A single value

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  @inline(__always)
  private func decode<Value>(_ body: (RawValue) throws(StateDecoder.Mismatch) -> Value) throws -> Value {
    do throws(StateDecoder.Mismatch) {
      return try body(value)
    } catch {
      throw self.error(error, type: Value.self, found: found)
    }
  }

  func decodeNil() -> Bool { value.kind == .null }

  func decode(_ type: Bool.Type) throws -> Bool {
    try decode { value throws(StateDecoder.Mismatch) in try state.bool(value) }
  }

  // A request for a string or number may come from a `UUID` or `Date` that decodes itself in generic code: `try T(from:
  // decoder)`. These calls therefore accept the native forms too; calls that name a type do not.

  func decode(_ type: String.Type) throws -> String {
    try decode { value throws(StateDecoder.Mismatch) in
      value.kind == .uuid ? try state.uuid(value).uuidString : try state.string(value)
    }
  }

  func decode(_ type: Double.Type) throws -> Double {
    try decode { value throws(StateDecoder.Mismatch) in
      value.kind == .date ? try state.date(value).timeIntervalSinceReferenceDate : try state.double(value)
    }
  }

  func decode(_ type: Float.Type) throws -> Float {
    try decode { value throws(StateDecoder.Mismatch) in try state.float(value) }
  }

  @inline(__always)
  private func decodeInteger<Value: FixedWidthInteger>() throws -> Value {
    try decode { value throws(StateDecoder.Mismatch) in try state.integer(value) }
  }

  // The witness for all integer types of 8 to 64 bits; the standard library has the others for every container.
  @inline(__always)
  func decode<Value: FixedWidthInteger & Decodable>(_ type: Value.Type) throws -> Value { try decodeInteger() }
  func decode(_ type: Int128.Type) throws -> Int128 { try decodeInteger() }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try decodeInteger() }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if !isWhole, let native = NativeType(type) {
      do throws(StateDecoder.Mismatch) {
        return try state.native(value, native, as: type)
      } catch {
        return try decodeOwnForm(type, native, error)
      }
    }
    return try decodeOwn(type, self)
  }

  /// Reads a reference.
  func decodeReference() throws -> RestorationPath {
    try decode { value throws(StateDecoder.Mismatch) in try state.reference(value) }
  }

  // MARK: Elements

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try elements() }

  /// Returns the elements of the array.
  func elements() throws -> UnkeyedReader {
    guard case .array = value.kind else { throw error(.type, type: [Any].self, found: found) }
    do throws(FormatError) {
      try state.budget.checkDepth(depth, at: state.fileOffset + tag)
      let cursor = ByteCursor(value.payload, fileOffset: state.fileOffset)
      return UnkeyedReader(array: self, cursor: cursor, count: try state.countValues(cursor))
    } catch {
      throw self.error(.format(error), type: [Any].self, found: value)
    }
  }

  // MARK: Fields

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try openFields()
    memory = Key.hasByte ? state.index.firstMemory(ofKeyType: ObjectIdentifier(type)) : -1
    return KeyedDecodingContainer(KeyedReader<Key>(fields: self))
  }

  fileprivate func openFields() throws {
    if defaults == nil { defaults = isWhole ? state.defaults.map { ValueDecoder(whole: $0) } : container?.defaults(under: key) }
    if section != nil { return }
    guard case .dictionary = value.kind else { throw error(.type, type: [String: Any].self, found: found) }
    do throws(FormatError) {
      try state.budget.checkDepth(depth, at: state.fileOffset + tag)
      state.index.expectKeys()
      section = try state.index.open(
        ByteCursor(value.payload, fileOffset: state.fileOffset), role: .dictionary, in: state.bytes)
    } catch {
      throw self.error(.format(error), type: [String: Any].self, found: found)
    }
  }

  /// Returns all keys.
  ///
  /// If any collide, or have too many combining marks, all later requests for values fail. The latter are empty: the
  /// caller hashes or compares them too.
  func collectKeys() -> [String] {
    let keys = section.map { state.keys(in: $0) } ?? []
    guard state.index.keys.hasNonASCII || !keys.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }) else { return keys }
    if keys.contains(where: \.hasExcessiveMarks) {
      keyFault = .marks
      return keys.map { $0.hasExcessiveMarks ? "" : $0 }
    }
    if Set(keys).count < keys.count { keyFault = .collision }
    return keys
  }

  /// Returns the value under a key, or nil if there is none or if the keys have a fault.
  @inline(__always)
  func field(_ key: String, _ byte: UInt8? = nil) -> EntryIndex.Field? {
    guard let section, keyFault == .none else { return nil }
    if StringWords.areKnown, memory >= 0, let byte, byte < 64 { return state.field(key, memory &+ Int(byte), in: section) }
    return state.field(key, in: section)
  }

  /// Returns whether there is a value under a key.
  ///
  /// Returns true if the keys have a fault, so that requesting the value throws instead of giving nil.
  func contains(_ key: String, _ byte: UInt8? = nil) -> Bool { keyFault != .none || field(key, byte) != nil }

  /// Returns the default value's decoder, for a key for which ``field(_:_:)`` has returned nil.
  ///
  /// - Throws: The error for a missing key, if there is no default for it.
  func defaults(for key: any CodingKey) throws -> ValueDecoder {
    guard let defaults = defaultsIfPresent(for: key) else { throw error(forMissing: key) }
    return defaults
  }

  /// Returns the default value's decoder, or nil if it has no value for a key.
  func defaultsIfPresent(for key: any CodingKey) -> ValueDecoder? {
    guard let defaults, keyFault == .none, defaults.field(key.stringValue) != nil else { return nil }
    return defaults
  }

  /// Returns the decoder of the default value of a part of this value, if that is a dictionary in the default value.
  private func defaults(under key: CodingPlace.Key) -> ValueDecoder? {
    guard let defaults, let name = key.fieldName, let field = defaults.field(name), field.value.kind == .dictionary else { return nil }
    let part = defaults.decoder(of: field.value, tag: field.position, key)
    return (try? part.openFields()) == nil ? nil : part
  }

  // MARK: Errors

  /// Returns the error for a key for which ``field(_:_:)`` has returned nil.
  @inline(never)
  func error(forMissing key: any CodingKey) -> DecodingError {
    let path = codingPath
    let outermost = path.first?.stringValue
    let fault: FormatError
    switch keyFault {
    case .none:
      let text = "no value under \"\(key.stringValue.shortenedForDisplay)\""
      return .keyNotFound(
        key,
        DecodingError.Context(codingPath: path, debugDescription: text, underlyingError: state.absence(of: outermost ?? key.stringValue)))
    case .collision:
      fault = FormatError(
        .keysCollide, at: nil, "keys of a dictionary", expected: "different texts", found: "the same one in two forms")
    case .marks:
      let limit = "at most \(String.maximumMarks) combining marks in a row"
      fault = FormatError(.readerLimit, at: nil, "key of a dictionary", expected: .text(limit), found: "more")
    }
    let cause = ArchiveError(fault, path: state.path, key: outermost)
    return .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: cause.description, underlyingError: cause))
  }
}

extension Error {
  /// Whether a value was refused for a limit of the reader, and not for what it is.
  var isOfLimit: Bool {
    if let error = self as? ArchiveError { return error.kind == .limit }
    guard case .dataCorrupted(let context)? = self as? DecodingError else { return false }
    return (context.underlyingError as? ArchiveError)?.kind == .limit
  }
}

extension ArchiveError {
  /// Extracts the archive error underlying a standard one, if it concerns the whole value that `decoder` presents rather than a part
  /// of it.
  init?(ofWhole error: DecodingError, at decoder: ValueDecoder) {
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      guard context.codingPath.count <= decoder.codingPath.count, let cause = context.underlyingError as? ArchiveError else { return nil }
      self = cause
    default: return nil
    }
  }
}
