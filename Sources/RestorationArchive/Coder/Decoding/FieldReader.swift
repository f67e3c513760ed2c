import ArchiveFormat

/// Finds the fields of one dictionary, or of the whole state, by name.
///
/// ``KeyedReader`` is generic in the key type, so it is either specialized or slow. All code that does not depend on
/// the key type is here.
final class FieldReader {
  let decoder: RecordDecoder
  /// The nesting depth of the entries' values.
  let depth: Int
  private let place: CodingPlace
  private let entries: EntryIndex.Section
  /// Where the decoder remembers the keys of this type; -1 if it does not.
  @exclusivity(unchecked) private var memory: Int
  @exclusivity(unchecked) private var knownPathNode: CodingPathNode?
  /// Whether two keys are equal as strings; determined when all keys are requested.
  @exclusivity(unchecked) private var hasCollidingKeys = false

  init(decoder: RecordDecoder, entries: EntryIndex.Section, depth: Int, place: CodingPlace, memory: Int) {
    self.decoder = decoder
    self.entries = entries
    self.depth = depth
    self.place = place
    self.memory = memory
  }

  deinit { decoder.close(entries) }

  /// The dictionary's place in the coding path, as the parent of its values.
  var pathNode: CodingPathNode? {
    if let knownPathNode { return knownPathNode }
    let node = place.node
    knownPathNode = node
    return node
  }

  /// Returns all keys.
  ///
  /// If any collide, all later requests for values fail.
  func collectKeys() -> [String] {
    let keys = decoder.keys(in: entries)
    if decoder.keys.hasNonASCII || !keys.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }), Set(keys).count < keys.count {
      hasCollidingKeys = true
      memory = -1
    }
    return keys
  }

  /// Returns the value under a key, or nil if there is none or if keys collide.
  @inline(__always)
  func field(_ key: String, _ byte: UInt8? = nil) -> EntryIndex.Field? {
    if StringWords.areKnown, memory >= 0, let byte, byte < 64 {
      let position = decoder.rememberedPosition(StringWords(key), memory &+ Int(byte), in: entries)
      if position >= 0 { return EntryIndex.Field(value: decoder.value(at: position, in: entries), position: position) }
    }
    return search(key, byte)
  }

  @inline(never)
  private func search(_ key: String, _ byte: UInt8?) -> EntryIndex.Field? {
    if hasCollidingKeys { return nil }
    guard memory >= 0, let byte, byte < 64 else { return decoder.field(key, in: entries) }
    return decoder.find(key, entries, memory: memory + Int(byte))
  }

  /// Returns whether there is a value under a key.
  ///
  /// Returns true if keys collide, so that requesting the value throws instead of giving nil.
  func contains(_ key: String, _ byte: UInt8? = nil) -> Bool { hasCollidingKeys || field(key, byte) != nil }

  /// Returns the error for a key for which ``field(_:)`` has returned nil.
  @inline(never)
  func error(forMissing key: any CodingKey) -> DecodingError {
    let path = CodingPathNode.keys(of: pathNode)
    if hasCollidingKeys {
      let cause = ArchiveError(
        FormatError(
          .keysCollide, at: nil, "keys of a dictionary", expected: .text("different texts"), found: .text("the same one in two forms")),
        path: decoder.path, key: path.first?.stringValue)
      return .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: cause.description, underlyingError: cause))
    }
    let cause = ArchiveError(
      FormatError(.absentKey, at: nil, "value", expected: .text("one under this key"), found: .text("none")), path: decoder.path,
      key: (path + [key]).first?.stringValue)
    return .keyNotFound(
      key, DecodingError.Context(codingPath: path, debugDescription: "no value under \"\(key.stringValue)\"", underlyingError: cause))
  }
}
