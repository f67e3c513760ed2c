import ArchiveFormat

/// The Codable side of decoding: presents one value of a state record to the type that decodes itself from it.
///
/// The value changes while nested values are decoded; containers keep their own, so they stay valid.
final class ArchiveDecoder: Decoder {
  /// What is decoded from.
  enum Subject {
    /// Nothing: where a superclass has stored nothing.
    static var null: Subject { .value(RawValue.null, tag: 0, depth: 0) }

    /// The entries of a whole state.
    case record(EntryIndex)
    /// A value whose tag lies at `tag`, at a nesting depth.
    case value(RawValue, tag: Int, depth: Int)
  }

  let source: DecodingSource
  private let place: UncheckedBox<Place>

  /// The value that is being decoded, and its place in the coding path.
  private struct Place {
    var subject: Subject
    var pathNode: CodingPathNode?
  }

  init(source: DecodingSource, subject: Subject, pathNode: CodingPathNode? = nil) {
    self.source = source
    place = UncheckedBox(Place(subject: subject, pathNode: pathNode))
  }

  var subject: Subject { place.value.subject }
  var pathNode: CodingPathNode? { place.value.pathNode }
  var codingPath: [any CodingKey] { CodingPathNode.keys(of: pathNode) }
  var userInfo: [CodingUserInfoKey: Any] { source.userInfo }

  // MARK: Values

  /// Decodes a value that lies in a container, below its place in the coding path.
  func decode<Value: Decodable>(
    _ type: Value.Type, from value: RawValue, tag: Int, depth: Int, at key: @autoclosure () -> any CodingKey,
    below container: CodingPathNode?
  ) throws -> Value {
    if let native = NativeType(type) {
      do throws(DecodingSource.Mismatch) {
        return try source.native(value, native, as: type)
      } catch {
        throw self.error(error, type: type, found: value, key: key(), pathNode: container)
      }
    }
    try spend(key)
    return try decode(
      type, Place(subject: .value(value, tag: tag, depth: depth), pathNode: CodingPathNode(key(), below: container)))
  }

  /// Decodes the subject of a single-value container as another type.
  func decodeAgain<Value: Decodable>(_ type: Value.Type, _ subject: Subject, _ container: CodingPathNode?) throws -> Value {
    if let native = NativeType(type), case .value(let value, _, _) = subject {
      do throws(DecodingSource.Mismatch) {
        return try source.native(value, native, as: type)
      } catch {
        throw self.error(error, type: type, found: value, key: nil, pathNode: container)
      }
    }
    try spend { nil }
    return try decode(type, Place(subject: subject, pathNode: container))
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ inner: consuming Place) throws -> Value {
    // Exchanged rather than copied, which would count references.
    swap(&place.value, &inner)
    defer { swap(&place.value, &inner) }
    return try type.init(from: self)
  }

  private func spend(_ key: () -> (any CodingKey)?) throws {
    do throws(FormatError) {
      try source.spend()
    } catch {
      throw self.error(.format(error), type: Any.self, found: nil, key: key())
    }
  }

  // MARK: Containers

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    switch subject {
    case .record(let index):
      return KeyedDecodingContainer(KeyedReader<Key>(fields: FieldReader(decoder: self, index: index, depth: 0, pathNode: pathNode)))
    case .value(let value, let tag, let depth):
      return try keyedContainer(type, of: value, tag: tag, depth: depth, pathNode: pathNode)
    }
  }

  func keyedContainer<Key: CodingKey>(
    _ type: Key.Type, of value: RawValue, tag: Int, depth: Int, pathNode: CodingPathNode?
  ) throws -> KeyedDecodingContainer<Key> {
    let fields = try fields(of: value, tag: tag, depth: depth, pathNode: pathNode)
    return KeyedDecodingContainer(KeyedReader<Key>(fields: fields))
  }

  private func fields(of value: RawValue, tag: Int, depth: Int, pathNode: CodingPathNode?) throws -> FieldReader {
    guard case .dictionary = value.kind else { throw error(.type, type: [String: Any].self, found: value, key: nil, pathNode: pathNode) }
    do throws(FormatError) {
      try ValueBudget(source.limits).checkDepth(depth, at: source.fileOffset + tag)
      source.expectDictionaries()
      let index = try EntryIndex(ByteCursor(value.payload, fileOffset: source.fileOffset), role: .dictionary, of: source)
      return FieldReader(decoder: self, index: index, depth: depth + 1, pathNode: pathNode)
    } catch {
      throw self.error(.format(error), type: [String: Any].self, found: value, key: nil, pathNode: pathNode)
    }
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .value(let value, let tag, let depth) = subject else {
      throw error(.type, type: [Any].self, found: nil, key: nil)
    }
    return try unkeyedContainer(of: value, tag: tag, depth: depth, pathNode: pathNode)
  }

  func unkeyedContainer(of value: RawValue, tag: Int, depth: Int, pathNode: CodingPathNode?) throws -> any UnkeyedDecodingContainer {
    guard case .array = value.kind else { throw error(.type, type: [Any].self, found: value, key: nil, pathNode: pathNode) }
    do throws(FormatError) {
      try ValueBudget(source.limits).checkDepth(depth, at: source.fileOffset + tag)
      return try UnkeyedReader(decoder: self, value: value, depth: depth + 1, pathNode: pathNode)
    } catch {
      throw self.error(.format(error), type: [Any].self, found: value, key: nil, pathNode: pathNode)
    }
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    SingleValueReader(decoder: self, pathNode: pathNode)
  }

  // MARK: Errors

  /// The standard error for a value that cannot be had as asked for, with the full coding path and, beneath it, the archive's own error.
  func error(_ mismatch: DecodingSource.Mismatch, type: Any.Type, found: RawValue?, key: (any CodingKey)?) -> DecodingError {
    error(mismatch, type: type, found: found, key: key, pathNode: pathNode)
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
  /// The archive's own error for a value that cannot be had as asked for.
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
