import ArchiveFormat

/// Decodes the state of one node by key.
///
///     let coder = try archive.decoder(at: "root/list")
///     row = try coder.decode(Int.self, forKey: "row", default: 0)
///     filter = try coder.decodeIfPresent(String.self, forKey: "filter")
///     front = try coder.decodePath(forKey: "front")
///
/// Never assume that a key exists: the state may be older or newer than the build that reads it. Reading a value as another type than was
/// written is an error that names path and key, never a silent nil.
///
/// A decoder also answers what the node and the archive are: ``path``, ``type``, ``schemaVersion``, ``origin``, ``header``,
/// ``applicationState()``.
public final class StateDecoder {
  private let node: ArchivedNode
  /// The node of the application state, if it is of another archive than `node`.
  private let applicationNode: BoxedNode?
  private let source: DecodingSource
  /// What the engine knows the node by.
  package let number: Int
  private let entries: ByteCursor
  /// What the engine finds itself by; user information would have to be searched for it.
  package let context: AnyObject?
  private let index: EntryIndex

  convenience init(node: ArchivedNode) throws(ArchiveError) {
    try self.init(node: node, userInfo: [:])
  }

  /// Makes a decoder for the state of a node.
  ///
  /// `number` is the caller's own. `application` is the node of the application state where `node` is not of the same archive.
  package init(
    node: ArchivedNode, userInfo: [CodingUserInfoKey: Any], number: Int = -1, context: AnyObject? = nil, application: BoxedNode? = nil
  ) throws(ArchiveError) {
    self.node = node
    self.number = number
    self.context = context
    applicationNode = application
    do throws(FormatError) {
      let record = try node.archive.records.state(of: node.node)
      let parts = try RecordParts(record, flags: node.node.record.flags)
      source = DecodingSource(record: record, node: node, userInfo: userInfo)
      entries = parts.entries
    } catch {
      throw ArchiveError(error, path: node.path)
    }
    var index = EntryIndex()
    do throws(FormatError) {
      try index.fill(entries, role: .state, of: source)
    } catch {
      throw ArchiveError(error, path: node.path, key: index.faultyKey(in: source))
    }
    self.index = index
  }

  /// The same state with information for the `init(from:)` of the types that are decoded.
  ///
  /// - Throws: What opening the state throws.
  public func with(userInfo: [CodingUserInfoKey: Any]) throws(ArchiveError) -> StateDecoder {
    try StateDecoder(node: node, userInfo: userInfo, number: number, context: context, application: applicationNode)
  }

  /// Information for the `init(from:)` of the types that are decoded.
  public var userInfo: [CodingUserInfoKey: Any] { source.userInfo }

  // MARK: What is decoded

  /// What the archive says about itself.
  public var header: ArchiveHeader { node.archive.header }
  /// The identifiers from the root down to the node; empty for the application state.
  public var path: RestorationPath { node.path }
  /// The tag of the node's type, if it has one.
  public var type: String? { node.type }
  /// The version of what its state looks like; 0 without a type.
  public var schemaVersion: UInt32 { node.schemaVersion }
  /// Where the node was carried over from; nil if it is of the save that wrote the archive.
  public var origin: ArchiveOrigin? { node.origin }

  /// A decoder for the application state.
  ///
  /// - Throws: `block-damaged` if it lies in a damaged block.
  public func applicationState() throws(ArchiveError) -> StateDecoder {
    if let applicationNode { return try StateDecoder(node: applicationNode.node, userInfo: userInfo, number: 0, context: context) }
    return try StateDecoder(node: node.archive.application(), userInfo: userInfo, number: 0, context: context)
  }

  /// All keys, in no particular order.
  public var allKeys: [String] {
    index.keys(in: source)
  }

  /// Whether there is a value under a key; a stored null is one.
  public func containsValue(forKey key: String) -> Bool {
    index.field(key, in: source) != nil
  }

  // MARK: Values

  /// Decodes a truth value.
  ///
  /// - Throws: `absent-key`; `wrong-type`.
  public func decode(_ type: Bool.Type, forKey key: String) throws(ArchiveError) -> Bool {
    try decode(key) { source, value throws(DecodingSource.Mismatch) in try source.bool(value) }
  }

  /// Decodes a whole number.
  ///
  /// - Throws: `absent-key`; `wrong-type`; `number-out-of-range`.
  public func decode(_ type: Int.Type, forKey key: String) throws(ArchiveError) -> Int {
    try decode(key) { source, value throws(DecodingSource.Mismatch) in try source.integer(value) }
  }

  /// Decodes a floating-point number.
  ///
  /// - Throws: `absent-key`; `wrong-type`.
  public func decode(_ type: Double.Type, forKey key: String) throws(ArchiveError) -> Double {
    try decode(key) { source, value throws(DecodingSource.Mismatch) in try source.double(value) }
  }

  /// Decodes text.
  ///
  /// - Throws: `absent-key`; `wrong-type`; `invalid-utf8`.
  public func decode(_ type: String.Type, forKey key: String) throws(ArchiveError) -> String {
    try decode(key) { source, value throws(DecodingSource.Mismatch) in try source.string(value) }
  }

  /// Decodes any value: a number, text, date, URL, UUID, decimal, an optional, an array or dictionary of such, a type of your own.
  ///
  /// A date, UUID, URL or `Data` is also read in the form as which it encodes itself where its type is not known (`try uuid.encode(to: encoder)`:
  /// a number, text, dictionary, array), and `UUID(from: decoder)` and `Date(from: decoder)` read the archive's own form. `URL(from:)`,
  /// `Data(from:)` and `Decimal(from:)` ask for containers, which that form is not: decode those by their types. A decimal is not read in the
  /// form as which it encodes itself, since Foundation traps where a file has made that up.
  ///
  /// - Throws: ``ArchiveError`` for what the archive has against the value as a whole, whatever its type: `absent-key`, `wrong-type`,
  ///   `number-out-of-range` and so on. For a part of the value (a field, an element) and for what its type does not accept, what the type
  ///   throws: a `DecodingError` whose coding path begins with the key, with an ``ArchiveError`` beneath it where that is the cause.
  public func decode<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value {
    let field = try field(key)
    let value = field.value
    if let native = NativeType(type) {
      do throws(DecodingSource.Mismatch) {
        return try source.native(value, native, as: type)
      } catch {
        return try decodeOwnForm(type, native, error, field, key)
      }
    }
    return try decode(type, field, key)
  }

  /// Decodes a value of a type that the format has its own form for from the form as which it encodes itself; throws if it is not that either.
  @inline(never)
  private func decodeOwnForm<Value: Decodable>(
    _ type: Value.Type, _ native: NativeType, _ mismatch: DecodingSource.Mismatch, _ field: EntryTable.Field, _ key: String
  ) throws -> Value {
    if native.encodesItself(as: field.value.kind) {
      do { return try decode(type, field, key) } catch {}
    }
    throw ArchiveError(mismatch, asked: "\(type)", found: field.value, in: source).with(path: path, key: key)
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ field: EntryTable.Field, _ key: String) throws -> Value {
    let (value, place) = (field.value, CodingPlace(container: nil, key: .name(key)))
    return try ArchiveDecoder.decode(type, .value(value, tag: field.position, depth: 0), at: place, of: source)
  }

  /// Decodes a value, or returns nil if there is none under the key or if it is null.
  ///
  /// - Throws: As `decode(_:forKey:)`, but not `absent-key`.
  public func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value? {
    guard let field = index.field(key, in: source), field.value.kind != .null else { return nil }
    return try decode(type, forKey: key)
  }

  /// Decodes a value, or returns another one if there is none under the key, or if it is null and the type is not optional.
  ///
  /// A stored null decodes to nil where the type is an `Optional`.
  ///
  /// - Throws: As `decode(_:forKey:)`, but not `absent-key`.
  public func decode<Value: Decodable>(
    _ type: Value.Type, forKey key: String, default defaultValue: @autoclosure () -> Value
  ) throws -> Value {
    containsValue(forKey: key, of: type) ? try decode(type, forKey: key) : defaultValue()
  }

  /// Whether there is a value under a key, and not a null in the place of one of a type that has no such.
  package func containsValue<Value>(forKey key: String, of type: Value.Type) -> Bool {
    guard let field = index.field(key, in: source) else { return false }
    return field.value.kind != .null || type is any OptionalValue.Type
  }

  /// The value under a key as the archive's own model has it, or nil if there is none.
  ///
  /// - Throws: What is wrong with the value.
  public func value(forKey key: String) throws(ArchiveError) -> ArchiveValue? {
    guard let field = index.field(key, in: source) else { return nil }
    do throws(FormatError) {
      return try source.archiveValue(field.value, tagAt: field.position)
    } catch {
      throw ArchiveError(error, path: path, key: key)
    }
  }

  // MARK: References

  // Not `decode(reference:)`, which gives the objects that references lead to, in a module above this one.

  /// Decodes the path of another node; nil if null was stored.
  ///
  /// - Throws: `absent-key`; `wrong-type`.
  public func decodePath(forKey key: String) throws(ArchiveError) -> RestorationPath? {
    try decode(key) { source, value throws(DecodingSource.Mismatch) in
      value.kind == .null ? nil : try source.reference(value)
    }
  }

  /// Decodes the path of another node, or returns nil if there is none under the key or if null was stored.
  ///
  /// - Throws: `wrong-type`.
  public func decodePathIfPresent(forKey key: String) throws(ArchiveError) -> RestorationPath? {
    containsValue(forKey: key) ? try decodePath(forKey: key) : nil
  }

  /// Decodes the paths of other nodes, in order; nil where null was stored.
  ///
  /// - Throws: `absent-key`; `wrong-type`.
  public func decodePaths(forKey key: String) throws(ArchiveError) -> [RestorationPath?] {
    try decode(key) { source, value throws(DecodingSource.Mismatch) in
      guard value.kind == .array else { throw .type }
      var paths: [RestorationPath?] = []
      var cursor = ByteCursor(value.payload, fileOffset: source.fileOffset)
      while !cursor.isAtEnd {
        let element: RawValue
        do throws(FormatError) {
          element = try source.readValue(&cursor)
        } catch {
          throw .format(error)
        }
        paths.append(element.kind == .null ? nil : try source.reference(element))
      }
      return paths
    }
  }

  // MARK: The whole state

  /// Decodes the whole state as one `Codable` type.
  ///
  /// - Throws: ``ArchiveError`` for what the archive has against the state as a whole: `wrong-type` for a type that is not decoded from
  ///   values under keys. Else what the type throws, as `decode(_:forKey:)` says.
  public func decodeState<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try ArchiveDecoder.decode(type, .record(entries), at: CodingPlace(container: nil, key: .none), of: source)
  }

  // MARK: Finding

  @inline(__always)
  private func field(_ key: String) throws(ArchiveError) -> EntryTable.Field {
    guard let field = index.field(key, in: source) else { throw absence(of: key) }
    return field
  }

  @inline(never)
  private func absence(of key: String) -> ArchiveError {
    ArchiveError(
      FormatError(.absentKey, at: nil, "value", expected: .text("one under this key"), found: .text("none")), path: path, key: key)
  }

  @inline(__always)
  private func decode<Value>(
    _ key: String, _ body: (DecodingSource, RawValue) throws(DecodingSource.Mismatch) -> Value
  ) throws(ArchiveError) -> Value {
    let value = try field(key).value
    do throws(DecodingSource.Mismatch) {
      return try body(source, value)
    } catch {
      throw ArchiveError(error, asked: "\(Value.self)", found: value, in: source).with(path: path, key: key)
    }
  }
}

/// `Optional`, whatever it wraps.
private protocol OptionalValue {}
extension Optional: OptionalValue {}
