#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveFormat

/// The Codable side of encoding: writes the value at hand straight into the state record.
///
/// One encoder serves the records of many nodes. While a value encodes itself, `context` is that of this value; the containers it asks for
/// write only while it is, and what is asked of the encoder between values is refused.
///
/// Nested containers and super-encoders may be written to in any order, so each gets an encoder with a buffer of its own, which is copied in
/// when the container around it ends. What is encoded under a key stands in one of two places, then:
///
///     buffer of the container | a 1 | k {…} | b 2 |      values that were encoded under a key
///     nested containers       | k { x 1 | y 2 } |        the one under k is written behind the others, so it counts
///
/// A nested container under a key that has one goes on with it; where a finished one stands in the buffer, it begins with a copy of that. A
/// value under the key of a nested container ends that one: the later call counts. Values without nested containers pay nothing for this:
/// ``EncodingObstacle/nestedContainers`` leads the calls of the others off the fast path.
final class ArchiveEncoder: Encoder {
  /// What the value that is being encoded has asked for.
  enum Form {
    case nothing, dictionary, array, single
    /// An array whose elements have no order, and one of keys and values by turns (rule R-2-4).
    case set, pairs
    /// Nothing yet; it is a whole state, whose entries are its fields.
    case state
  }

  /// The value that is being encoded.
  struct Context {
    /// Differs from that of every other value of the encoder, so that containers know whether their time is over; 0 while there is none, and
    /// for all of a nested container.
    let identity: Int
    let place: CodingPlace
    /// Its type; for a nested container, that of the value that has it.
    let type: Any.Type
    /// The place, as that of a container, once something lies below it.
    var pathNode: CodingPathNode?
    /// Whether the value is that of an entry, so that it may be marked as sensitive.
    var isEntry: Bool
    var form = Form.nothing
    /// The number of elements of an array.
    var count = 0
    /// Why its containers cannot write, or not at once.
    var obstacle: EncodingObstacle?
    /// Nested containers that are to be copied in.
    var nested: NestedContainers?
  }

  let writer: StateWriter
  let userInfo: [CodingUserInfoKey: Any]
  private let assembler: ArchiveAssembler
  private let state: UncheckedBox<State>

  private struct State: ~Copyable {
    var context: Context
    var lastIdentity = 0
    /// Whether the value is over that the encoder is for, or was replaced: see ``end()``.
    var hasEnded = false
    /// The types of keys that were met.
    var keyTypes = ScratchArray<ObjectIdentifier>(capacity: 8)
    /// The maker of containers for each of them that came again.
    var makers: [AnyObject?] = []
    /// The last type that asked for elements, and what its array is; and the same of all.
    var lastArray: (type: ObjectIdentifier, form: Form) = (ObjectIdentifier(Never.self), .array)
    var arrayForms: [ObjectIdentifier: Form] = [:]
    /// The container that keyed calls have opened around the values that are encoded, and the scope in which it is that.
    var outerNode: CodingPathNode?
    var outerScope = -1
  }

  /// How many types of keys are remembered.
  private static let keyTypeLimit = 16

  /// The place of the value that is being encoded, as that of what lies below it.
  private var pathNode: CodingPathNode? {
    if let node = state.value.context.pathNode { return node }
    let node = state.value.context.place.node
    state.value.context.pathNode = node
    return node
  }

  /// The value that is being encoded.
  private(set) var context: Context {
    @inline(__always) _read { yield state.value.context }
    @inline(__always) _modify { yield &state.value.context }
  }

  /// Makes an encoder for the records of nodes.
  convenience init(writer: StateWriter, assembler: ArchiveAssembler, userInfo: [CodingUserInfoKey: Any]) {
    let place = CodingPlace(container: nil, key: .none)
    // Whoever kept it, or got it too late, gets containers that refuse.
    self.init(
      writer, assembler, userInfo, Context(identity: 0, place: place, type: Never.self, isEntry: false, obstacle: .ended))
  }

  private init(_ writer: StateWriter, _ assembler: ArchiveAssembler, _ userInfo: [CodingUserInfoKey: Any], _ context: consuming Context) {
    self.writer = writer
    self.assembler = assembler
    self.userInfo = userInfo
    state = UncheckedBox(State(context: context))
  }

  /// The path of the node whose state is being encoded.
  var path: RestorationPath { RestorationPath(unchecked: assembler.identifiers(to: assembler.openNode)) }

  var codingPath: [any CodingKey] { CodingPathNode.keys(of: pathNode) }

  /// The container that keyed calls have opened around the values that they encode in a scope; nil outside of all.
  @inline(__always)
  private func outerNode(_ scope: Int) -> CodingPathNode? {
    writer.depth == 1 ? nil : innerNode(scope)
  }

  @inline(never)
  private func innerNode(_ scope: Int) -> CodingPathNode? {
    if state.value.outerScope == scope { return state.value.outerNode }
    let node = writer.openPath.reduce(nil as CodingPathNode?) { node, step in
      switch step {
      case .key(let name): CodingPathNode(PlainCodingKey.name(name), below: node)
      case .index(let index): CodingPathNode(PlainCodingKey.index(index), below: node)
      }
    }
    state.value.outerNode = node
    state.value.outerScope = scope
    return node
  }

  // MARK: Values

  /// Encodes the value of an entry of a state, whose key has been written, for the keyed call that has a scope.
  func encode<Value: Encodable>(_ value: Value, isEntry: Bool, under name: String, scope: Int) throws {
    if let native = NativeType(Value.self) { return try write(value, as: native, at: CodingPlace(container: nil, key: .name(name))) }
    try encodeFields(of: value, isEntry: isEntry, at: CodingPlace(container: outerNode(scope), key: .name(name)))
  }

  /// Encodes the value of an entry or element, whose key (if any) has been written.
  func encode<Value: Encodable>(_ value: Value, isEntry: Bool, at key: @autoclosure () -> CodingPlace.Key) throws {
    if let native = NativeType(Value.self) { return try write(value, as: native, at: CodingPlace(container: pathNode, key: key())) }
    try encodeFields(of: value, isEntry: isEntry, at: CodingPlace(container: pathNode, key: key()))
  }

  @inline(__always)
  private func encodeFields<Value: Encodable>(of value: Value, isEntry: Bool, at place: consuming CodingPlace) throws {
    var inner = nextContext(place, Value.self, isEntry: isEntry)
    // Exchanged rather than copied, which would count references.
    swap(&state.value.context, &inner)
    do {
      try value.encode(to: self)
      try closeContext()
    } catch {
      swap(&state.value.context, &inner)
      inner.nested?.end()
      throw error
    }
    swap(&state.value.context, &inner)
  }

  /// Encodes an element of the array that a keyed call with a scope has open.
  func encodeElement<Value: Encodable>(_ value: Value, scope: Int) throws {
    if let native = NativeType(Value.self) {
      return try write(value, as: native, at: CodingPlace(container: outerNode(scope), key: .index(writer.nextIndex)))
    }
    try encodeFields(of: value, isEntry: false, at: CodingPlace(container: outerNode(scope), key: .index(writer.nextIndex)))
  }

  @inline(__always)
  private func nextContext(_ place: consuming CodingPlace, _ type: Any.Type, isEntry: Bool) -> Context {
    state.value.lastIdentity &+= 1
    return Context(identity: state.value.lastIdentity, place: place, type: type, isEntry: isEntry)
  }

  /// Encodes a whole state, for the keyed call that has a scope: the entries of what is open are the fields of the value.
  func encodeState<Value: Encodable>(_ value: Value, scope: Int) throws {
    try encodeState(value, at: CodingPlace(container: outerNode(scope), key: .none))
  }

  private func encodeState<Value: Encodable>(_ value: Value, at place: consuming CodingPlace) throws {
    var inner = nextContext(place, Value.self, isEntry: false)
    inner.form = .state
    swap(&state.value.context, &inner)
    do {
      try value.encode(to: self)
      try checkOpen()
      try copyNestedEntries()
    } catch {
      swap(&state.value.context, &inner)
      inner.nested?.end()
      throw error
    }
    swap(&state.value.context, &inner)
  }

  /// Writes a value of a type that the format has its own form for.
  @inline(__always)
  private func write<Value>(_ value: Value, as native: NativeType, at place: @autoclosure () -> CodingPlace) throws {
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
    case .url: try write(sameType(value, as: URL.self), at: place())
    case .decimal: writer.buffer.writeString(sameType(value, as: Decimal.self).description)
    }
  }

  private func write(_ url: URL, at place: @autoclosure () -> CodingPlace) throws {
    let text = url.absoluteString
    guard !text.isEmpty else {
      let cause = FormatError(.stringLength, at: nil, "url length", expected: .text("at least one byte"), found: .number(0))
      throw error(cause, type: URL.self, path: place().path)
    }
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
    // To make a maker for one container takes longer than it saves.
    guard Key.hasByte, let place = place(ofKeyType: ObjectIdentifier(type)), !place.isNew else {
      return KeyedEncodingContainer(KeyedWriter<Key>(encoder: self, identity: context.identity))
    }
    let maker = maker(at: place.index) { KeyedWriterMaker<KeyedWriter<Key>>() }
    return sameClass(maker, as: KeyedWriterMaker<KeyedWriter<Key>>.self).container(of: self, identity: context.identity)
  }

  /// The place of a type of keys among those that a maker is kept for, and whether it was not met before; nil if none is kept.
  private func place(ofKeyType type: ObjectIdentifier) -> (index: Int, isNew: Bool)? {
    let count = state.value.keyTypes.count
    for index in 0..<count where state.value.keyTypes[index] == type { return (index, false) }
    guard count < Self.keyTypeLimit else { return nil }
    state.value.keyTypes.append(type)
    state.value.makers.append(nil)
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
    open(arrayForm(of: context.type)) { () throws(FormatError) in try writer.beginArray() }
    return UnkeyedWriter(encoder: self, identity: context.identity)
  }

  /// What an array is that a value of a type encodes itself as: those of the standard library that have no order are known by their types.
  private func arrayForm(of type: Any.Type) -> Form {
    let key = ObjectIdentifier(type)
    if state.value.lastArray.type == key { return state.value.lastArray.form }
    let form = state.value.arrayForms[key] ?? (type as? any UnorderedCollection.Type)?.form ?? .array
    state.value.arrayForms[key] = form
    state.value.lastArray = (key, form)
    return form
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleValueWriter(encoder: self, identity: context.identity)
  }

  private func open(_ form: Form, _ begin: () throws(FormatError) -> Void) {
    if context.form == form { return }
    guard context.obstacle == nil else { return }
    if context.form == .state, form == .dictionary {
      context.form = .dictionary
      return
    }
    guard context.form == .nothing else { return fail(context.form == .state ? Self.keylessState : Self.mixedForms) }
    context.form = form
    do throws(FormatError) {
      try begin()
    } catch {
      fail(error)
    }
  }

  private static let keylessState = FormatError(
    .notStorable, at: nil, "a whole state", expected: .text("values under keys"), found: .text("an array, a single value or null"))
  private static let mixedForms = FormatError(.notStorable, at: nil, "a value that asks for containers of two kinds, or encodes two values")
  private static let continuedScalar = FormatError(
    .notStorable, at: nil, "a nested container under a key that has a value", expected: .text("a container of the same kind"))
  private static let misuse = FormatError(.notStorable, at: nil, "a container is used while or after another value is encoded")
  private static let late = FormatError(
    .notStorable, at: nil, "a container is used after its value was encoded, or after another value took its place")

  /// Lets the encoding of the value fail, where it is not possible to throw.
  private func fail(_ cause: FormatError) {
    if context.obstacle?.permitsWriting ?? true { context.obstacle = .failure(error(cause)) }
  }

  /// Ends what the value that encoded itself has begun.
  private func closeContext() throws {
    if context.obstacle != nil { try checkOpen() }
    switch context.form {
    case .nothing:
      // A value that encodes nothing, such as an empty struct, is an empty dictionary.
      do throws(FormatError) {
        try writer.beginDictionary()
      } catch {
        throw self.error(error)
      }
      writer.endContainer()
    case .single, .state:
      break
    case .dictionary:
      try copyNestedEntries()
      writer.endContainer()
    case .array:
      try copyNestedElements()
      writer.endContainer()
    case .set, .pairs:
      try copyNestedElements()
      writer.sortElements(groupedBy: context.form == .set ? 1 : 2)
      writer.endContainer()
    }
  }

  private func copyNestedEntries() throws {
    guard let nested = context.nested else { return }
    for item in nested.items where !item.isReplaced {
      try item.encoder.closeContext()
      try beginEntry(item.key)
      writer.appendValue(0..<item.encoder.writer.buffer.count, of: item.encoder.writer)
      item.encoder.end()
    }
  }

  private func copyNestedElements() throws {
    guard let nested = context.nested else { return }
    for item in nested.items { try item.encoder.closeContext() }
    writer.insertValues(nested.items.map { ($0.place, $0.encoder.writer) })
    nested.end()
  }

  // MARK: Nested containers

  /// The encoder of the nested container under a key: the one that is there, or a new one, which begins with what was encoded under the key.
  ///
  /// Asked for while another value is encoded, it would become a part of that: then the other value's encoding throws.
  func nestedEncoder(under key: any CodingKey, identity: Int) -> ArchiveEncoder {
    guard isOpen(identity) else { return refusingEncoder(key, identity: identity) }
    let name = key.stringValue
    let number = writer.number(ofKey: name)
    let nested = nestedContainers
    if let encoder = nested.encoder(under: name, number: number) { return encoder }
    let encoder = makeNested(key, isEntry: true)
    if let entry = nested.lastEntry(under: name, number: number, of: writer) { encoder.goOn(withEntry: entry, of: writer) }
    nested.append(NestedContainers.Item(key: name, number: number, place: 0, encoder: encoder))
    context.obstacle = .nestedContainers
    return encoder
  }

  /// An encoder for a value under a key, which takes the place of what was encoded under it.
  func superEncoder(under key: any CodingKey, identity: Int) -> ArchiveEncoder {
    guard isOpen(identity) else { return refusingEncoder(key, identity: identity) }
    let name = key.stringValue
    let number = writer.number(ofKey: name)
    replaceNested(name, number: number)
    let encoder = makeNested(key, isEntry: true)
    nestedContainers.append(NestedContainers.Item(key: name, number: number, place: 0, encoder: encoder))
    context.obstacle = .nestedContainers
    return encoder
  }

  /// An encoder for the next element of an array.
  func elementEncoder(identity: Int) -> ArchiveEncoder {
    let key = PlainCodingKey.index(identity == context.identity ? context.count : 0)
    guard isOpen(identity) else { return refusingEncoder(key, identity: identity) }
    let encoder = makeNested(key, isEntry: false)
    nestedContainers.append(NestedContainers.Item(key: "", number: -1, place: writer.buffer.count, encoder: encoder))
    context.count += 1
    return encoder
  }

  private var nestedContainers: NestedContainers {
    if let nested = context.nested { return nested }
    let nested = NestedContainers()
    context.nested = nested
    return nested
  }

  private func makeNested(_ key: any CodingKey, isEntry: Bool, obstacle: EncodingObstacle? = nil) -> ArchiveEncoder {
    let place = CodingPlace(container: pathNode, key: .key(key))
    return ArchiveEncoder(
      StateWriter(capacity: 0, gap: 0, depth: writer.depth), assembler, userInfo,
      Context(identity: 0, place: place, type: context.type, isEntry: isEntry, obstacle: obstacle))
  }

  /// An encoder that says what went wrong, where one is asked for at the wrong time or after an error.
  private func refusingEncoder(_ key: any CodingKey, identity: Int) -> ArchiveEncoder {
    guard identity == context.identity else {
      fail(Self.misuse)
      return makeNested(key, isEntry: false, obstacle: .ended)
    }
    return makeNested(key, isEntry: false, obstacle: context.obstacle)
  }

  /// Begins with a container that was encoded under the key.
  private func goOn(withEntry entry: Int, of source: StateWriter) {
    do throws(FormatError) {
      guard let container = try writer.continueContainer(ofEntry: entry, of: source) else { return fail(Self.continuedScalar) }
      context.form = container.hasKeys ? .dictionary : .array
      context.count = container.count
    } catch {
      fail(error)
    }
  }

  /// Ends the nested container under a key, because another value has taken its place.
  private func replaceNested(_ key: String, number: Int) {
    if context.nested?.replace(key, number: number) == true { writer.noteDroppedEntry() }
  }

  /// Notes that a value was encoded under a key of the value whose container this is.
  @inline(never)
  func noteValue(under key: String) {
    if context.nested != nil { replaceNested(key, number: writer.number(ofKey: key)) }
  }

  /// Refuses what is written from now on: the value that the encoder is for was encoded, or another one took its place.
  func end() {
    state.value.hasEnded = true
    context.obstacle = .ended
    context.nested?.end()
  }

  // MARK: For the containers

  /// Whether a value with this identity is being encoded, and its containers may write.
  @inline(__always)
  private func isOpen(_ identity: Int) -> Bool {
    identity == context.identity && (context.obstacle?.permitsWriting ?? true)
  }

  /// Whether the containers of a value may write at once.
  @inline(__always)
  func isUnhindered(_ identity: Int) -> Bool {
    identity == context.identity && context.obstacle == nil
  }

  /// Throws unless the value whose container this is, is the one being encoded.
  @inline(__always)
  func check(_ identity: Int) throws {
    if !isUnhindered(identity) { try checkSlowly(identity) }
  }

  @inline(never)
  private func checkSlowly(_ identity: Int) throws {
    guard identity == context.identity else { throw error(Self.misuse) }
    try checkOpen()
  }

  /// Throws if the value that is being encoded cannot be.
  private func checkOpen() throws {
    switch context.obstacle?.kind {
    case nil, .nestedContainers: break
    case .failure(let error): throw error
    case .ended: throw error(state.value.hasEnded ? Self.late : Self.misuse)
    }
  }

  @inline(__always)
  private func beginEntry(_ key: String) throws {
    do throws(FormatError) {
      try writer.beginEntry(key)
    } catch {
      throw self.error(error)
    }
  }

  /// Begins an entry of the value whose container this is; its value must be written next, which cannot fail.
  @inline(never)
  func beginEntry(_ key: String, identity: Int) throws {
    try beginEntry(ofValue: key, identity: identity)
    if context.obstacle != nil { noteValue(under: key) }
  }

  /// Begins an entry of the value whose container this is; the value must be written next, and told by ``noteValue(under:)``.
  @inline(never)
  func beginEntry(ofValue key: String, identity: Int) throws {
    try check(identity)
    try beginEntry(key)
  }

  /// Drops what was written since `mark`, for a value that could not be encoded.
  func unwind(to mark: StateWriter.Mark) {
    writer.unwind(to: mark)
    // It ended while this value was being encoded, of whose context that was noted.
    if state.value.hasEnded { end() }
  }

  @inline(__always)
  func addElement() {
    context.count &+= 1
  }

  /// Notes that the value is a single one, which must be written next.
  func beginSingle(_ identity: Int) throws {
    try check(identity)
    guard context.form == .nothing else {
      fail(context.form == .state ? Self.keylessState : Self.mixedForms)
      return try check(identity)
    }
    context.form = .single
  }

  /// Marks the value that is being encoded as sensitive.
  func markSensitive() throws {
    guard context.isEntry, context.form == .nothing else {
      throw error(
        FormatError(
          .notStorable, at: nil, "a sensitive value", expected: .text("the value of a key"),
          found: .text("an element of an array, or a whole state")))
    }
    context.isEntry = false
    writer.buffer.append(ValueTag.sensitive)
  }

  /// Encodes the only value of the one whose container this is; if that throws, it has none yet, and may encode another.
  func encodeSingle<Value: Encodable>(_ value: Value, identity: Int) throws {
    let isState = context.form == .state
    if isState {
      try check(identity)
      context.form = .single
    } else {
      try beginSingle(identity)
    }
    let mark = writer.mark
    do {
      if isState {
        try encodeState(value, at: context.place)
      } else {
        try encodeInPlace(value)
      }
    } catch {
      unwind(to: mark)
      context.form = isState ? .state : .nothing
      throw error
    }
  }

  /// Encodes a value in the place of the one that is being encoded.
  @inline(__always)
  private func encodeInPlace<Value: Encodable>(_ value: Value) throws {
    if let native = NativeType(Value.self) { return try write(value, as: native, at: context.place) }
    try encodeFields(of: value, isEntry: false, at: context.place)
  }

  /// The standard error for a value that cannot be stored, with the full coding path and, beneath it, the archive's own error.
  ///
  /// It holds the type of the value instead of the value, which would then be in whatever prints the error.
  @inline(never)
  func error(_ cause: FormatError, type: Any.Type? = nil, path keys: [any CodingKey]? = nil) -> EncodingError {
    let keys = keys ?? codingPath
    let error = ArchiveError(cause, path: path, key: keys.first?.stringValue)
    return EncodingError.invalidValue(
      type ?? context.type, EncodingError.Context(codingPath: keys, debugDescription: error.description, underlyingError: error))
  }
}

/// A collection whose elements have no order, and which encodes them one behind the other.
private protocol UnorderedCollection {
  static var form: ArchiveEncoder.Form { get }
}

extension Set: UnorderedCollection {
  fileprivate static var form: ArchiveEncoder.Form { .set }
}

// One whose keys are texts or whole numbers encodes itself under them.
extension Dictionary: UnorderedCollection {
  fileprivate static var form: ArchiveEncoder.Form { .pairs }
}
