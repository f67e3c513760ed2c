import ArchiveFormat
import FoundationValues

/// Decodes the bytes of state records into values.
struct ValueReader {
  private let keys: KeyTable
  private let isStrict: Bool
  /// The archive's key strings, shared by all dictionaries read; empty if key strings are created on first use.
  private let sharedKeys: KeyList
  /// The key strings created so far.
  private var metKeys: [String?] = []
  /// The remaining budget.
  private var budget: ValueBudget
  /// The key of the outermost entry that contains the last fault, if known.
  private(set) var outermostKey: String?

  /// Creates a reader of state records; with `readsAll`, the strings of all keys are created at once.
  init(keys: KeyTable, isStrict: Bool, budget: ValueBudget, readsAll: Bool = false) {
    self.keys = keys
    sharedKeys = KeyList(shared: readsAll ? keys.texts : [])
    self.isStrict = isStrict
    self.budget = budget
  }

  /// Counts one value against the budget.
  mutating func spend() throws(FormatError) {
    try budget.spend()
  }

  /// Reads a whole record.
  mutating func readContents(of record: VerifiedBytes, flags: UInt8) throws(FormatError) -> StateContents {
    let bytes = record.storage.span
    outermostKey = nil
    var parts = try RecordParts(record, flags: flags)
    var contents = StateContents()
    if let provider = parts.provider {
      contents.provider = ProviderReference(
        name: bytes.extracting(provider.name).makeString() ?? "", identifier: bytes.extracting(provider.identifier).makeString() ?? "")
    }
    if let attributes = parts.attributes {
      contents.attributes = try readDictionary(attributes, in: bytes, role: .attributes(strict: isStrict), depth: 0)
    }
    parts.attributes = nil
    contents.state = try readDictionary(parts.entries, in: bytes, role: .state, depth: 0)
    return contents
  }

  /// Reads a whole record, or returns nil if it breaks a rule; what was read of such a record is not counted.
  mutating func readIntactContents(of record: VerifiedBytes, flags: UInt8) -> StateContents? {
    let budget = budget
    if let contents = try? readContents(of: record, flags: flags) { return contents }
    self.budget = budget
    return nil
  }

  /// Reads the entries at `cursor` that are intact and obey every rule, and reports the others.
  ///
  /// Reading continues after a lost entry if its key, tag and length are intact, because they locate the next entry.
  /// What was read of a lost value is not counted. The entries should end at `end`; in a truncated file, `cursor` stops
  /// before it.
  ///
  /// `damage` returns the error for the first damage in a range. `lose` is called with the key of each lost entry, and
  /// once without a key if no entry after some point can be found.
  mutating func readIntactEntries(
    _ cursor: ByteCursor, upTo end: Int, in bytes: Span<UInt8>, role: EntryRole, damage: (Range<Int>) -> FormatError?,
    lose: (KeyReference?, FormatError) -> Void
  ) -> ArchiveDictionary {
    var reader = EntryReader(cursor, role: role, keys: keys)
    var entries: [ArchiveDictionary.Entry] = []
    var start = cursor.position
    do throws(FormatError) {
      while let entry = try reader.next(in: bytes, keys: keys) {
        let (next, budget) = (reader.cursor.position, budget)
        // The bytes of a number count as part of its head.
        if let error = damage(start..<(entry.value.hasSeparatePayload ? entry.value.payload.lowerBound : next)) { throw error }
        do throws(FormatError) {
          if let error = damage(start..<next) { throw error }
          let value = try readValue(entry.value, in: bytes, fileOffset: cursor.fileOffset, tagAt: entry.tagStart, depth: 0)
          entries.append(ArchiveDictionary.Entry(key: text(of: entry.key, in: bytes), value: value, isSensitive: entry.isSensitive))
        } catch {
          self.budget = budget
          lose(entry.key, error)
        }
        start = next
      }
    } catch {
      // The value of an intact head may extend past the end of a truncated file: only this value is known to be lost.
      let payload = reader.cursor.position
      if cursor.end < end, error.code == .lengthPastEnd, case .integer(let length, _) = error.found, let key = reader.lastKey,
        damage(start..<payload) == nil, length <= UInt64(end - payload), let cause = damage(start..<end)
      {
        lose(key, cause)
        if UInt64(end - payload) > length { lose(nil, cause) }
      } else {
        lose(nil, damage(start..<end) ?? error)
      }
    }
    // No error is thrown if the file ends between two entries.
    if cursor.end < end, start == cursor.end, let error = damage(start..<end) { lose(nil, error) }
    return ArchiveDictionary(sorted: EntryList(entries))
  }

  /// Reads the entries at `cursor`.
  private mutating func readDictionary(
    _ cursor: ByteCursor, in bytes: Span<UInt8>, role: EntryRole, depth: Int
  ) throws(FormatError) -> ArchiveDictionary {
    var reader = EntryReader(cursor, role: role, keys: keys)
    do throws(FormatError) {
      return try readEntries(&reader, in: bytes, depth: depth)
    } catch {
      if depth == 0 { outermostKey = reader.lastKey.map { text(of: $0, in: bytes) } }
      throw error
    }
  }

  @inline(__always)
  private mutating func readEntries(
    _ reader: inout EntryReader, in bytes: Span<UInt8>, depth: Int
  ) throws(FormatError) -> ArchiveDictionary {
    let cursor = reader.cursor
    var items: [EntryList.Item] = []
    items.reserveCapacity(min(cursor.remaining / 8 + 1, 16))
    var ownKeys: [String] = []
    while let entry = try reader.next(in: bytes, keys: keys) {
      let value = try readValue(entry.value, in: bytes, fileOffset: cursor.fileOffset, tagAt: entry.tagStart, depth: depth)
      let key = isShared(entry.key) ? entry.key.index : appendKey(entry.key, in: bytes, to: &ownKeys)
      items.append(EntryList.Item(value: value, isSensitive: entry.isSensitive, key: UInt32(truncatingIfNeeded: key)))
    }
    if items.isEmpty { return ArchiveDictionary() }
    let keys = ownKeys.isEmpty ? sharedKeys : KeyList(shared: sharedKeys.shared, own: ownKeys)
    return ArchiveDictionary(sorted: EntryList(items, keys: keys))
  }

  private func isShared(_ key: KeyReference) -> Bool {
    !key.isInline && !sharedKeys.shared.isEmpty
  }

  /// Appends a key to a dictionary's own keys and returns its place.
  @inline(never)
  private mutating func appendKey(_ key: KeyReference, in bytes: Span<UInt8>, to ownKeys: inout [String]) -> Int {
    ownKeys.append(text(of: key, in: bytes))
    return sharedKeys.count + ownKeys.count - 1
  }

  /// Returns the string of a key, shared with earlier uses of it.
  private mutating func text(of key: KeyReference, in bytes: Span<UInt8>) -> String {
    if key.isInline { return bytes.extracting(key.inlineRange).makeString() ?? "" }
    if metKeys.isEmpty { metKeys = [String?](repeating: nil, count: keys.count) }
    if let text = metKeys[key.index] { return text }
    let text = keys.text(at: key.index)
    metKeys[key.index] = text
    return text
  }

  /// Returns a raw value as a value of the model.
  mutating func readValue(
    _ value: RawValue, in bytes: Span<UInt8>, fileOffset: Int, tagAt tag: Int, depth: Int
  ) throws(FormatError) -> ArchiveValue {
    try budget.spend()
    switch value.kind {
    case .string: return .string(try text(value, in: bytes, fileOffset: fileOffset))
    case .integer: return .integer(ArchiveInteger(magnitudeBits: value.bits))
    case .negativeInteger: return .integer(ArchiveInteger(complement: value.bits))
    case .float64: return .float(Double(bitPattern: value.bits))
    case .bool: return .bool(value.bits != 0)
    case .date: return .date(Date(float64Bits: value.bits))
    case .null: return .null
    case .data: return .data(Data(bytes: bytes.extracting(value.payload)))
    case .url: return .url(try text(value, in: bytes, fileOffset: fileOffset))
    case .uuid:
      return .uuid(UUID(bytes.uint64(at: value.payload.lowerBound), bytes.uint64(at: value.payload.lowerBound + 8)))
    case .reference: return .reference(try Self.path(of: value, in: bytes, fileOffset: fileOffset))
    case .array:
      try budget.checkDepth(depth, at: fileOffset + tag)
      var cursor = ByteCursor(value.payload, fileOffset: fileOffset)
      var elements: [ArchiveValue] = []
      elements.reserveCapacity(Self.countElements(cursor, in: bytes))
      while !cursor.isAtEnd {
        let start = cursor.position
        let element = try cursor.readValue(in: bytes)
        elements.append(try readValue(element, in: bytes, fileOffset: fileOffset, tagAt: start, depth: depth + 1))
      }
      return .array(elements)
    case .dictionary:
      try budget.checkDepth(depth, at: fileOffset + tag)
      return .dictionary(
        try readDictionary(ByteCursor(value.payload, fileOffset: fileOffset), in: bytes, role: .dictionary, depth: depth + 1))
    case .unknown:
      throw FormatError(
        .unknownValueType, at: fileOffset + tag, "value", expected: "a type of version \(FormatVersion.current)",
        found: .hexadecimal(value.tag))
    }
  }

  /// Returns the number of elements, up to 64 or the first fault.
  private static func countElements(_ cursor: consuming ByteCursor, in bytes: Span<UInt8>) -> Int {
    var count = 0
    while count < 64, !cursor.isAtEnd, (try? cursor.readValue(in: bytes)) != nil { count += 1 }
    return count
  }

  private func text(_ value: RawValue, in bytes: Span<UInt8>, fileOffset: Int) throws(FormatError) -> String {
    if let text = bytes.extracting(value.payload).makeString() { return text }
    try ByteCursor(value.payload, fileOffset: fileOffset).validateText(in: bytes, at: value.payload, "string")
    return ""
  }

  /// Returns the path of a reference.
  static func path(of value: RawValue, in bytes: Span<UInt8>, fileOffset: Int) throws(FormatError) -> RestorationPath {
    var cursor = ByteCursor(value.payload, fileOffset: fileOffset)
    var validator = cursor
    try validator.validateReference(in: bytes)
    var components: [String] = []
    while !cursor.isAtEnd {
      components.append(bytes.extracting(try cursor.readComponent(in: bytes)).makeString() ?? "")
    }
    return RestorationPath(validated: components)
  }
}

extension RawValue {
  /// Whether the payload can be damaged while the tag and the length before it are intact.
  fileprivate var hasSeparatePayload: Bool {
    switch kind {
    case .string, .data, .url, .reference, .array, .dictionary, .unknown: true
    default: false
    }
  }
}

/// The contents of a state record (Spec §6.3).
struct StateContents {
  var provider: ProviderReference?
  var attributes: ArchiveDictionary = [:]
  var state: ArchiveDictionary = [:]
}
