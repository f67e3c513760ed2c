import ArchiveFormat
import FoundationValues
import Storage

/// The Codable implementation of encoding; writes each value directly into the state record.
///
/// One encoder serves the records of many nodes. While a value encodes itself, `context` belongs to that value. Its
/// containers can write only during that time, and requests to the encoder between values are refused.
///
/// Nested containers and super-encoders may be written in any order. Each therefore gets an encoder with its own
/// buffer, which is copied when the enclosing container ends. Content encoded under a key is in one of two places:
///
///     buffer of the container | a 1 | k {…} | b 2 |      values that were encoded under a key
///     nested containers       | k { x 1 | y 2 } |        copied after the others, so this value of k wins
///
/// Requesting a nested container again under the same key continues it. If the buffer holds a finished container under
/// the key, the nested container starts as a copy of it. Encoding a value under the key of a nested container ends that
/// container: the later call wins. Values without nested containers pay nothing for this:
/// ``EncodingObstacle/nestedContainers`` takes the calls of the others off the fast path.
final class ArchiveEncoder: Encoder {
  /// The kind of container requested by the current value.
  enum Form {
    case nothing, dictionary, array, single
    /// An array whose elements have no order, and an array of alternating keys and values (rule R-2-4).
    case set, pairs
    /// A whole state, whose entries are its fields; no container has been requested yet.
    case state
  }

  /// The mark of a sensitive value: only the value of an entry has a place for one.
  enum Mark {
    case impossible, possible, present
  }

  /// The state of encoding one value.
  struct Context {
    /// A number unique among the encoder's values, so that containers can detect that their value has ended; 0 between
    /// values, and throughout a nested container.
    let identity: Int
    let place: CodingPlace
    /// The type of the value; in a nested container, of the value that the container belongs to.
    let type: Any.Type
    /// The value's place in the coding path, created when a value below it needs it.
    var pathNode: CodingPathNode?
    /// Whether the value is marked as sensitive, or may be.
    var mark: Mark
    var form = Form.nothing
    /// The number of elements of an array.
    var count = 0
    /// The first entry that may be the value's own; the open container of a whole state has others before it.
    var firstEntry = 0
    /// The reason why the value's containers cannot write directly, if there is one.
    var obstacle: EncodingObstacle?
    /// The nested containers to be copied at the end.
    var nested: NestedContainers?
  }

  let writer: StateWriter
  let userInfo: [CodingUserInfoKey: Any]
  let assembler: ArchiveAssembler
  let state: UncheckedBox<State>

  struct State: ~Copyable {
    var context: Context
    var lastIdentity = 0
    /// Whether the encoder's value has ended or has been replaced; see ``end()``.
    var hasEnded = false
    /// The last type that requested an unkeyed container, with its array form; below, all such types.
    var lastArray: (type: ObjectIdentifier, form: Form) = (ObjectIdentifier(Never.self), .array)
    var arrayForms: [ObjectIdentifier: Form] = [:]
    /// The container opened by keyed calls around the current values, and the scope for which it is valid.
    var outerNode: CodingPathNode?
    var outerScope = -1
  }

  /// The current value's place in the coding path, as the parent of values below it.
  var pathNode: CodingPathNode? {
    if let node = state.value.context.pathNode { return node }
    let node = state.value.context.place.node
    state.value.context.pathNode = node
    return node
  }

  /// The context of the current value.
  var context: Context {
    @inline(__always) _read { yield state.value.context }
    @inline(__always) _modify { yield &state.value.context }
  }

  /// Creates an encoder for the records of nodes.
  convenience init(writer: StateWriter, assembler: ArchiveAssembler, userInfo: [CodingUserInfoKey: Any]) {
    let place = CodingPlace(container: nil, key: .none)
    // An encoder that was retained, or requested too late, returns containers that refuse to write.
    self.init(
      writer, assembler, userInfo, Context(identity: 0, place: place, type: Never.self, mark: .impossible, obstacle: .ended))
  }

  init(_ writer: StateWriter, _ assembler: ArchiveAssembler, _ userInfo: [CodingUserInfoKey: Any], _ context: consuming Context) {
    self.writer = writer
    self.assembler = assembler
    self.userInfo = userInfo
    state = UncheckedBox(State(context: context))
  }

  /// The path of the node whose state is being encoded.
  var path: RestorationPath { RestorationPath(validated: assembler.identifiers(to: assembler.openNode)) }

  var codingPath: [any CodingKey] { CodingPathNode.keys(of: pathNode) }

  /// Returns the container opened by keyed calls around the values of a scope; nil at the top level.
  @inline(__always)
  func outerNode(_ scope: Int) -> CodingPathNode? {
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

  // MARK: Containers

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    open(.dictionary) { () throws(FormatError) in try writer.beginDictionary() }
    return KeyedEncodingContainer(KeyedWriter<Key>(encoder: self, identity: context.identity))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    open(arrayForm(of: context.type)) { () throws(FormatError) in try writer.beginArray() }
    return UnkeyedWriter(encoder: self, identity: context.identity)
  }

  /// Returns the array form of a type: the unordered collections of the standard library are recognized by type.
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

  static let keylessState = FormatError(
    .notStorable, at: nil, "a whole state", expected: "values under keys", found: "an array, a single value or null")
  static let mixedForms = FormatError(.notStorable, at: nil, "a value that requests two kinds of containers, or encodes two values")
  static let continuedScalar = FormatError(
    .notStorable, at: nil, "a nested container under a key that has a value", expected: "a container of the same kind")
  static let misuse = FormatError(.notStorable, at: nil, "a container is used while or after another value is encoded")
  private static let late = FormatError(
    .notStorable, at: nil, "a container is used after its value was encoded, or after another value took its place")

  /// Records an error that makes the value's encoding fail, where throwing is not possible.
  func fail(_ cause: FormatError) {
    if context.obstacle?.permitsWriting ?? true { context.obstacle = EncodingObstacle(error(cause)) }
  }

  /// Ends the container that the value has begun.
  func closeContext() throws {
    if context.obstacle != nil { try checkOpen() }
    switch context.form {
    case .nothing:
      // A value that encodes nothing, such as an empty struct, becomes an empty dictionary.
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

  // MARK: Container support

  /// Refuses further writing: the encoder's value has been encoded or replaced.
  func end() {
    state.value.hasEnded = true
    context.obstacle = .ended
    context.nested?.end()
  }

  /// Returns whether the value with this identity is being encoded and its containers may write.
  @inline(__always)
  func isOpen(_ identity: Int) -> Bool {
    identity == context.identity && (context.obstacle?.permitsWriting ?? true)
  }

  /// Returns whether the value's containers may write directly.
  @inline(__always)
  func canWriteDirectly(_ identity: Int) -> Bool {
    identity == context.identity && context.obstacle == nil
  }

  /// Throws unless the container's value is the one being encoded.
  @inline(__always)
  func check(_ identity: Int) throws {
    if !canWriteDirectly(identity) { try checkSlowly(identity) }
  }

  @inline(never)
  private func checkSlowly(_ identity: Int) throws {
    guard identity == context.identity else { throw error(Self.misuse) }
    try checkOpen()
  }

  /// Throws if the current value cannot be encoded.
  func checkOpen() throws {
    guard let obstacle = context.obstacle, !obstacle.permitsWriting else { return }
    throw obstacle.failure ?? error(state.value.hasEnded ? Self.late : Self.misuse)
  }

  @inline(__always)
  func beginEntry(_ key: String) throws {
    do throws(FormatError) {
      try writer.beginEntry(key)
    } catch {
      throw self.error(error)
    }
  }

  /// Begins an entry in the container's value; the caller must write the entry's value next, which cannot fail.
  @inline(never)
  func beginEntry(_ key: String, identity: Int) throws {
    try beginEntry(ofValue: key, identity: identity)
    if context.obstacle != nil { noteValue(under: key) }
  }

  /// Begins an entry in the container's value; the caller must write the entry's value next and then call
  /// ``noteValue(under:)``.
  @inline(never)
  func beginEntry(ofValue key: String, identity: Int) throws {
    try check(identity)
    try beginEntry(key)
  }

  /// Discards the content written since `mark`, for a value whose encoding failed.
  func unwind(to mark: StateWriter.Mark) {
    writer.unwind(to: mark)
    // `end()` may have run while the failed value was being encoded, and marked only that value's context. Repeat it
    // for this one.
    if state.value.hasEnded { end() }
  }

  @inline(__always)
  func addElement() {
    context.count &+= 1
  }

  /// Records that the value is a single one, which the caller must write next.
  func beginSingle(_ identity: Int) throws {
    try check(identity)
    guard context.form == .nothing else {
      fail(context.form == .state ? Self.keylessState : Self.mixedForms)
      return try check(identity)
    }
    context.form = .single
  }

  /// Marks the current value as sensitive, unless it is marked already.
  func markSensitive() throws {
    if context.mark == .present, context.form == .nothing { return }
    guard context.mark == .possible, context.form == .nothing else {
      throw error(
        FormatError(
          .notStorable, at: nil, "a sensitive value", expected: "the value of a key", found: "an element of an array, or a whole state"))
    }
    context.mark = .present
    writer.buffer.append(ValueTag.sensitive)
  }

  /// Returns the standard error for a value that cannot be stored, with the full coding path and the archive error as
  /// its underlying error.
  ///
  /// The error holds the type of the value instead of the value, so that printing the error does not print the value.
  @inline(never)
  func error(_ cause: FormatError, type: Any.Type? = nil, path keys: [any CodingKey]? = nil) -> EncodingError {
    let keys = keys ?? codingPath
    let error = ArchiveError(cause, path: path, key: keys.first?.stringValue)
    return EncodingError.invalidValue(
      type ?? context.type, EncodingError.Context(codingPath: keys, debugDescription: error.description, underlyingError: error))
  }
}

/// An unordered collection, which encodes its elements one after another.
private protocol UnorderedCollection {
  static var form: ArchiveEncoder.Form { get }
}

extension Set: UnorderedCollection {
  fileprivate static var form: ArchiveEncoder.Form { .set }
}

// A dictionary with string or integer keys does not take this form: it encodes itself under its keys.
extension Dictionary: UnorderedCollection {
  fileprivate static var form: ArchiveEncoder.Form { .pairs }
}
