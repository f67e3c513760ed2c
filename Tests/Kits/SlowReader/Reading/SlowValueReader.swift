/// Reads state records and values with the checks of Spec 7.2 E.
///
/// The first finding is thrown. E1 is in `SlowCursor`.
struct SlowValueReader {
  /// The code of E10, the only finding that leaves the file as a whole readable.
  static let unknownValueType = "unknown-value-type"

  /// The place of a group of entries, which determines the rules for its keys.
  enum Place {
    case attributes
    case state
    case dictionary
  }

  /// The key table.
  let keys: [[UInt8]]
  let minorVersion: UInt16
  /// Whether values of unknown types are skipped, as R-6.1-1 allows a reader that is not a checker.
  var keepsUnknownValues = false
  /// Whether each key of the table has been referred to.
  private(set) var usedKeys: [Bool]

  init(keys: [[UInt8]], minorVersion: UInt16) {
    self.keys = keys
    self.minorVersion = minorVersion
    usedKeys = Array(repeating: false, count: keys.count)
  }

  /// Reads the state record of a node (Spec 6.3).
  mutating func readStateRecord(_ cursor: inout SlowCursor, of record: SlowNodeRecord) throws(SlowFinding) -> SlowStateRecord {
    var content = SlowStateRecord()
    if record.hasProvider {
      content.provider = SlowProvider(name: try cursor.readString(1...1024), item: try cursor.readString(1...1024))
    }
    if record.hasAttributes {
      let lengthOffset = cursor.position
      let length = try cursor.readLength()
      // E2, R-6.3-1
      guard length > 0 else { throw SlowFinding("empty-attributes", at: lengthOffset) }
      var part = try cursor.readPart(length)
      content.attributes = try readEntries(&part, in: .attributes, depth: 0)
    }
    content.state = try readEntries(&cursor, in: .state, depth: 0)
    return content
  }

  /// Reads entries up to the end of their container (Spec 6.2).
  private mutating func readEntries(_ cursor: inout SlowCursor, in place: Place, depth: Int) throws(SlowFinding) -> [SlowEntry] {
    var entries: [SlowEntry] = []
    while !cursor.isAtEnd {
      let entryOffset = cursor.position
      let key = try readKey(&cursor)
      // E5, R-6.2-4
      if place != .dictionary, key.isEmpty { throw SlowFinding("empty-key", at: entryOffset) }
      // E6, R-3.3-3
      if place == .attributes, minorVersion == 0, !SlowRegistry.isAttributeKey(key), !SlowRegistry.hasFullStop(key) {
        throw SlowFinding("unknown-attribute", at: entryOffset)
      }
      // E7, R-6.2-3
      if let previous = entries.last?.key {
        if key == previous { throw SlowFinding("duplicate-key", at: entryOffset) }
        guard SlowBytes.areAscending(previous, key) else { throw SlowFinding("key-order", at: entryOffset) }
      }
      // E8, R-6.1-8: the mark may occur here once, except in attributes. `readValue` finds it in any other place.
      var isSensitive = false
      if place != .attributes, case .sensitive = SlowTag(try cursor.peekByte()) {
        isSensitive = true
        _ = try cursor.readByte()
      }
      let value = try readValue(&cursor, depth: depth)
      entries.append(SlowEntry(key: key, isSensitive: isSensitive, value: value))
    }
    return entries
  }

  /// Reads a key reference (Spec 6.2), with E3 and E4.
  private mutating func readKey(_ cursor: inout SlowCursor) throws(SlowFinding) -> [UInt8] {
    let entryOffset = cursor.position
    let index: Int
    switch try cursor.readByte() {
    case 0x00:
      let key = try cursor.readString(0...65_535)
      // E4, R-6.2-2, R-4.3-13
      guard !belongsIntoKeyTable(key) else { throw SlowFinding("key-inline", at: entryOffset) }
      return key
    case let first where first <= 0xef:
      index = Int(first) - 1
    case let first:
      // A field of two bytes, so an unexpected end is reported at its first byte.
      guard let second = try? cursor.readByte() else { throw SlowFinding("unexpected-end", at: entryOffset) }
      index = 239 + 256 * (Int(first) - 0xf0) + Int(second)
    }
    // E3, R-6.2-1
    guard index < keys.count else { throw SlowFinding("key-index", at: entryOffset) }
    usedKeys[index] = true
    return keys[index]
  }

  /// R-4.3-13: a key of up to 63 bytes belongs in the table unless the table is full of keys that precede it.
  private func belongsIntoKeyTable(_ key: [UInt8]) -> Bool {
    guard key.count <= 63 else { return false }
    guard keys.count == 1024, let last = keys.last else { return true }
    return !SlowBytes.areAscending(last, key)
  }

  /// Reads a value (Spec 6.1), with E8 to E16; `depth` is the number of enclosing arrays and dictionaries.
  mutating func readValue(_ cursor: inout SlowCursor, depth: Int) throws(SlowFinding) -> SlowValue {
    let tagOffset = cursor.position
    let tagByte = try cursor.readByte()
    switch SlowTag(tagByte) {
    case .sensitive:
      // E8, R-6.1-8
      throw SlowFinding("sensitive-misplaced", at: tagOffset)
    case .unassigned:
      // E9, R-6.1-1
      throw SlowFinding("invalid-tag", at: tagOffset)
    case .reserved:
      let length = try cursor.readLength()
      // E10, R-6.1-1
      guard keepsUnknownValues else { throw SlowFinding(Self.unknownValueType, at: tagOffset) }
      return .unknown(tag: tagByte, bytes: Array(try cursor.readBytes(length)))

    case .null:
      return .null
    case .bool(let bool):
      return .bool(bool)
    case .smallInteger(let magnitude):
      return .integer(isNegative: false, magnitude: magnitude)
    case .positiveInteger(let size):
      let bytes = try cursor.readBytes(size)
      let magnitude = SlowBytes.integer(bytes)
      // E11, R-6.1-2: the tag itself holds values up to 63, and the most significant byte is not 0.
      guard magnitude >= 64, bytes.last != 0 else { throw SlowFinding("integer-not-minimal", at: tagOffset) }
      return .integer(isNegative: false, magnitude: magnitude)
    case .negativeInteger(let size):
      let bytes = try cursor.readBytes(size)
      let stored = SlowBytes.integer(bytes)
      // E11, R-6.1-3: -1 - stored is at least -2^63.
      guard stored < 1 << 63 else { throw SlowFinding("integer-range", at: tagOffset) }
      // E11, R-6.1-2: at least one byte is required.
      guard size == 1 || bytes.last != 0 else { throw SlowFinding("integer-not-minimal", at: tagOffset) }
      return .integer(isNegative: true, magnitude: stored + 1)
    case .float64(let size):
      return .float64(bits: try readFloatBits(&cursor, size: size, tagOffset))
    case .date(let size):
      return .date(bits: try readFloatBits(&cursor, size: size, tagOffset))
    case .uuid:
      return .uuid(Array(try cursor.readBytes(16)))

    case .shortString(let length):
      // 7.3: the length is in the tag.
      guard length <= cursor.left else { throw SlowFinding("length-past-end", at: tagOffset) }
      return .string(try cursor.readText(length))
    case .longString:
      let length = try cursor.readLength()
      // E13, R-6.1-5
      guard length >= 64 else { throw SlowFinding("string-not-minimal", at: tagOffset) }
      return .string(try cursor.readText(length))
    case .url:
      // E14, R-6.1-6
      return .url(try cursor.readString(1...UInt32.max))
    case .data:
      let length = try cursor.readLength()
      return .data(Array(try cursor.readBytes(length)))

    case .reference:
      let length = try cursor.readLength()
      var part = try cursor.readPart(length)
      return .reference(try readComponents(&part, tagOffset))
    case .array:
      var part = try readContainer(&cursor, depth: depth, tagOffset)
      var elements: [SlowValue] = []
      while !part.isAtEnd { elements.append(try readValue(&part, depth: depth + 1)) }
      return .array(elements)
    case .dictionary:
      var part = try readContainer(&cursor, depth: depth, tagOffset)
      return .dictionary(try readEntries(&part, in: .dictionary, depth: depth + 1))
    }
  }

  /// Reads the length of an array or dictionary, checks E16, and returns a cursor for its content.
  private func readContainer(_ cursor: inout SlowCursor, depth: Int, _ tagOffset: Int) throws(SlowFinding) -> SlowCursor {
    let length = try cursor.readLength()
    // E16, R-6.1-9
    guard depth < 128 else { throw SlowFinding("nesting-depth", at: tagOffset) }
    return try cursor.readPart(length)
  }

  /// Reads the bits of a float64 or date, of which the `size` most significant bytes are stored.
  private func readFloatBits(_ cursor: inout SlowCursor, size: Int, _ tagOffset: Int) throws(SlowFinding) -> UInt64 {
    let bytes = try cursor.readBytes(size)
    // E12, R-6.1-4
    guard bytes.first != 0 else { throw SlowFinding("float-not-minimal", at: tagOffset) }
    return size == 0 ? 0 : SlowBytes.integer(bytes) << UInt64(64 - 8 * size)
  }

  /// Reads the components of a reference, R-6.1-7.
  private func readComponents(_ cursor: inout SlowCursor, _ tagOffset: Int) throws(SlowFinding) -> [[UInt8]] {
    var components: [[UInt8]] = []
    while !cursor.isAtEnd {
      // E15, at the first excess component
      guard components.count < 256 else { throw SlowFinding("path-depth", at: tagOffset) }
      components.append(try cursor.readString(1...1024))
    }
    // E15, at the end
    guard !components.isEmpty else { throw SlowFinding("empty-reference", at: tagOffset) }
    return components
  }
}

/// The content of a state record (Spec 6.3).
struct SlowStateRecord {
  var provider: SlowProvider?
  var attributes: [SlowEntry] = []
  var state: [SlowEntry] = []
}
