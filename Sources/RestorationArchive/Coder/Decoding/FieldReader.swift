import ArchiveFormat
import Storage

/// Finds the fields of one dictionary by name.
///
/// ``KeyedReader`` is generic in the key type, so it is either specialized or slow. All code that does not depend on
/// the key type is here.
///
/// A reader whose container has been released is reused for the next dictionary with the same key type, as for an array
/// of structs. Its cache reduces finding a field to comparing two numbers.
final class FieldReader {
  /// The reason why a field cannot be returned.
  enum Failure: Error {
    case absent
    /// Two keys of the dictionary are equal as strings.
    case collision
  }

  /// The cached facts about a requested key.
  private struct KeyMemory: BitwiseCopyable {
    /// The words of the key's text, which may have changed even for a one-byte key.
    var words = StringWords()
    /// One more than the key's number in the key table; 0 if the key has not been requested or is not in the table.
    var number: UInt16 = 0
    /// The position of the key's entry.
    var place: UInt16 = 0
  }

  private struct State: ~Copyable {
    var entries = EntryTable()
    /// Whether two keys are equal as strings; determined when all keys are requested.
    var hasCollidingKeys = false
    var place: CodingPlace
    var pathNode: CodingPathNode?
    var depth: Int
    /// By ``CodingKey/byte``; empty for the first dictionary, where few keys are requested twice.
    var memories: [KeyMemory] = []
    /// The texts whose words are cached, retained to keep the words valid.
    var texts: [String] = []
  }

  let decoder: ArchiveDecoder
  let source: DecodingSource
  /// The type of the keys.
  let keyType: ObjectIdentifier
  /// Whether the reader has been reused for another dictionary.
  private(set) var isReused = false
  private var maker: AnyObject?
  private let state: UncheckedBox<State>

  init(decoder: ArchiveDecoder, keyType: ObjectIdentifier, depth: Int, place: CodingPlace) {
    self.decoder = decoder
    source = decoder.source
    self.keyType = keyType
    state = UncheckedBox(State(place: place, depth: depth))
  }

  /// Switches to another dictionary, which ``fill(_:role:)`` then reads.
  func reuse(depth: Int, place: CodingPlace) {
    state.value.depth = depth
    state.value.place = place
    state.value.pathNode = nil
    isReused = true
    if state.value.memories.isEmpty { state.value.memories = Array(repeating: KeyMemory(), count: 64) }
  }

  /// Returns the maker of the reader's containers, created on first use.
  @inline(__always)
  func maker(_ make: () -> AnyObject) -> AnyObject {
    if let maker { return maker }
    let maker = make()
    self.maker = maker
    return maker
  }

  /// Reads the entries.
  func fill(_ cursor: ByteCursor, role: EntryRole) throws(FormatError) {
    state.value.hasCollidingKeys = false
    try state.value.entries.fill(cursor, role: role, of: source)
  }

  /// The nesting depth of the entries' values.
  var depth: Int { state.value.depth }

  /// The dictionary's place in the coding path, as the parent of its values.
  var pathNode: CodingPathNode? {
    if let node = state.value.pathNode { return node }
    let node = state.value.place.node
    state.value.pathNode = node
    return node
  }

  /// Returns all keys.
  ///
  /// If any collide, all later requests for values fail.
  func collectKeys() -> [String] {
    let keys = state.value.entries.keys(in: source)
    if source.keys.hasNonASCII || !keys.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }), Set(keys).count < keys.count {
      state.value.hasCollidingKeys = true
      state.value.memories = []
    }
    return keys
  }

  // MARK: Fields

  /// Returns the value under a key that was found in an earlier dictionary, if it is at the same position again.
  @inline(__always)
  func rememberedField(_ key: borrowing KeyText, _ byte: UInt8?) -> EntryTable.Field? {
    guard StringWords.areKnown, let byte, Int(byte) < state.value.memories.count else { return nil }
    let memory = state.value.memories[Int(byte)]
    guard memory.words == key.words else { return nil }
    return state.value.entries.field(ofKey: Int(memory.number) &- 1, at: Int(memory.place))
  }

  /// Returns the value under a key.
  @inline(never)
  func searchField(_ key: String, _ byte: UInt8?) throws(Failure) -> EntryTable.Field {
    if state.value.hasCollidingKeys { throw .collision }
    if let byte, Int(byte) < state.value.memories.count, let field = try searchRememberedField(key, Int(byte)) { return field }
    guard let field = state.value.entries.field(key, in: source) else { throw .absent }
    return field
  }

  /// The maximum number of texts retained: keys whose text changes would otherwise exhaust memory.
  private static let maximumTexts = 256

  /// Returns the value under a key in the key table, and records its position; nil if the key is inline or cannot be
  /// cached.
  private func searchRememberedField(_ key: String, _ byte: Int) throws(Failure) -> EntryTable.Field? {
    guard StringWords.areKnown else { return nil }
    var memory = state.value.memories[byte]
    if !(memory.words == StringWords(key)) {
      guard state.value.texts.count < Self.maximumTexts, let number = key.withUTF8Bytes({ source.keys.index(of: $0) }) else { return nil }
      state.value.texts.append(key)
      memory = KeyMemory(words: StringWords(key), number: UInt16(truncatingIfNeeded: number + 1), place: 0)
    }
    let number = Int(memory.number) - 1
    guard let place = state.value.entries.place(ofKey: number) else {
      state.value.memories[byte] = memory
      throw .absent
    }
    memory.place = UInt16(truncatingIfNeeded: place)
    state.value.memories[byte] = memory
    return state.value.entries.field(ofKey: number, at: place)
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
