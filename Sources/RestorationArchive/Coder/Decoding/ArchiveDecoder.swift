import ArchiveFormat
import Storage

/// The Codable implementation of decoding; presents a value of a state record to the type that decodes itself.
///
/// The current value changes while nested values are decoded. Containers keep their own value and therefore stay valid.
final class ArchiveDecoder: Decoder {
  /// The content to decode.
  enum Subject {
    /// A null, for a superclass that has stored nothing.
    static var null: Subject { .value(RawValue.null, tag: 0, depth: 0) }

    /// The entries of a whole state.
    case record(ByteCursor)
    /// A value with the position of its tag, and its nesting depth.
    case value(RawValue, tag: Int, depth: Int)
  }

  let source: DecodingSource
  private let state: UncheckedBox<State>

  /// The current value and its place.
  private struct Context {
    var subject: Subject
    var place: CodingPlace

    init(_ subject: Subject, at place: CodingPlace) {
      self.subject = subject
      self.place = place
    }
  }

  private struct State {
    var context: Context
    /// Dictionary readers, reused once their containers have been released.
    var readers: [FieldReader] = []
    /// Whether readers are cached.
    ///
    /// Readers refer to the decoder, so the cache must be cleared at the end of the call.
    var keepsReaders = false
    /// Whether a dictionary has been read, so that the next one may have the same keys.
    var hasReadDictionary = false
  }

  init(source: DecodingSource, subject: Subject, place: CodingPlace) {
    self.source = source
    state = UncheckedBox(State(context: Context(subject, at: place)))
  }

  /// Decodes a value with its own decoder: the value under a key, or a whole state.
  ///
  /// - Throws: ``ArchiveError`` if the archive is at fault for the value as a whole, whatever the type. Faults of a
  ///   part of the value, and errors of the type itself, are thrown as the type throws them.
  static func decode<Value: Decodable>(
    _ type: Value.Type, _ subject: Subject, at place: CodingPlace, of source: DecodingSource
  ) throws -> Value {
    let decoder = ArchiveDecoder(source: source, subject: subject, place: place)
    decoder.state.value.keepsReaders = true
    let outer = source.beginCall()
    defer {
      source.endCall(outer)
      decoder.state.value.keepsReaders = false
      decoder.state.value.readers = []
    }
    do {
      return try type.init(from: decoder)
    } catch let error as DecodingError {
      if let error = ArchiveError(ofWhole: error, at: place) { throw error }
      throw error
    }
  }

  var subject: Subject { state.value.context.subject }
  var place: CodingPlace { state.value.context.place }
  var codingPath: [any CodingKey] { place.path }
  var userInfo: [CodingUserInfoKey: Any] { source.userInfo }

  // MARK: Values

  /// Decodes a value.
  @inline(__always)
  func decode<Value: Decodable>(
    _ type: Value.Type, from value: RawValue, tag: Int, depth: Int, at place: @autoclosure () -> CodingPlace
  ) throws -> Value {
    if let native = NativeType(type) {
      do throws(DecodingSource.Mismatch) {
        return try source.native(value, native, as: type)
      } catch {
        return try decodeOwnForm(type, native, error, Context(.value(value, tag: tag, depth: depth), at: place()), value)
      }
    }
    return try decode(type, Context(.value(value, tag: tag, depth: depth), at: place()))
  }

  /// Decodes a value of a native type from the form in which the type encodes itself, and throws if the value has
  /// neither form.
  @inline(never)
  private func decodeOwnForm<Value: Decodable>(
    _ type: Value.Type, _ native: NativeType, _ mismatch: DecodingSource.Mismatch, _ inner: Context, _ value: RawValue
  ) throws -> Value {
    if native.encodesItself(as: value.kind) {
      do { return try decode(type, inner) } catch {}
    }
    throw self.error(mismatch, type: type, found: value, key: nil, pathNode: inner.place.node)
  }

  /// Decodes the content of a single-value container as another type.
  func decodeAgain<Value: Decodable>(_ type: Value.Type, _ subject: Subject, _ place: CodingPlace) throws -> Value {
    guard case .value(let value, let tag, let depth) = subject else { return try decode(type, Context(subject, at: place)) }
    return try decode(type, from: value, tag: tag, depth: depth, at: place)
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ inner: consuming Context) throws -> Value {
    do throws(FormatError) {
      try source.spend()
    } catch {
      throw self.error(.format(error), type: Any.self, found: nil, key: nil, pathNode: inner.place.node)
    }
    // A swap instead of a copy, which would cost reference counting.
    swap(&state.value.context, &inner)
    defer { swap(&state.value.context, &inner) }
    return try type.init(from: self)
  }

  // MARK: Containers

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    container(type, of: try fields(keyedBy: ObjectIdentifier(type)))
  }

  func keyedContainer<Key: CodingKey>(
    _ type: Key.Type, of value: RawValue, tag: Int, depth: Int, at place: CodingPlace
  ) throws -> KeyedDecodingContainer<Key> {
    container(type, of: try fields(keyedBy: ObjectIdentifier(type), of: value, tag: tag, depth: depth, at: place))
  }

  /// Returns a container for a reader that was created for this key type.
  private func container<Key: CodingKey>(_ type: Key.Type, of fields: FieldReader) -> KeyedDecodingContainer<Key> {
    // Creating a maker for a single container costs more than it saves.
    guard fields.isReused, Key.hasByte else { return KeyedDecodingContainer(KeyedReader<Key>(fields: fields)) }
    precondition(fields.keyType == ObjectIdentifier(type))
    let maker = fields.maker { KeyedReaderMaker<KeyedReader<Key>>() }
    return sameClass(maker, as: KeyedReaderMaker<KeyedReader<Key>>.self).container(of: fields)
  }

  private func fields(keyedBy type: ObjectIdentifier) throws -> FieldReader {
    switch subject {
    case .record(let entries):
      let fields = FieldReader(decoder: self, keyType: type, depth: 0, place: place)
      do throws(FormatError) {
        try fields.fill(entries, role: .state)
      } catch {
        throw self.error(.format(error), type: [String: Any].self, found: nil, key: nil)
      }
      return fields
    case .value(let value, let tag, let depth):
      return try fields(keyedBy: type, of: value, tag: tag, depth: depth, at: place)
    }
  }

  private func fields(
    keyedBy type: ObjectIdentifier, of value: RawValue, tag: Int, depth: Int, at place: @autoclosure () -> CodingPlace
  ) throws -> FieldReader {
    guard case .dictionary = value.kind else {
      throw error(.type, type: [String: Any].self, found: value, key: nil, pathNode: place().node)
    }
    do throws(FormatError) {
      try ValueBudget(source.limits).checkDepth(depth, at: source.fileOffset + tag)
      let fields = reader(keyedBy: type, byteCount: value.payload.count, depth: depth + 1, at: place())
      try fields.fill(ByteCursor(value.payload, fileOffset: source.fileOffset), role: .dictionary)
      return fields
    } catch {
      throw self.error(.format(error), type: [String: Any].self, found: value, key: nil, pathNode: place().node)
    }
  }

  /// Returns a reader for a dictionary of `byteCount` bytes: an unused one for the same key type, or a new one.
  private func reader(keyedBy type: ObjectIdentifier, byteCount: Int, depth: Int, at place: consuming CodingPlace) -> FieldReader {
    // A reader retains its memory, so readers of large dictionaries are not cached.
    guard state.value.keepsReaders, byteCount <= 4096 else {
      return FieldReader(decoder: self, keyType: type, depth: depth, place: place)
    }
    var index = 0
    while index < state.value.readers.count {
      if state.value.readers[index].keyType == type, isKnownUniquelyReferenced(&state.value.readers[index]) {
        let reader = state.value.readers[index]
        reader.reuse(depth: depth, place: place)
        return reader
      }
      index += 1
    }
    let reader = FieldReader(decoder: self, keyType: type, depth: depth, place: place)
    if state.value.hasReadDictionary {
      source.expectDictionaries()
      if index < 8 { state.value.readers.append(reader) }
    }
    state.value.hasReadDictionary = true
    return reader
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .value(let value, let tag, let depth) = subject else {
      throw error(.type, type: [Any].self, found: nil, key: nil)
    }
    return try unkeyedContainer(of: value, tag: tag, depth: depth, at: place)
  }

  func unkeyedContainer(of value: RawValue, tag: Int, depth: Int, at place: CodingPlace) throws -> any UnkeyedDecodingContainer {
    let pathNode = place.node
    guard case .array = value.kind else { throw error(.type, type: [Any].self, found: value, key: nil, pathNode: pathNode) }
    do throws(FormatError) {
      try ValueBudget(source.limits).checkDepth(depth, at: source.fileOffset + tag)
      return try UnkeyedReader(decoder: self, value: value, depth: depth + 1, pathNode: pathNode)
    } catch {
      throw self.error(.format(error), type: [Any].self, found: value, key: nil, pathNode: pathNode)
    }
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    SingleValueReader(decoder: self)
  }

  // MARK: Errors

  /// Returns the standard error for a value that cannot be decoded as requested, with the full coding path and the
  /// archive error as its underlying error.
  func error(_ mismatch: DecodingSource.Mismatch, type: Any.Type, found: RawValue?, key: (any CodingKey)?) -> DecodingError {
    error(mismatch, type: type, found: found, key: key, pathNode: place.node)
  }

  @inline(never)
  func error(
    _ mismatch: DecodingSource.Mismatch, type: Any.Type, found: RawValue?, key: (any CodingKey)?, pathNode: CodingPathNode?
  ) -> DecodingError {
    let keys = CodingPathNode.keys(of: pathNode) + (key.map { [$0] } ?? [])
    let cause = ArchiveError(mismatch, asked: "\(type)", found: found, in: source).with(path: source.path, key: keys.first?.stringValue)
    let context = DecodingError.Context(codingPath: keys, debugDescription: cause.description, underlyingError: cause)
    switch mismatch {
    case .type: return found?.kind == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    case .range, .text, .format: return .dataCorrupted(context)
    }
  }
}

extension ArchiveError {
  /// Extracts the archive error underlying a standard one, if it concerns the whole value at `place` rather than a part
  /// of it.
  fileprivate init?(ofWhole error: DecodingError, at place: CodingPlace) {
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      guard context.codingPath.count <= place.path.count, let cause = context.underlyingError as? ArchiveError else { return nil }
      self = cause
    default: return nil
    }
  }

  /// Creates the archive error for a value that cannot be decoded as requested.
  init(_ mismatch: DecodingSource.Mismatch, asked: String, found: RawValue?, in source: DecodingSource) {
    let offset = found.map { source.fileOffset + $0.payload.lowerBound }
    let kind = FormatError.Quantity.text(found?.kind.name ?? "the whole state")
    switch mismatch {
    case .type:
      self.init(FormatError(.wrongType, at: offset, "value", expected: .text(asked), found: kind), path: source.path)
    case .range:
      self.init(FormatError(.numberOutOfRange, at: offset, "number", expected: .text("one that fits \(asked)")), path: source.path)
    case .text:
      self.init(FormatError(.wrongType, at: offset, "text", expected: .text("that of \(asked)"), found: kind), path: source.path)
    case .format(let error):
      self.init(error, path: source.path)
    }
  }
}
