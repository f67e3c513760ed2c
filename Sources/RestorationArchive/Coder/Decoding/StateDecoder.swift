import ArchiveFormat
import Storage

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
///
/// The properties that change are not checked for exclusive access, which would take longer than finding a value: one thread
/// at a time uses a decoder, and no access calls code outside the package.
public final class StateDecoder {
  let node: NodeReader
  /// The node of the application state, if it belongs to another archive than `node`.
  private let applicationNode: BoxedNode?
  /// The engine's number for the node.
  package let number: Int
  /// The engine's own context; looking it up in the user information would take a search.
  package let context: AnyObject?
  /// Whether the object has asked for the schema version: it then reads older ones by itself.
  @safe @exclusivity(unchecked) package private(set) var wasAskedForSchema = false
  /// User information for the `init(from:)` of decoded types.
  public let userInfo: [CodingUserInfoKey: Any]
  /// Records the keys that are asked for, if somebody wants to know.
  package let readKeys: ReadKeys?

  // The record.
  /// The array that contains the record, and possibly much else.
  private let storage: [UInt8]
  let bytes: HeldBytes
  /// The file offset of index 0 of ``storage``.
  let fileOffset: Int
  let entries: ByteCursor
  let record: EntryIndex.Section
  /// The entries, and where their keys are likely to be in the next record.
  let index: EntryIndex

  /// The place at which this decoder decodes: in the state, or in a container of it.
  struct Place {
    /// The entries that are found by their keys.
    fileprivate(set) var section: EntryIndex.Section
    /// The number of containers that are open.
    fileprivate(set) var depth = 0
    /// The key of the outermost container.
    fileprivate(set) var key: String?
  }
  @safe @exclusivity(unchecked) private var place: Place

  // The value that is being decoded by a type of its own.
  /// The number of values that may still be created.
  @safe @exclusivity(unchecked) var budget: ValueBudget
  /// Decodes a default value, from which missing fields are taken.
  @safe @exclusivity(unchecked) private(set) var defaults: StateDecoder?

  /// Creates a decoder for the state of a node, and checks its entries.
  ///
  /// `number` is for the caller's use. `application` is the node of the application state if that is in another
  /// archive. `readKeys` records the keys that are asked for.
  package init(
    node: NodeReader, userInfo: [CodingUserInfoKey: Any] = [:], number: Int = -1, context: AnyObject? = nil,
    application: BoxedNode? = nil, readKeys: ReadKeys? = nil
  ) throws(ArchiveError) {
    let records = node.archive.records
    let bytes: HeldBytes
    do throws(FormatError) {
      let record = try records.state(of: node.node)
      entries = try RecordParts(record, flags: node.node.record.flags).entries
      storage = record.storage
      bytes = HeldBytes(of: storage)
      fileOffset = record.fileOffset
    } catch {
      throw ArchiveError(error, path: node.path)
    }
    let index = records.takeIndex()
    do throws(FormatError) {
      record = try index.open(entries, role: .state, in: bytes)
    } catch {
      let key = index.faultyKey.map { key in bytes.withSpan { index.keys.text(of: key, in: $0) } }
      records.give(index)
      throw ArchiveError(error, path: node.path, key: key)
    }
    (self.index, self.bytes) = (index, bytes)
    place = Place(section: record)
    self.node = node
    self.userInfo = userInfo
    self.number = number
    self.context = context
    applicationNode = application
    self.readKeys = readKeys
    budget = ValueBudget(node.archive.limits)
    readKeys?.begin(allKeys)
  }

  deinit {
    node.archive.records.give(index, closing: record)
  }

  /// Returns a decoder of the same state with user information for the `init(from:)` of decoded types.
  ///
  /// - Throws: The errors of opening the state.
  public func with(userInfo: [CodingUserInfoKey: Any]) throws(ArchiveError) -> StateDecoder {
    try StateDecoder(
      node: node, userInfo: userInfo, number: number, context: context, application: applicationNode, readKeys: readKeys)
  }

  // MARK: The node and its archive

  /// The archive's header.
  public var header: ArchiveHeader { node.archive.header }
  /// The identifiers from the root down to the node; empty for the application state.
  public var path: RestorationPath { node.path }
  /// The node's type tag, if it has one.
  public var type: String? { node.type }
  /// The version of the state's schema; 0 without a type.
  ///
  /// Asking for it tells the engine that the object reads the state of earlier versions itself: state of an earlier version is
  /// then not reported as state without an upgrade.
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
  public var allKeys: [String] { keys(in: section) }

  /// Returns whether there is a value under a key; a stored null counts.
  public func containsValue(forKey key: String) -> Bool {
    field(key, in: section) != nil
  }

  // MARK: Values

  /// Decodes a Boolean value.
  ///
  /// - Throws: `absent-key`; `wrong-type`.
  public func decode(_ type: Bool.Type, forKey key: String) throws(ArchiveError) -> Bool {
    try decode(key) { value throws(Mismatch) in try bool(value) }
  }

  /// Decodes an integer.
  ///
  /// - Throws: `absent-key`; `wrong-type`; `number-out-of-range`.
  public func decode(_ type: Int.Type, forKey key: String) throws(ArchiveError) -> Int {
    try decode(key) { value throws(Mismatch) in try integer(value) }
  }

  /// Decodes a floating-point number.
  ///
  /// - Throws: `absent-key`; `wrong-type`.
  public func decode(_ type: Double.Type, forKey key: String) throws(ArchiveError) -> Double {
    try decode(key) { value throws(Mismatch) in try double(value) }
  }

  /// Decodes a string.
  ///
  /// - Throws: `absent-key`; `wrong-type`; `invalid-utf8`.
  public func decode(_ type: String.Type, forKey key: String) throws(ArchiveError) -> String {
    try decode(key) { value throws(Mismatch) in try string(value) }
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
    try decode(type, field(key), key)
  }

  @inline(__always)
  func decode<Value: Decodable>(_ type: Value.Type, _ field: EntryIndex.Field, _ key: String?) throws -> Value {
    guard let native = NativeType(type) else { return try decodeWhole(type, decoder(of: field, key)) }
    do throws(Mismatch) {
      return try self.native(field.value, native, as: type)
    } catch {
      return try decodeOwnForm(type, native, error, field, key)
    }
  }

  /// Decodes a value of a native type from the form in which the type encodes itself, and throws if the value has
  /// neither form.
  @inline(never)
  private func decodeOwnForm<Value: Decodable>(
    _ type: Value.Type, _ native: NativeType, _ mismatch: Mismatch, _ field: EntryIndex.Field, _ key: String?
  ) throws -> Value {
    if native.encodesItself(as: field.value.kind) {
      do { return try decodeWhole(type, decoder(of: field, key)) } catch {
        if error.isOfLimit { throw error }
      }
    }
    throw ArchiveError(mismatch, asked: type, found: field.value, in: self, key: key)
  }

  private func decoder(of field: EntryIndex.Field, _ key: String?) -> ValueDecoder {
    ValueDecoder(
      field.value, tag: field.position, depth: place.depth, of: self, in: nil, (outermostKey ?? key).map { .name($0) } ?? .none)
  }

  /// Decodes a value, or returns nil if the key is absent or its value is null.
  ///
  /// - Throws: The errors of `decode(_:forKey:)` except `absent-key`.
  public func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value? {
    guard let field = field(key, in: section), field.value.kind != .null else { return nil }
    return try decode(type, field, key)
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
    guard let field = field(key, in: section), Self.holdsValue(field, of: type) else { return defaultValue() }
    return try decode(type, field, key)
  }

  /// Returns whether there is a value under a key, ignoring a null if the type is not optional.
  package func containsValue<Value>(forKey key: String, of type: Value.Type) -> Bool {
    field(key, in: section).map { Self.holdsValue($0, of: type) } ?? false
  }

  private static func holdsValue<Value>(_ field: EntryIndex.Field, of type: Value.Type) -> Bool {
    field.value.kind != .null || type is any OptionalValue.Type
  }

  /// Returns the value under a key as a value of the archive's own model, or nil if there is none.
  ///
  /// - Throws: An error for an invalid value.
  public func value(forKey key: String) throws(ArchiveError) -> ArchiveValue? {
    guard let field = field(key, in: section) else { return nil }
    do throws(FormatError) {
      return try archiveValue(field.value, tagAt: field.position)
    } catch {
      throw self.error(error, key)
    }
  }

  // MARK: References

  // Not named `decodeReference(forKey:)`: a method in a module above this one has that name and returns the referenced
  // objects.

  /// Decodes the path of another node; nil if null was stored.
  ///
  /// - Throws: `absent-key`; `wrong-type`.
  public func decodePath(forKey key: String) throws(ArchiveError) -> RestorationPath? {
    try decode(key) { value throws(Mismatch) in
      value.kind == .null ? nil : try reference(value)
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
  /// - Throws: `absent-key`; `wrong-type`, for the list or an element; `value-budget`.
  public func decodePaths(forKey key: String) throws(ArchiveError) -> [RestorationPath?] {
    let list = try field(key).value
    guard list.kind == .array else { throw ArchiveError(.type, asked: [RestorationPath?].self, found: list, in: self, key: key) }
    var paths: [RestorationPath?] = []
    var budget = ValueBudget(node.archive.limits)
    var cursor = ByteCursor(list.payload, fileOffset: fileOffset)
    while !cursor.isAtEnd {
      var element = list
      do throws(Mismatch) {
        do throws(FormatError) {
          try budget.spend()
          element = try readValue(&cursor)
        } catch {
          throw .format(error)
        }
        paths.append(element.kind == .null ? nil : try reference(element))
      } catch {
        throw ArchiveError(error, asked: RestorationPath.self, found: element, in: self, key: key)
      }
    }
    return paths
  }

  // MARK: The whole state

  /// Decodes the whole state as one `Codable` type.
  ///
  /// - Throws: ``ArchiveError`` if the archive is at fault for the state as a whole: `wrong-type` for a type that does
  ///   not decode itself from keyed values. Otherwise the type's own error, as for `decode(_:forKey:)`.
  public func decodeState<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try decodeWhole(type, ValueDecoder(whole: self))
  }

  /// Decodes the whole state as one type, and takes fields that it lacks from another state.
  ///
  /// - Throws: The errors of the type's own decoding, and `DecodingError.keyNotFound` for a field that both states lack.
  package func decodeState<Value: Decodable>(_ type: Value.Type, defaults: StateDecoder) throws -> Value {
    try decodeWhole(type, ValueDecoder(whole: self), defaults: defaults)
  }

  /// Decodes a value with a decoder of its own: the value under a key, or the whole state.
  ///
  /// - Throws: ``ArchiveError`` if the archive is at fault for the value as a whole, whatever the type. Faults of a
  ///   part of the value, and errors of the type itself, are thrown as the type throws them.
  private func decodeWhole<Value: Decodable>(_ type: Value.Type, _ decoder: ValueDecoder, defaults: StateDecoder? = nil) throws -> Value {
    // Each call has a budget of its own; a type may make one while it is decoded by another.
    let (outerBudget, outerDefaults) = (budget, self.defaults)
    (budget, self.defaults) = (ValueBudget(node.archive.limits), defaults)
    defer { (budget, self.defaults) = (outerBudget, outerDefaults) }
    do {
      return try type.init(from: decoder)
    } catch let error as DecodingError {
      if let error = ArchiveError(ofWhole: error, at: decoder) { throw error }
      throw error
    }
  }

  // MARK: Containers

  private var section: EntryIndex.Section { place.section }
  var outermostKey: String? { place.key }
  /// Whether keys are those of a dictionary in the state.
  package var isInDictionary: Bool { !section.isSame(as: record) }

  /// Enters a container, and returns the place to return to.
  func enter(_ container: EntryIndex.Field, _ key: String?) throws(ArchiveError) -> Place {
    let outer = place
    do throws(FormatError) {
      try budget.checkDepth(outer.depth, at: fileOffset + container.position)
    } catch {
      throw self.error(error, key)
    }
    place.depth += 1
    if outer.depth == 0 { place.key = key }
    return outer
  }

  /// Makes a dictionary the one whose keys are found, until its section is closed.
  func openDictionary(_ dictionary: RawValue) throws(FormatError) {
    index.expectKeys()
    place.section = try index.open(ByteCursor(dictionary.payload, fileOffset: fileOffset), role: .dictionary, in: bytes)
  }

  /// Returns to a place, and closes the dictionary that was entered, if any.
  func leave(to outer: Place) {
    if !section.isSame(as: outer.section) { index.close(section) }
    place = outer
  }

  // MARK: Lookup

  /// Returns the value under a key, or nil if there is none.
  ///
  /// - Complexity: O(1), expected; O(log n) if the entries of another dictionary were indexed since.
  @inline(__always)
  func field(_ key: String, in section: EntryIndex.Section) -> EntryIndex.Field? {
    // Without an optional, which would be copied on the way.
    let field = find(key, section)
    return field.position < 0 ? nil : field
  }

  @inline(never)
  private func find(_ key: String, _ section: EntryIndex.Section) -> EntryIndex.Field {
    if let readKeys, section.isSame(as: record) { readKeys.note(key) }
    return bytes.withSpan { index.field(key, in: section, $0) }
  }

  @inline(__always)
  func field(_ key: String) throws(ArchiveError) -> EntryIndex.Field {
    guard let field = field(key, in: section) else { throw absence(of: key) }
    return field
  }

  @inline(never)
  func absence(of key: String?) -> ArchiveError {
    let isOutermost = outermostKey == nil || key == nil
    let expected = isOutermost ? "one under this key" : "one under the key \(key?.shortenedForDisplay ?? "") of a dictionary"
    return ArchiveError(.absentKey, "value", expected: .text(expected), found: "none", path: path, key: outermostKey ?? key)
  }

  /// Returns the error of a value under a key, with the outermost key.
  @inline(never)
  func error(_ error: FormatError, _ key: String?) -> ArchiveError { ArchiveError(error, path: path, key: outermostKey ?? key) }

  @inline(__always)
  private func decode<Value>(_ key: String, _ body: (RawValue) throws(Mismatch) -> Value) throws(ArchiveError) -> Value {
    let value = try field(key).value
    do throws(Mismatch) {
      return try body(value)
    } catch {
      throw ArchiveError(error, asked: Value.self, found: value, in: self, key: key)
    }
  }

  /// Returns a value of a dictionary whose key is asked for again and again, and whose place is remembered under a number.
  ///
  /// The keys that are asked for need not be recorded: no dictionary is the state itself, and nothing is remembered of a state
  /// whose keys are recorded.
  @inline(__always)
  func field(_ key: String, _ memory: Int, in section: EntryIndex.Section) -> EntryIndex.Field? {
    let position = readKeys == nil ? index.rememberedPosition(StringWords(key), memory, in: section) : -1
    if position >= 0 { return bytes.withSpan { EntryIndex.Field(value: index.value(at: position, in: section, $0), position: position) } }
    guard let field = field(key, in: section) else { return nil }
    index.remember(key, memory)
    return field
  }

  /// Returns all keys of the state or of a dictionary.
  func keys(in section: EntryIndex.Section) -> [String] {
    bytes.withSpan { bytes in (0..<section.count).map { index.keys.text(of: index.key(at: $0, in: section), in: bytes) } }
  }
}

/// The keys of a state that its decoders were asked for.
///
/// Decoders record keys only if they are given one of these.
package final class ReadKeys {
  private var read: Set<TextKey> = []
  private var all: Set<TextKey> = []

  package init() {}

  /// The keys that no decoder was asked for, in the order of their bytes.
  package var unread: [String] { Self.inOrder(all.subtracting(read)) }

  /// Whether the state has no keys.
  package var isEmpty: Bool { all.isEmpty }

  /// The keys that a decoder was asked for and that the state does not have, in the order of their bytes.
  package var missing: [String] { Self.inOrder(read.subtracting(all)) }

  private static func inOrder(_ keys: Set<TextKey>) -> [String] { keys.map(\.text).sorted { $0.precedesAsText($1) } }

  /// Whether a decoder was asked for a key.
  package func contains(_ key: String) -> Bool { read.contains(TextKey(key)) }

  func note(_ key: String) { read.insert(TextKey(key)) }

  package func begin(_ keys: [String]) { all.formUnion(keys.map { TextKey($0) }) }
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
