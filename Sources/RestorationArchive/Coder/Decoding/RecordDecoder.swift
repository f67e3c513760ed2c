import ArchiveFormat
import FoundationValues
import Storage

/// The keys of a state that its decoders were asked for.
///
/// Decoders record keys only if they are given one of these.
package final class ReadKeys {
  private var read: Set<String> = []
  private var all: Set<String> = []

  package init() {}

  /// The keys that no decoder was asked for, sorted.
  package var unread: [String] { all.subtracting(read).sorted() }

  func note(_ key: String) { read.insert(key) }

  func begin(_ keys: [String]) { all.formUnion(keys) }
}

/// Decodes the state of one node: finds its entries by key, turns values into Swift types, and presents the current value
/// to a type that decodes itself.
///
/// A decoder keeps its memory for the next node of the same archive (``SpareDecoders``).
///
/// The properties that change are not checked for exclusive access, which would take longer than finding a value: a
/// decoder belongs to one ``StateDecoder``, and no access calls code outside the package.
final class RecordDecoder: Decoder, @unchecked Sendable {
  /// The content to decode.
  enum Subject {
    /// A null, for a superclass that has stored nothing.
    static var null: Subject { .value(RawValue.null, tag: 0, depth: 0) }

    /// The entries of the whole state.
    case record
    /// A value with the position of its tag, and its nesting depth.
    case value(RawValue, tag: Int, depth: Int)
  }

  /// The reason why a value cannot be decoded as the requested type.
  enum Mismatch: Error {
    /// The value has another type.
    case type
    /// The number does not fit the type.
    case range
    /// The text does not represent a value of the type.
    case text
    /// The archive is at fault.
    case format(FormatError)
  }

  /// What is known of a requested key.
  private struct KeyMemory: BitwiseCopyable {
    /// The words of its text, which may have changed even for a one-byte key; ``numbers`` retains it.
    var words = StringWords()
    /// Its index in the key table.
    var number = 0
    /// The place at which it was found last.
    var place = 0
  }

  private static let maximumKeyTypes = 4
  private static let memoriesPerType = 64

  /// The current value and its place.
  private struct Context {
    var subject: Subject
    var place: CodingPlace

    init(_ subject: Subject, at place: CodingPlace) {
      self.subject = subject
      self.place = place
    }
  }

  let keys: KeyTable
  let limits: ReaderLimits
  private let isStrict: Bool
  // The record.
  @safe @exclusivity(unchecked) private var nodePlace = LazyPath(.application)
  @safe @exclusivity(unchecked) private(set) var userInfo: [CodingUserInfoKey: Any] = [:]
  /// The array that contains the record, and possibly much else.
  @safe @exclusivity(unchecked) private var storage: [UInt8] = []
  @safe @exclusivity(unchecked) private var bytes = HeldBytes(of: [])
  /// The file offset of index 0 of ``storage``.
  @safe @exclusivity(unchecked) private(set) var fileOffset = 0
  @safe @exclusivity(unchecked) private var cursor = ByteCursor(0..<0, fileOffset: 0)
  @safe @exclusivity(unchecked) private var record = EntryIndex.Section()
  /// Records the keys of the state that are asked for, if somebody wants to know.
  @safe @exclusivity(unchecked) private(set) var readKeys: ReadKeys?
  /// Decodes a default value, from which missing fields are taken.
  @safe @exclusivity(unchecked) private var defaults: RecordDecoder?
  // The current value.
  @safe @exclusivity(unchecked) private var context = Context(.null, at: .root)
  /// Whether a call decodes a value with its own decoder.
  @safe @exclusivity(unchecked) private(set) var isDecoding = false
  /// The first key types whose keys take one byte.
  @safe @exclusivity(unchecked) private var keyTypes: [ObjectIdentifier] = []
  /// What is known of the keys of these types, by their bytes.
  @safe @exclusivity(unchecked) private var memories = ScratchArray<KeyMemory>(capacity: 0)
  /// The number of values that may still be created.
  @safe @exclusivity(unchecked) private var budget: ValueBudget
  /// The entries, and where their keys are likely to be in the next record.
  private let index: EntryIndex
  /// The indexes of requested keys in the key table, -1 for others; unused until keys are likely to be requested again.
  @safe @exclusivity(unchecked) private var numbers = KeyCache(isForFewKeys: true)
  @safe @exclusivity(unchecked) private var expectsKeys = false

  init(for archive: ArchiveReader) {
    keys = archive.records.keys
    limits = archive.limits
    isStrict = archive.isStrict
    budget = ValueBudget(archive.limits)
    index = EntryIndex(keys: keys)
  }

  /// Opens the state of a node, and checks its entries.
  func open(_ node: NodeReader, userInfo: [CodingUserInfoKey: Any]) throws(ArchiveError) {
    do throws(FormatError) {
      let record = try node.archive.records.state(of: node.node)
      cursor = try RecordParts(record, flags: node.node.record.flags).entries
      storage = record.storage
      bytes = HeldBytes(of: storage)
      fileOffset = record.fileOffset
    } catch {
      throw ArchiveError(error, path: node.path)
    }
    do throws(FormatError) {
      record = try openSection(cursor, role: .state)
    } catch {
      throw ArchiveError(error, path: node.path, key: index.faultyKey.map { text(of: $0) })
    }
    nodePlace = node.place
    self.userInfo = userInfo
  }

  /// Forgets the record, and keeps what may serve for the next one.
  func close() {
    index.close(record)
    record = EntryIndex.Section()
    (bytes, storage) = (HeldBytes(of: []), [])
    nodePlace = LazyPath(.application)
    if !userInfo.isEmpty { userInfo = [:] }
    readKeys = nil
    expectKeys()
  }

  /// Records the keys that are asked for from now on.
  func record(_ readKeys: ReadKeys) {
    readKeys.begin(allKeys)
    self.readKeys = readKeys
  }

  /// The path of the state's node, for errors.
  var path: RestorationPath { nodePlace.path }

  // MARK: Keys

  /// Returns the value of the state under a key, or nil if there is none.
  @inline(__always)
  func field(_ key: String) -> EntryIndex.Field? { field(key, in: record) }

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
    let number = numbers.number(of: key) ?? learn(key)
    let position = number < 0 ? findInline(key, section) : index.position(ofKey: number, in: section)
    if position < 0 { return EntryIndex.Field(value: .null, position: -1) }
    return EntryIndex.Field(value: value(at: position, in: section), position: position)
  }

  /// Returns the position of a key that was found in an earlier dictionary, if it is at the same place again; otherwise
  /// -1.
  @inline(__always)
  func rememberedPosition(_ words: StringWords, _ memory: Int, in section: EntryIndex.Section) -> Int {
    guard memory < memories.count, memories[memory].words == words, readKeys == nil else { return -1 }
    return index.position(ofKey: memories[memory].number, at: memories[memory].place, in: section)
  }

  @inline(__always)
  func value(at position: Int, in section: EntryIndex.Section) -> RawValue {
    bytes.withSpan { index.value(at: position, in: section, $0) }
  }

  /// Returns the value under a key, and remembers its place.
  @inline(never)
  func find(_ key: String, _ section: EntryIndex.Section, memory: Int) -> EntryIndex.Field? {
    let field = field(key, in: section)
    if field != nil, StringWords.areKnown, let number = numbers.number(of: key), number >= 0 {
      if memories.count == 0 { memories.append(repeating: KeyMemory(), count: Self.maximumKeyTypes * Self.memoriesPerType) }
      memories[memory] = KeyMemory(words: StringWords(key), number: number, place: index.place(ofKey: number))
    }
    return field
  }

  @inline(never)
  private func learn(_ key: String) -> Int {
    let number = key.withUTF8Bytes { keys.index(of: $0) } ?? -1
    numbers.remember(number, of: key)
    return number
  }

  /// Prepares for more records and dictionaries with the same keys.
  private func expectKeys() {
    if expectsKeys { return }
    expectsKeys = true
    numbers = KeyCache(isForFewKeys: false)
  }

  @inline(never)
  private func findInline(_ key: String, _ section: EntryIndex.Section) -> Int {
    key.withUTF8Bytes { text in bytes.withSpan { index.position(ofInlineKey: text, in: section, $0) } }
  }

  private func openSection(_ cursor: ByteCursor, role: EntryRole) throws(FormatError) -> EntryIndex.Section {
    try bytes.withSpan { bytes throws(FormatError) in try index.open(cursor, role: role, in: bytes, keys: keys) }
  }

  /// Forgets the entries of a dictionary.
  func close(_ section: EntryIndex.Section) { index.close(section) }

  /// All keys of the state.
  var allKeys: [String] { keys(in: record) }

  /// Returns all keys of a dictionary.
  func keys(in section: EntryIndex.Section) -> [String] {
    var keys: [String] = []
    for place in 0..<section.count { keys.append(text(of: index.key(at: place, in: section))) }
    return keys
  }

  private func text(of key: KeyReference) -> String { bytes.withSpan { keys.text(of: key, in: $0) } }

  // MARK: Values as Swift types

  /// Reads the value at a cursor over the record.
  @inline(__always)
  func readValue(_ cursor: inout ByteCursor) throws(FormatError) -> RawValue {
    try bytes.withSpan { bytes throws(FormatError) in try cursor.readValue(in: bytes) }
  }

  @inline(__always)
  func bool(_ value: RawValue) throws(Mismatch) -> Bool {
    guard case .bool = value.kind else { throw .type }
    return value.bits != 0
  }

  @inline(__always)
  func integer<Value: FixedWidthInteger>(_ value: RawValue, as type: Value.Type = Value.self) throws(Mismatch) -> Value {
    switch value.kind {
    case .integer:
      guard let result = Value(exactly: value.bits) else { throw .range }
      return result
    case .negativeInteger:
      guard let result = Value(exactly: ~Int64(bitPattern: value.bits)) else { throw .range }
      return result
    case .float64:
      return try wholeNumber(value)
    default:
      return try wideInteger(value)
    }
  }

  /// Returns a floating-point number without fraction as an integer, so that a property may change its type.
  @inline(never)
  private func wholeNumber<Value: FixedWidthInteger>(_ value: RawValue) throws(Mismatch) -> Value {
    let number = Double(bitPattern: value.bits)
    guard number.rounded() == number, number.isFinite else { throw .type }
    guard let result = Value(exactly: number) else { throw .range }
    return result
  }

  /// Returns an integer of a type wider than 64 bits, stored as a string (rule R-2-1).
  private func wideInteger<Value: FixedWidthInteger>(_ value: RawValue) throws(Mismatch) -> Value {
    guard case .string = value.kind, Value.bitWidth > 64 else { throw .type }
    let text = try string(value)
    guard let result = Value(text), "\(result)" == text else { throw .text }
    return result
  }

  @inline(__always)
  func double(_ value: RawValue) throws(Mismatch) -> Double {
    guard case .float64 = value.kind else { return try exactDouble(value) }
    return Double(bitPattern: value.bits)
  }

  /// Returns an integer as a floating-point number, if that holds it exactly.
  @inline(never)
  private func exactDouble(_ value: RawValue) throws(Mismatch) -> Double {
    let number =
      switch value.kind {
      case .integer: Double(exactly: value.bits)
      case .negativeInteger: Double(exactly: ~Int64(bitPattern: value.bits))
      default: throw Mismatch.type
      }
    guard let number else { throw .range }
    return number
  }

  /// Returns a single-precision number, only if the conversion is exact.
  func float(_ value: RawValue) throws(Mismatch) -> Float {
    let wide = try double(value)
    let narrow = Float(wide)
    guard Double(narrow) == wide || wide.isNaN else { throw .range }
    return narrow
  }

  @inline(__always)
  func string(_ value: RawValue) throws(Mismatch) -> String {
    guard case .string = value.kind else { throw .type }
    return try text(value)
  }

  private func text(_ value: RawValue) throws(Mismatch) -> String {
    if let text = bytes.withSpan({ $0.extracting(value.payload).makeString() }) { return text }
    do throws(FormatError) {
      try bytes.withSpan { bytes throws(FormatError) in
        try ByteCursor(value.payload, fileOffset: fileOffset).validateText(in: bytes, at: value.payload, "string")
      }
    } catch {
      throw .format(error)
    }
    throw .text
  }

  /// Returns a date, also from the number as which a date encodes itself when the encoder does not know its type.
  @inline(__always)
  func date(_ value: RawValue) throws(Mismatch) -> Date {
    guard value.kind == .date || value.kind == .float64 else { throw .type }
    return Date(float64Bits: value.bits)
  }

  func data(_ value: RawValue) throws(Mismatch) -> Data {
    guard case .data = value.kind else { throw .type }
    return bytes.withSpan { Data(bytes: $0.extracting(value.payload)) }
  }

  /// Returns a UUID, also from the string as which a UUID encodes itself when the encoder does not know its type.
  func uuid(_ value: RawValue) throws(Mismatch) -> UUID {
    if case .string = value.kind {
      guard let uuid = UUID(uuidString: try text(value)) else { throw .text }
      return uuid
    }
    guard case .uuid = value.kind else { throw .type }
    return bytes.withSpan { UUID($0.uint64(at: value.payload.lowerBound), $0.uint64(at: value.payload.lowerBound + 8)) }
  }

  func url(_ value: RawValue) throws(Mismatch) -> URL {
    guard case .url = value.kind else { throw .type }
    guard let url = URL(string: try text(value)) else { throw .text }
    return url
  }

  func decimal(_ value: RawValue) throws(Mismatch) -> Decimal {
    let text = try string(value)
    if text == "NaN" { return .nan }
    guard let decimal = Decimal(string: text), decimal.description == text else { throw .text }
    return decimal
  }

  func reference(_ value: RawValue) throws(Mismatch) -> RestorationPath {
    guard case .reference = value.kind else { throw .type }
    do throws(FormatError) {
      return try bytes.withSpan { bytes throws(FormatError) in try ValueReader.path(of: value, in: bytes, fileOffset: fileOffset) }
    } catch {
      throw .format(error)
    }
  }

  /// Returns the value as a value of the archive's own model.
  func archiveValue(_ value: RawValue, tagAt tag: Int) throws(FormatError) -> ArchiveValue {
    var reader = ValueReader(keys: keys, isStrict: isStrict, budget: ValueBudget(limits))
    return try bytes.withSpan { bytes throws(FormatError) in
      try reader.readValue(value, in: bytes, fileOffset: fileOffset, tagAt: tag, depth: 0)
    }
  }

  /// Returns the value as one of the native types.
  @inline(__always)
  func native<Value>(_ value: RawValue, _ native: NativeType, as type: Value.Type) throws(Mismatch) -> Value {
    switch native {
    case .string: sameType(try string(value), as: type)
    case .integer: sameType(try integer(value, as: Int.self), as: type)
    case .double: sameType(try double(value), as: type)
    case .bool: sameType(try bool(value), as: type)
    case .date: sameType(try date(value), as: type)
    case .data: sameType(try data(value), as: type)
    case .uuid: sameType(try uuid(value), as: type)
    case .url: sameType(try url(value), as: type)
    case .decimal: sameType(try decimal(value), as: type)
    }
  }

  // MARK: Types that decode themselves

  var subject: Subject { context.subject }
  var place: CodingPlace { context.place }
  var codingPath: [any CodingKey] { place.path }

  /// Decodes a value with its own decoder: the value under a key, or the whole state.
  ///
  /// - Throws: ``ArchiveError`` if the archive is at fault for the value as a whole, whatever the type. Faults of a
  ///   part of the value, and errors of the type itself, are thrown as the type throws them.
  func decodeWhole<Value: Decodable>(
    _ type: Value.Type, _ subject: Subject, at place: CodingPlace, defaults: RecordDecoder? = nil
  ) throws -> Value {
    let outerDefaults = self.defaults
    self.defaults = defaults
    defer { self.defaults = outerDefaults }
    // Each call has a budget of its own; a type may make one while it is decoded by another.
    let (outerBudget, isOutermost) = (budget, !isDecoding)
    budget = ValueBudget(limits)
    isDecoding = true
    var other = Context(subject, at: place)
    swap(&context, &other)
    defer {
      isDecoding = !isOutermost
      budget = outerBudget
      // The value of the outermost call stays the current one, for a type that has kept its decoder.
      if !isOutermost { swap(&context, &other) }
    }
    do {
      return try type.init(from: self)
    } catch let error as DecodingError {
      if let error = ArchiveError(ofWhole: error, at: place) { throw error }
      throw error
    }
  }

  /// Decodes a value.
  @inline(__always)
  func decode<Value: Decodable>(
    _ type: Value.Type, from value: RawValue, tag: Int, depth: Int, at place: @autoclosure () -> CodingPlace
  ) throws -> Value {
    if let native = NativeType(type) {
      do throws(Mismatch) {
        return try self.native(value, native, as: type)
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
    _ type: Value.Type, _ native: NativeType, _ mismatch: Mismatch, _ inner: Context, _ value: RawValue
  ) throws -> Value {
    if native.encodesItself(as: value.kind) {
      do { return try decode(type, inner) } catch {}
    }
    throw error(mismatch, type: type, found: value, key: nil, pathNode: inner.place.node)
  }

  /// Decodes the content of a single-value container as another type.
  func decodeAgain<Value: Decodable>(_ type: Value.Type, _ subject: Subject, _ place: CodingPlace) throws -> Value {
    guard case .value(let value, let tag, let depth) = subject else { return try decode(type, Context(subject, at: place)) }
    return try decode(type, from: value, tag: tag, depth: depth, at: place)
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ inner: consuming Context) throws -> Value {
    do throws(FormatError) {
      try budget.spend()
    } catch {
      throw self.error(.format(error), type: Any.self, found: nil, key: nil, pathNode: inner.place.node)
    }
    // A swap instead of a copy, which would cost reference counting.
    swap(&context, &inner)
    defer { swap(&context, &inner) }
    return try type.init(from: self)
  }

  // MARK: Containers

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try container(type, of: subject, at: place)
  }

  /// Returns a container for the fields of the whole state or of a dictionary.
  func container<Key: CodingKey>(_ type: Key.Type, of subject: Subject, at place: CodingPlace) throws -> KeyedDecodingContainer<Key> {
    let number = Key.hasByte ? number(ofKeyType: ObjectIdentifier(type)) : -1
    return KeyedDecodingContainer(KeyedReader<Key>(fields: try fields(of: subject, at: place, memory: number * Self.memoriesPerType)))
  }

  /// Returns the number of a key type, or a negative one if there are too many.
  private func number(ofKeyType type: ObjectIdentifier) -> Int {
    for number in keyTypes.indices where keyTypes[number] == type { return number }
    guard keyTypes.count < Self.maximumKeyTypes else { return -1 }
    keyTypes.append(type)
    return keyTypes.count - 1
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try elements(of: subject, at: place) }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    SingleValueReader(decoder: self, subject: subject, place: place)
  }

  /// Returns the fields of the whole state or of a dictionary.
  private func fields(of subject: Subject, at place: CodingPlace, memory: Int = -1) throws -> FieldReader {
    let found: RawValue?
    let defaults = defaults?.fields(at: place.path)
    do throws(FormatError) {
      switch subject {
      case .record:
        found = nil
        let entries = try openSection(cursor, role: .state)
        return FieldReader(decoder: self, entries: entries, depth: 0, place: place, memory: memory, defaults: defaults)
      case .value(let value, let tag, let depth):
        found = value
        guard case .dictionary = value.kind else { break }
        try ValueBudget(limits).checkDepth(depth, at: fileOffset + tag)
        expectKeys()
        let entries = try openSection(ByteCursor(value.payload, fileOffset: fileOffset), role: .dictionary)
        return FieldReader(decoder: self, entries: entries, depth: depth + 1, place: place, memory: memory, defaults: defaults)
      }
    } catch {
      throw self.error(.format(error), type: [String: Any].self, found: found, key: nil, pathNode: place.node)
    }
    throw error(.type, type: [String: Any].self, found: found, key: nil, pathNode: place.node)
  }

  /// Returns the fields of the dictionary at a place, or nil if there is none, or if it is in an array.
  private func fields(at path: [any CodingKey]) -> FieldReader? {
    var fields = try? fields(of: .record, at: .root)
    for key in path {
      if case .index? = key as? PlainCodingKey { return nil }
      guard let outer = fields, let field = outer.field(key.stringValue) else { return nil }
      let part = outer.decoder(of: field, key)
      fields = try? self.fields(of: part.subject, at: part.place)
    }
    return fields
  }

  /// Returns the elements of an array.
  func elements(of subject: Subject, at place: CodingPlace) throws -> UnkeyedReader {
    guard case .value(let value, let tag, let depth) = subject else {
      throw error(.type, type: [Any].self, found: nil, key: nil, pathNode: place.node)
    }
    guard case .array = value.kind else { throw error(.type, type: [Any].self, found: value, key: nil, pathNode: place.node) }
    do throws(FormatError) {
      try ValueBudget(limits).checkDepth(depth, at: fileOffset + tag)
      let cursor = ByteCursor(value.payload, fileOffset: fileOffset)
      return UnkeyedReader(decoder: self, cursor: cursor, count: try countElements(cursor), depth: depth + 1, place: place)
    } catch {
      throw self.error(.format(error), type: [Any].self, found: value, key: nil, pathNode: place.node)
    }
  }

  private func countElements(_ cursor: consuming ByteCursor) throws(FormatError) -> Int {
    try bytes.withSpan { bytes throws(FormatError) in
      var count = 0
      while !cursor.isAtEnd {
        _ = try cursor.readValue(in: bytes)
        count += 1
      }
      return count
    }
  }

  // MARK: Errors

  /// Returns the standard error for a value that cannot be decoded as requested, with the full coding path and the
  /// archive error as its underlying error.
  @inline(never)
  func error(
    _ mismatch: Mismatch, type: Any.Type, found: RawValue?, key: (any CodingKey)?, pathNode: CodingPathNode?
  ) -> DecodingError {
    let keys = CodingPathNode.keys(of: pathNode) + (key.map { [$0] } ?? [])
    let cause = ArchiveError(mismatch, asked: "\(type)", found: found, in: self).with(path: path, key: keys.first?.stringValue)
    let context = DecodingError.Context(codingPath: keys, debugDescription: cause.description, underlyingError: cause)
    switch mismatch {
    case .type: return found?.kind == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    case .range, .text, .format: return .dataCorrupted(context)
    }
  }
}

/// A decoder of a superclass: a value under a key of its subclass, in the record of the subclass.
struct SuperDecoder: Decoder {
  let decoder: RecordDecoder
  let subject: RecordDecoder.Subject
  let place: CodingPlace

  var codingPath: [any CodingKey] { place.path }
  var userInfo: [CodingUserInfoKey: Any] { decoder.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try decoder.container(type, of: subject, at: place)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try decoder.elements(of: subject, at: place) }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    SingleValueReader(decoder: decoder, subject: subject, place: place)
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
  init(_ mismatch: RecordDecoder.Mismatch, asked: String, found: RawValue?, in decoder: RecordDecoder) {
    let offset = found.map { decoder.fileOffset + $0.payload.lowerBound }
    let kind = FormatError.Quantity.text(found?.kind.name ?? "the whole state")
    switch mismatch {
    case .type:
      self.init(FormatError(.wrongType, at: offset, "value", expected: .text(asked), found: kind), path: decoder.path)
    case .range:
      self.init(FormatError(.numberOutOfRange, at: offset, "number", expected: "one that fits \(asked)"), path: decoder.path)
    case .text:
      self.init(FormatError(.wrongType, at: offset, "text", expected: "that of \(asked)", found: kind), path: decoder.path)
    case .format(let error):
      self.init(error, path: decoder.path)
    }
  }
}
