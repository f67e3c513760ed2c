#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveFormat

/// The Codable side of encoding: writes the value at hand straight into the state record.
///
/// One encoder serves the records of many nodes. While a value encodes itself, `context` is that of this value; the containers it asks for
/// write only while it is, and what is asked of the encoder between values is refused. Nested containers and super-encoders may be written to
/// in any order, so each gets an encoder with a buffer of its own, which is copied in when the container around it ends.
final class ArchiveEncoder: Encoder {
  /// What the value that is being encoded has asked for.
  enum Form {
    case nothing, dictionary, array, single
  }

  /// The value that is being encoded.
  struct Context {
    /// Differs from that of every other value of the encoder, so that containers know whether their time is over; 0 while there is none, and
    /// for all of a nested container.
    let identity: Int
    let place: CodingPlace
    /// The place, as that of a container, once something lies below it.
    var pathNode: CodingPathNode?
    /// Whether the value is that of an entry, so that it may be marked as sensitive.
    var isEntry: Bool
    var form = Form.nothing
    /// The number of elements of an array.
    var count = 0
    /// A wrong use, an `EncodingError`, that could not be reported where it happened.
    ///
    /// (Nil of the error's own type would be told by its metadata, at every value that is encoded.)
    var failure: (any Error)?
    /// Nested containers that are to be copied in.
    var detached: [Detached] = []
  }

  /// A nested container that is written apart.
  struct Detached {
    /// Its key, in a dictionary.
    let key: String
    /// The place in the buffer that it belongs to, in an array.
    let place: Int
    let encoder: ArchiveEncoder
  }

  let writer: StateWriter
  let userInfo: [CodingUserInfoKey: Any]
  private let assembler: ArchiveAssembler
  private let state: UncheckedBox<State>

  private struct State: ~Copyable {
    var context: Context
    var lastIdentity = 0
    /// The types of keys that were met.
    var keyTypes = ScratchArray<ObjectIdentifier>(capacity: 8)
    /// The maker of containers for each of them that came again.
    var makers: [AnyObject?] = []
    /// What is known of the keys of each type, by ``CodingKey/byte``: the writer's number plus one, or 0.
    var keyNumbers = ScratchArray<UInt16>(capacity: 64)
  }

  /// How many keys of a type, and how many types, are remembered.
  private static let keyLimit = 64
  private static let keyTypeLimit = 16

  /// The place of the value that is being encoded, as that of what lies below it.
  private var pathNode: CodingPathNode? {
    if let node = state.value.context.pathNode { return node }
    let node = state.value.context.place.node
    state.value.context.pathNode = node
    return node
  }

  /// Whether no value is being encoded, so that the next one has no container.
  private var isIdle: Bool {
    @inline(__always) get { state.value.context.identity == 0 }
  }

  /// The value that is being encoded.
  private(set) var context: Context {
    @inline(__always) _read { yield state.value.context }
    @inline(__always) _modify { yield &state.value.context }
  }

  /// Makes an encoder for the records of nodes.
  convenience init(writer: StateWriter, assembler: ArchiveAssembler, userInfo: [CodingUserInfoKey: Any]) {
    let place = CodingPlace(container: nil, key: .none)
    self.init(writer, assembler, userInfo, Context(identity: 0, place: place, isEntry: false, failure: Self.notInUse))
  }

  private init(_ writer: StateWriter, _ assembler: ArchiveAssembler, _ userInfo: [CodingUserInfoKey: Any], _ context: consuming Context) {
    self.writer = writer
    self.assembler = assembler
    self.userInfo = userInfo
    state = UncheckedBox(State(context: context))
  }

  /// The failure of an encoder that encodes no value: whoever kept it, or got it too late, gets containers that refuse.
  private struct NotInUse: Error {}
  private static let notInUse: any Error = NotInUse()

  /// The path of the node whose state is being encoded.
  var path: RestorationPath { RestorationPath(unchecked: assembler.identifiers(to: assembler.openNode)) }

  var codingPath: [any CodingKey] { CodingPathNode.keys(of: pathNode) }

  // MARK: Values

  /// Encodes the value of an entry of a state, whose key has been written.
  func encode<Value: Encodable>(_ value: Value, isEntry: Bool, under name: String) throws {
    if let native = NativeType(Value.self) { return try write(value, as: native) }
    try encodeFields(of: value, isEntry: isEntry, at: CodingPlace(container: isIdle ? nil : pathNode, key: .name(name)))
  }

  /// Encodes the value of an entry or element, whose key (if any) has been written.
  func encode<Value: Encodable>(_ value: Value, isEntry: Bool, at key: @autoclosure () -> CodingPlace.Key) throws {
    if let native = NativeType(Value.self) { return try write(value, as: native) }
    try encodeFields(of: value, isEntry: isEntry, at: CodingPlace(container: pathNode, key: key()))
  }

  @inline(__always)
  private func encodeFields<Value: Encodable>(of value: Value, isEntry: Bool, at place: consuming CodingPlace) throws {
    var inner = nextContext(place, isEntry: isEntry)
    // Exchanged rather than copied, which would count references.
    swap(&state.value.context, &inner)
    defer { swap(&state.value.context, &inner) }
    try value.encode(to: self)
    try closeContext()
  }

  /// Encodes an element of an array that is encoded by calls of its own; its place is not known, so it is in no coding path.
  func encodeElement<Value: Encodable>(_ value: Value) throws {
    if let native = NativeType(Value.self) { return try write(value, as: native) }
    try encodeFields(of: value, isEntry: false, at: CodingPlace(container: pathNode, key: .none))
  }

  @inline(__always)
  private func nextContext(_ place: consuming CodingPlace, isEntry: Bool) -> Context {
    state.value.lastIdentity &+= 1
    return Context(identity: state.value.lastIdentity, place: place, isEntry: isEntry)
  }

  /// Encodes a whole state: the entries of the record that is open are the fields of the value.
  func encodeRecord(_ value: some Encodable) throws {
    var inner = nextContext(state.value.context.place, isEntry: false)
    inner.form = .dictionary
    swap(&state.value.context, &inner)
    defer { swap(&state.value.context, &inner) }
    try value.encode(to: self)
    if let failure = context.failure { throw failure }
    try copyDetachedEntries()
  }

  /// Writes a value of a type that the format has its own form for.
  @inline(__always)
  private func write<Value>(_ value: Value, as native: NativeType) throws {
    switch native {
    case .string: writer.buffer.writeString(sameType(value, as: String.self))
    case .integer: writer.buffer.writeInteger(Int64(sameType(value, as: Int.self)))
    case .double: writer.buffer.writeFloat64(bits: sameType(value, as: Double.self).bitPattern)
    case .bool: writer.buffer.writeBool(sameType(value, as: Bool.self))
    case .date: writer.buffer.writeDate(bits: sameType(value, as: Date.self).timeIntervalSinceReferenceDate.bitPattern)
    case .data: writer.buffer.writeData(sameType(value, as: Data.self).span)
    case .uuid:
      let words = sameType(value, as: UUID.self).words
      writer.buffer.writeUUID(words.0, words.1)
    case .url: try write(sameType(value, as: URL.self))
    case .decimal: writer.buffer.writeString(sameType(value, as: Decimal.self).description)
    }
  }

  private func write(_ url: URL) throws {
    let text = url.absoluteString
    guard !text.isEmpty else { throw error("a url has at least one byte", for: url) }
    writer.buffer.writeURL(text)
  }

  /// Writes an integer of any width: as such if it is in range, else as its digits (rule R-2-1).
  @inline(__always)
  func write(_ value: some FixedWidthInteger) {
    if let value = Int64(exactly: value) {
      writer.buffer.writeInteger(value)
    } else if let value = UInt64(exactly: value) {
      writer.buffer.writeInteger(value)
    } else {
      writer.buffer.writeString("\(value)")
    }
  }

  // MARK: Containers

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    open(.dictionary) { () throws(FormatError) in try writer.beginDictionary() }
    let place = Key.hasByte ? place(ofKeyType: ObjectIdentifier(type)) : nil
    let firstKey = place.map { $0.index &* Self.keyLimit } ?? -1
    // To make a maker for one container takes longer than it saves.
    guard let place, !place.isNew else {
      return KeyedEncodingContainer(KeyedWriter<Key>(encoder: self, identity: context.identity, firstKey: firstKey))
    }
    let maker = maker(at: place.index) { KeyedWriterMaker<KeyedWriter<Key>>() }
    return sameClass(maker, as: KeyedWriterMaker<KeyedWriter<Key>>.self)
      .container(of: self, identity: context.identity, firstKey: firstKey)
  }

  /// The place of a type of keys among those that something is kept for, and whether it was not met before; nil if nothing is.
  private func place(ofKeyType type: ObjectIdentifier) -> (index: Int, isNew: Bool)? {
    let count = state.value.keyTypes.count
    for index in 0..<count where state.value.keyTypes[index] == type { return (index, false) }
    guard count < Self.keyTypeLimit else { return nil }
    state.value.keyTypes.append(type)
    state.value.makers.append(nil)
    state.value.keyNumbers.append(repeating: 0, count: Self.keyLimit)
    return (count, true)
  }

  /// What makes the containers for the type of keys at a place, which is made when it is first asked for.
  @inline(__always)
  private func maker(at place: Int, _ make: () -> AnyObject) -> AnyObject {
    if let maker = state.value.makers[place] { return maker }
    let maker = make()
    state.value.makers[place] = maker
    return maker
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    open(.array) { () throws(FormatError) in try writer.beginArray() }
    return UnkeyedWriter(encoder: self, identity: context.identity)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleValueWriter(encoder: self, identity: context.identity)
  }

  private func open(_ form: Form, _ begin: () throws(FormatError) -> Void) {
    if context.form == form { return }
    guard context.form == .nothing, context.failure == nil else {
      fail("a value asks for two kinds of containers")
      return
    }
    context.form = form
    do throws(FormatError) {
      try begin()
    } catch {
      fail(ArchiveError(error).description)
    }
  }

  private func fail(_ description: String) {
    if context.failure == nil { context.failure = error(description, for: self) }
  }

  /// Ends what the value that encoded itself has begun.
  private func closeContext() throws {
    if let failure = context.failure { throw failure }
    switch context.form {
    case .nothing:
      // A value that encodes nothing, such as an empty struct, is an empty dictionary.
      do throws(FormatError) {
        try writer.beginDictionary()
      } catch {
        throw self.error(ArchiveError(error).description, for: self)
      }
      writer.endContainer()
    case .single:
      break
    case .dictionary:
      try copyDetachedEntries()
      writer.endContainer()
    case .array:
      try copyDetachedElements()
      writer.endContainer()
    }
  }

  private func copyDetachedEntries() throws {
    guard !context.detached.isEmpty else { return }
    for detached in context.detached {
      try detached.encoder.closeContext()
      try beginEntry(detached.key, for: detached.encoder)
      writer.appendValue(0..<detached.encoder.writer.buffer.count, of: detached.encoder.writer)
    }
  }

  private func copyDetachedElements() throws {
    guard !context.detached.isEmpty else { return }
    for detached in context.detached { try detached.encoder.closeContext() }
    writer.insertValues(context.detached.map { ($0.place, $0.encoder.writer) })
  }

  /// Makes an encoder for a nested container, which is copied in when the container around it ends.
  ///
  /// Asked for while another value is encoded, it would become a part of that: then the other value's encoding throws.
  func detach(key: any CodingKey, isElement: Bool, identity: Int) -> ArchiveEncoder {
    let encoder = ArchiveEncoder(
      StateWriter(capacity: 0, gap: 0, depth: writer.depth), assembler, userInfo,
      Context(identity: 0, place: CodingPlace(container: pathNode, key: .key(key)), isEntry: false))
    guard identity == context.identity, context.failure == nil else {
      fail(Self.misuse)
      encoder.context.failure = Self.notInUse
      return encoder
    }
    context.detached.append(Detached(key: key.stringValue, place: writer.buffer.count, encoder: encoder))
    if isElement { context.count += 1 }
    return encoder
  }

  // MARK: For the containers

  /// Throws unless the value whose container this is, is the one being encoded.
  @inline(__always)
  func check(_ identity: Int) throws {
    if identity != context.identity || context.failure != nil { try reportMisuse(identity) }
  }

  @inline(never)
  private func reportMisuse(_ identity: Int) throws {
    if identity == context.identity, let failure = context.failure as? EncodingError { throw failure }
    throw error(Self.misuse, for: self)
  }

  private static let misuse = "a container is used while or after another value is encoded"

  @inline(__always)
  func beginEntry(_ key: String, for value: @autoclosure () -> Any) throws {
    do throws(FormatError) {
      try writer.beginEntry(key)
    } catch {
      throw self.error(ArchiveError(error).description, for: value())
    }
  }

  /// Begins an entry of the value whose container this is.
  func beginEntry(_ key: String, identity: Int) throws {
    try check(identity)
    try beginEntry(key, for: key)
  }

  /// Begins an entry of the value whose container this is, if its key was written before; false if it has to be begun with its text.
  @inline(__always)
  func beginRememberedEntry(_ byte: UInt8?, firstKey: Int, identity: Int) -> Bool {
    guard let byte, byte < Self.keyLimit, firstKey >= 0, identity == context.identity, context.failure == nil else { return false }
    let number = Int(state.value.keyNumbers[firstKey &+ Int(byte)]) &- 1
    guard number >= 0 else { return false }
    writer.beginEntry(number: number)
    return true
  }

  /// Begins an entry of the value whose container this is, and remembers the number of its key.
  @inline(never)
  func beginEntry(_ key: String, _ byte: UInt8?, firstKey: Int, identity: Int) throws {
    try beginEntry(key, identity: identity)
    // The empty key is not remembered: a dictionary may have it and a state must not (R-6.2-4), so it has to be looked at.
    guard let byte, byte < Self.keyLimit, firstKey >= 0, !key.isEmpty, let number = writer.lastKey, number < Int(UInt16.max) else { return }
    state.value.keyNumbers[firstKey + Int(byte)] = UInt16(number + 1)
  }

  @inline(__always)
  func addElement() {
    context.count &+= 1
  }

  /// Notes that the value is a single one, which must be written next.
  func beginSingle(_ identity: Int) throws {
    try check(identity)
    guard context.form == .nothing else {
      fail("a value is encoded more than once")
      return try check(identity)
    }
    context.form = .single
  }

  /// Marks the value that is being encoded as sensitive.
  func markSensitive() throws {
    guard context.isEntry, context.form == .nothing else {
      throw error("only the value of a key can be sensitive, not an element of an array", for: self)
    }
    context.isEntry = false
    writer.buffer.append(ValueTag.sensitive)
  }

  /// Encodes the only value of the one whose container this is; if that throws, it has none yet, and may encode another.
  func encodeSingle<Value: Encodable>(_ value: Value, identity: Int) throws {
    try beginSingle(identity)
    let mark = writer.mark
    do {
      try encodeInPlace(value)
    } catch {
      writer.unwind(to: mark)
      context.form = .nothing
      throw error
    }
  }

  /// Encodes a value in the place of the one that is being encoded.
  private func encodeInPlace<Value: Encodable>(_ value: Value) throws {
    if let native = NativeType(Value.self) { return try write(value, as: native) }
    var inner = nextContext(state.value.context.place, isEntry: false)
    swap(&state.value.context, &inner)
    defer { swap(&state.value.context, &inner) }
    try value.encode(to: self)
    try closeContext()
  }

  /// An error with the full coding path.
  func error(_ description: String, for value: Any, key: (any CodingKey)? = nil) -> EncodingError {
    let keys = codingPath + (key.map { [$0] } ?? [])
    let place = path.isEmpty ? "the application state" : "node \(path.description.escapedForDisplay)"
    return EncodingError.invalidValue(value, EncodingError.Context(codingPath: keys, debugDescription: "\(description) (in \(place))"))
  }
}
