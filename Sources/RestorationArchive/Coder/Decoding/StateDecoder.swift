import ArchiveFormat

/// A decoder for the state of one node, by key.
///
///     let coder = try archive.decoder(at: "root/list")
///     row = try coder.decode(Int.self, forKey: "row", default: 0)
///     filter = try coder.decodeIfPresent(String.self, forKey: "filter")
///     front = try coder.decodePath(forKey: "front")
///
/// Never assume that a key exists: the state may be older or newer than the build that reads it. Decoding a value as a
/// different type is an error that names the path and key, never a silent nil. Only numbers convert, where nothing is
/// lost: an integer that a floating-point type holds exactly, and a floating-point number without fraction.
///
/// A decoder also describes the node and its archive: ``path``, ``type``, ``schemaVersion``, ``origin``, ``header``,
/// ``applicationState()``.
public final class StateDecoder {
  private let node: NodeReader
  /// The node of the application state, if it belongs to another archive than `node`.
  private let applicationNode: BoxedNode?
  @safe @exclusivity(unchecked) private var decoder: RecordDecoder
  /// The engine's number for the node.
  package let number: Int
  /// The engine's own context; looking it up in the user information would take a search.
  package let context: AnyObject?
  /// Whether the object has asked for the schema version: it then reads older ones by itself.
  package private(set) var wasAskedForSchema = false

  /// Creates a decoder for the state of a node.
  ///
  /// `number` is for the caller's use. `application` is the node of the application state if that is in another
  /// archive. `readKeys` records the keys that are asked for.
  package init(
    node: NodeReader, userInfo: [CodingUserInfoKey: Any] = [:], number: Int = -1, context: AnyObject? = nil,
    application: BoxedNode? = nil, readKeys: ReadKeys? = nil
  ) throws(ArchiveError) {
    self.node = node
    self.number = number
    self.context = context
    applicationNode = application
    decoder = try Self.open(node, userInfo)
    if let readKeys { decoder.record(readKeys) }
  }

  private static func open(_ node: NodeReader, _ userInfo: [CodingUserInfoKey: Any]) throws(ArchiveError) -> RecordDecoder {
    let decoder = node.archive.spareDecoders.take() as? RecordDecoder ?? RecordDecoder(for: node.archive)
    try decoder.open(node, userInfo: userInfo)
    return decoder
  }

  deinit {
    // A container that a type has kept still needs the record.
    guard isKnownUniquelyReferenced(&decoder) else { return }
    decoder.close()
    node.archive.spareDecoders.give(decoder)
  }

  /// Returns a decoder of the same state with user information for the `init(from:)` of decoded types.
  ///
  /// - Throws: The errors of opening the state.
  public func with(userInfo: [CodingUserInfoKey: Any]) throws(ArchiveError) -> StateDecoder {
    try StateDecoder(
      node: node, userInfo: userInfo, number: number, context: context, application: applicationNode, readKeys: decoder.readKeys)
  }

  /// User information for the `init(from:)` of decoded types.
  public var userInfo: [CodingUserInfoKey: Any] { decoder.userInfo }

  // MARK: The node and its archive

  /// The archive's header.
  public var header: ArchiveHeader { node.archive.header }
  /// The identifiers from the root down to the node; empty for the application state.
  public var path: RestorationPath { node.path }
  /// The node's type tag, if it has one.
  public var type: String? { node.type }
  /// The version of the state's schema; 0 without a type.
  public var schemaVersion: Int {
    wasAskedForSchema = true
    return node.schemaVersion
  }
  /// The save that the node was carried over from; nil if it belongs to the save that wrote the archive.
  public var origin: ArchiveOrigin? { node.origin }

  /// Returns a decoder for the application state.
  ///
  /// - Throws: `block-damaged` if the application state lies in a damaged block.
  public func applicationState() throws(ArchiveError) -> StateDecoder {
    if let applicationNode { return try StateDecoder(node: applicationNode.node, userInfo: userInfo, number: 0, context: context) }
    return try StateDecoder(node: node.archive.application(), userInfo: userInfo, number: 0, context: context)
  }

  /// All keys, in no particular order.
  public var allKeys: [String] {
    decoder.allKeys
  }

  /// Returns whether there is a value under a key; a stored null counts.
  public func containsValue(forKey key: String) -> Bool {
    decoder.field(key) != nil
  }

  // MARK: Values

  /// Decodes a Boolean value.
  ///
  /// - Throws: `absent-key`; `wrong-type`.
  public func decode(_ type: Bool.Type, forKey key: String) throws(ArchiveError) -> Bool {
    try decode(key) { decoder, value throws(RecordDecoder.Mismatch) in try decoder.bool(value) }
  }

  /// Decodes an integer.
  ///
  /// - Throws: `absent-key`; `wrong-type`; `number-out-of-range`.
  public func decode(_ type: Int.Type, forKey key: String) throws(ArchiveError) -> Int {
    try decode(key) { decoder, value throws(RecordDecoder.Mismatch) in try decoder.integer(value) }
  }

  /// Decodes a floating-point number.
  ///
  /// - Throws: `absent-key`; `wrong-type`.
  public func decode(_ type: Double.Type, forKey key: String) throws(ArchiveError) -> Double {
    try decode(key) { decoder, value throws(RecordDecoder.Mismatch) in try decoder.double(value) }
  }

  /// Decodes a string.
  ///
  /// - Throws: `absent-key`; `wrong-type`; `invalid-utf8`.
  public func decode(_ type: String.Type, forKey key: String) throws(ArchiveError) -> String {
    try decode(key) { decoder, value throws(RecordDecoder.Mismatch) in try decoder.string(value) }
  }

  /// Decodes any value: a number, string, date, URL, UUID, decimal, optional, array, dictionary, or a type of your own.
  ///
  /// A date, UUID, URL or `Data` may also be stored in the form in which it encodes itself when its type is not known
  /// (`try uuid.encode(to: encoder)`): a number, string, dictionary or array. `UUID(from: decoder)` and `Date(from:
  /// decoder)` also read the archive's native form. `URL(from:)`, `Data(from:)` and `Decimal(from:)` do not, because
  /// they request containers: decode these types by name. A decimal is not decoded from the form in which it encodes
  /// itself, because Foundation traps on invalid parts.
  ///
  /// - Throws: ``ArchiveError`` if the archive is at fault for the value as a whole, whatever the type: `absent-key`,
  ///   `wrong-type`, `number-out-of-range` and so on. For faults of a part of the value (a field, an element), and for
  ///   values that the type rejects, the type's own error: a `DecodingError` whose coding path begins with the key,
  ///   with an ``ArchiveError`` as its underlying error if that is the cause.
  public func decode<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value {
    let field = try field(key)
    let value = field.value
    if let native = NativeType(type) {
      do throws(RecordDecoder.Mismatch) {
        return try decoder.native(value, native, as: type)
      } catch {
        return try decodeOwnForm(type, native, error, field, key)
      }
    }
    return try decode(type, field, key)
  }

  /// Decodes a value of a native type from the form in which the type encodes itself, and throws if the value has
  /// neither form.
  @inline(never)
  private func decodeOwnForm<Value: Decodable>(
    _ type: Value.Type, _ native: NativeType, _ mismatch: RecordDecoder.Mismatch, _ field: EntryIndex.Field, _ key: String
  ) throws -> Value {
    if native.encodesItself(as: field.value.kind) {
      do { return try decode(type, field, key) } catch {}
    }
    throw ArchiveError(mismatch, asked: "\(type)", found: field.value, in: decoder).with(path: path, key: key)
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ field: EntryIndex.Field, _ key: String) throws -> Value {
    let (value, place) = (field.value, CodingPlace(container: nil, key: .name(key)))
    return try decodeWhole(type, .value(value, tag: field.position, depth: 0), at: place)
  }

  /// Decodes a value, or returns nil if the key is absent or its value is null.
  ///
  /// - Throws: The errors of `decode(_:forKey:)` except `absent-key`.
  public func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value? {
    guard let field = decoder.field(key), field.value.kind != .null else { return nil }
    return try decode(type, forKey: key)
  }

  /// Decodes a value, or returns the default if the key is absent, or if its value is null and the type is not
  /// optional.
  ///
  /// A stored null decodes to nil if the type is an `Optional`.
  ///
  /// - Throws: The errors of `decode(_:forKey:)` except `absent-key`.
  public func decode<Value: Decodable>(
    _ type: Value.Type, forKey key: String, default defaultValue: @autoclosure () -> Value
  ) throws -> Value {
    containsValue(forKey: key, of: type) ? try decode(type, forKey: key) : defaultValue()
  }

  /// Returns whether there is a value under a key, ignoring a null if the type is not optional.
  package func containsValue<Value>(forKey key: String, of type: Value.Type) -> Bool {
    guard let field = decoder.field(key) else { return false }
    return field.value.kind != .null || type is any OptionalValue.Type
  }

  /// Returns the value under a key as a value of the archive's own model, or nil if there is none.
  ///
  /// - Throws: An error for an invalid value.
  public func value(forKey key: String) throws(ArchiveError) -> ArchiveValue? {
    guard let field = decoder.field(key) else { return nil }
    do throws(FormatError) {
      return try decoder.archiveValue(field.value, tagAt: field.position)
    } catch {
      throw ArchiveError(error, path: path, key: key)
    }
  }

  // MARK: References

  // Not named `decode(reference:)`: a method in a module above this one has that name and returns the referenced
  // objects.

  /// Decodes the path of another node; nil if null was stored.
  ///
  /// - Throws: `absent-key`; `wrong-type`.
  public func decodePath(forKey key: String) throws(ArchiveError) -> RestorationPath? {
    try decode(key) { decoder, value throws(RecordDecoder.Mismatch) in
      value.kind == .null ? nil : try decoder.reference(value)
    }
  }

  /// Decodes the path of another node, or returns nil if the key is absent or its value is null.
  ///
  /// - Throws: `wrong-type`.
  public func decodePathIfPresent(forKey key: String) throws(ArchiveError) -> RestorationPath? {
    containsValue(forKey: key) ? try decodePath(forKey: key) : nil
  }

  /// Decodes the paths of other nodes, in order; nil where null was stored.
  ///
  /// - Throws: `absent-key`; `wrong-type`.
  public func decodePaths(forKey key: String) throws(ArchiveError) -> [RestorationPath?] {
    try decode(key) { decoder, value throws(RecordDecoder.Mismatch) in
      guard value.kind == .array else { throw .type }
      var paths: [RestorationPath?] = []
      var cursor = ByteCursor(value.payload, fileOffset: decoder.fileOffset)
      while !cursor.isAtEnd {
        let element: RawValue
        do throws(FormatError) {
          element = try decoder.readValue(&cursor)
        } catch {
          throw .format(error)
        }
        paths.append(element.kind == .null ? nil : try decoder.reference(element))
      }
      return paths
    }
  }

  // MARK: The whole state

  /// Decodes the whole state as one `Codable` type.
  ///
  /// - Throws: ``ArchiveError`` if the archive is at fault for the state as a whole: `wrong-type` for a type that does
  ///   not decode itself from keyed values. Otherwise the type's own error, as for `decode(_:forKey:)`.
  public func decodeState<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try decodeWhole(type, .record, at: .root)
  }

  /// Decodes the whole state as one type, and takes fields that it lacks from another state.
  ///
  /// - Throws: The errors of the type's own decoding, and `DecodingError.keyNotFound` for a field that both states lack.
  package func decodeState<Value: Decodable>(_ type: Value.Type, defaults: StateDecoder) throws -> Value {
    try decodeWhole(type, .record, at: .root, defaults: defaults.decoder)
  }

  private func decodeWhole<Value: Decodable>(
    _ type: Value.Type, _ subject: RecordDecoder.Subject, at place: CodingPlace, defaults: RecordDecoder? = nil
  ) throws -> Value {
    // A type that was decoded before may have kept its decoder, which goes on to present its value.
    if !isKnownUniquelyReferenced(&decoder), !decoder.isDecoding { decoder = try Self.open(node, userInfo) }
    return try decoder.decodeWhole(type, subject, at: place, defaults: defaults)
  }

  // MARK: Lookup

  @inline(__always)
  private func field(_ key: String) throws(ArchiveError) -> EntryIndex.Field {
    guard let field = decoder.field(key) else { throw absence(of: key) }
    return field
  }

  @inline(never)
  private func absence(of key: String) -> ArchiveError {
    ArchiveError(.absentKey, "value", expected: "one under this key", found: "none", path: path, key: key)
  }

  @inline(__always)
  private func decode<Value>(
    _ key: String, _ body: (RecordDecoder, RawValue) throws(RecordDecoder.Mismatch) -> Value
  ) throws(ArchiveError) -> Value {
    let value = try field(key).value
    do throws(RecordDecoder.Mismatch) {
      return try body(decoder, value)
    } catch {
      throw ArchiveError(error, asked: "\(Value.self)", found: value, in: decoder).with(path: path, key: key)
    }
  }
}

/// `Optional`, with any wrapped type.
private protocol OptionalValue {}
extension Optional: OptionalValue {}

extension NodeReader {
  /// Returns a decoder for the node's state, for keyed calls and Codable types.
  ///
  /// - Throws: `block-damaged` if the state lies in a damaged block.
  public func decoder() throws(ArchiveError) -> StateDecoder {
    try StateDecoder(node: self)
  }
}

extension ArchiveReader {
  /// Returns a decoder for the state of the node at `path`.
  ///
  /// - Throws: `absent-node` if there is no such node, and the errors of ``node(at:)``.
  public func decoder(at path: RestorationPath) throws(ArchiveError) -> StateDecoder {
    guard let node = try node(at: path) else {
      throw ArchiveError(.absentNode, "node", expected: "a node at this path", found: "none", path: path)
    }
    return try node.decoder()
  }
}
