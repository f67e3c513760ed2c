import ArchiveFormat

/// Finds the fields of one dictionary by name.
///
/// ``KeyedReader`` is generic in the type of the keys, so it is compiled where that is known or run slowly; all that does not depend on it
/// is here.
///
/// A reader whose container is gone is filled again for the next dictionary that has the same type of keys, as the elements of an array of
/// structs do; what it remembers of the keys makes finding them a matter of comparing two numbers.
final class FieldReader {
  /// Why a field cannot be had.
  enum Failure: Error {
    case absent
    /// Two keys of the dictionary are the same to a `String`.
    case collision
  }

  /// What is known of a key that was asked for.
  private struct KeyMemory: BitwiseCopyable {
    /// Those of its text: a key that is a byte may have another text than last time.
    var words = StringWords()
    /// One more than its number in the key table; 0 if it was not asked for or is not there.
    var number: UInt16 = 0
    /// Its place among the entries.
    var place: UInt16 = 0
  }

  private struct State: ~Copyable {
    var index = EntryIndex()
    var place: CodingPlace
    var pathNode: CodingPathNode?
    var depth: Int
    /// By ``CodingKey/byte``; empty in the first dictionary, in which few keys are asked for twice.
    var memories: [KeyMemory] = []
    /// The texts whose words are remembered, which must be held.
    var texts: [String] = []
  }

  let decoder: ArchiveDecoder
  let source: DecodingSource
  /// The type of the keys.
  let keyType: ObjectIdentifier
  /// Whether it had another dictionary before.
  private(set) var isReused = false
  private var maker: AnyObject?
  private let state: UncheckedBox<State>

  init(decoder: ArchiveDecoder, keyType: ObjectIdentifier, depth: Int, place: CodingPlace) {
    self.decoder = decoder
    source = decoder.source
    self.keyType = keyType
    state = UncheckedBox(State(place: place, depth: depth))
  }

  /// Is about another dictionary from now on, which ``fill(_:role:)`` reads.
  func reuse(depth: Int, place: CodingPlace) {
    state.value.depth = depth
    state.value.place = place
    state.value.pathNode = nil
    isReused = true
    if state.value.memories.isEmpty { state.value.memories = Array(repeating: KeyMemory(), count: 64) }
  }

  /// What makes its containers, which is made when it is first asked for.
  @inline(__always)
  func maker(_ make: () -> AnyObject) -> AnyObject {
    if let maker { return maker }
    let maker = make()
    self.maker = maker
    return maker
  }

  /// Reads the entries.
  func fill(_ cursor: ByteCursor, role: EntryRole) throws(FormatError) {
    try state.value.index.fill(cursor, role: role, of: source)
  }

  /// How deep the values of the entries are nested.
  var depth: Int { state.value.depth }

  /// The place of the dictionary, as that of the container of its values.
  var pathNode: CodingPathNode? {
    if let node = state.value.pathNode { return node }
    let node = state.value.place.node
    state.value.pathNode = node
    return node
  }

  /// All keys.
  ///
  /// Where some collide, no value can be had from now on.
  func collectKeys() -> [String] {
    let keys = state.value.index.collectKeys(in: source)
    if state.value.index.hasCollidingKeys { state.value.memories = [] }
    return keys
  }

  // MARK: Fields

  /// The value under a key that was found in a dictionary before, if it is in the same place again.
  @inline(__always)
  func rememberedField(_ key: borrowing KeyText, _ byte: UInt8?) -> EntryTable.Field? {
    guard StringWords.areKnown, let byte, Int(byte) < state.value.memories.count else { return nil }
    let memory = state.value.memories[Int(byte)]
    guard memory.words == key.words else { return nil }
    return state.value.index.field(ofKey: Int(memory.number) &- 1, at: Int(memory.place))
  }

  /// The value under a key.
  @inline(never)
  func searchField(_ key: String, _ byte: UInt8?) throws(Failure) -> EntryTable.Field {
    if state.value.index.hasCollidingKeys { throw .collision }
    if let byte, Int(byte) < state.value.memories.count, let field = try searchRememberedField(key, Int(byte)) { return field }
    guard let field = state.value.index.field(key, in: source) else { throw .absent }
    return field
  }

  /// How many texts are held at most: keys of a changing text would fill the memory.
  private static let mostTexts = 256

  /// The value under a key that is in the key table, and notes where it is; nil if the key stands in line, or is not remembered.
  private func searchRememberedField(_ key: String, _ byte: Int) throws(Failure) -> EntryTable.Field? {
    guard StringWords.areKnown else { return nil }
    var memory = state.value.memories[byte]
    if !(memory.words == StringWords(key)) {
      guard state.value.texts.count < Self.mostTexts, let number = key.withUTF8Bytes({ source.keys.index(of: $0) }) else { return nil }
      state.value.texts.append(key)
      memory = KeyMemory(words: StringWords(key), number: UInt16(truncatingIfNeeded: number + 1), place: 0)
    }
    let number = Int(memory.number) - 1
    guard let place = state.value.index.place(ofKey: number) else {
      state.value.memories[byte] = memory
      throw .absent
    }
    memory.place = UInt16(truncatingIfNeeded: place)
    state.value.memories[byte] = memory
    return state.value.index.field(ofKey: number, at: place)
  }

  // MARK: Errors

  @inline(never)
  func error(_ failure: Failure, key: any CodingKey) -> DecodingError {
    switch failure {
    case .absent: absence(of: key)
    case .collision: collision()
    }
  }

  private func absence(of key: any CodingKey) -> DecodingError {
    let path = CodingPathNode.keys(of: pathNode)
    let cause = ArchiveError(
      FormatError(.absentKey, at: nil, "value", expected: .text("one under this key"), found: .text("none")), path: source.path,
      key: (path + [key]).first?.stringValue)
    return .keyNotFound(
      key, DecodingError.Context(codingPath: path, debugDescription: "no value under \"\(key.stringValue)\"", underlyingError: cause))
  }

  private func collision() -> DecodingError {
    let path = CodingPathNode.keys(of: pathNode)
    let cause = ArchiveError(
      FormatError(
        .keysCollide, at: nil, "keys of a dictionary", expected: .text("different texts"), found: .text("the same one in two forms")),
      path: source.path, key: path.first?.stringValue)
    return .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: cause.description, underlyingError: cause))
  }
}
