public import Storage

/// The entries of a record and of the dictionaries in it that are open, by key.
///
/// Indexing proves that each entry is valid, at some ten nanoseconds an entry, and keeps its position; text and
/// containers are skipped. A lookup tries the place at which the key was indexed last, and reads the value there.
///
/// An index serves one record after another, and then knows which keys are asked for and where they are likely to be. A class,
/// because a struct in a property of another class is copied for each call of a method. Sendable, because it has one owner at a
/// time: a decoder, or the records of the archive, which keep it for the next decoder.
@usableFromInline
package final class EntryIndex: @unchecked Sendable {
  /// An entry whose key is in the key table.
  @frozen @usableFromInline
  struct Entry: BitwiseCopyable {
    @usableFromInline let key: UInt32
    /// The position of its tag, from the start of the entries.
    @usableFromInline let position: UInt32
  }

  /// A value, and the position of its tag; -1 for none.
  @frozen @usableFromInline
  package struct Field: BitwiseCopyable {
    @usableFromInline package let value: RawValue
    @usableFromInline package let position: Int

    /// Creates a field.
    @inlinable @inline(__always)
    package init(value: RawValue, position: Int) {
      self.value = value
      self.position = position
    }
  }

  /// The indexed entries of a record or dictionary.
  @frozen @usableFromInline
  package struct Section: BitwiseCopyable {
    @usableFromInline var first = 0
    @usableFromInline var tableCount = 0
    /// The range of the entries in the bytes.
    @usableFromInline var start = 0
    @usableFromInline var end = 0
    // The entries with inline keys. A file may have any number of them.
    @usableFromInline var firstInline = 0
    @usableFromInline var inlineCount = 0

    /// Creates a section without entries.
    @inlinable
    package init() {}

    /// Whether two sections are of the same dictionary.
    package func isSame(as other: Section) -> Bool { start == other.start && end == other.end }

    /// The number of entries.
    package var count: Int { tableCount + inlineCount }
  }

  @usableFromInline
  struct InlineEntry: BitwiseCopyable {
    let keyStart: Int
    let keyEnd: Int
    /// The position of the value, including its mark.
    let position: Int

    var key: Range<Int> { keyStart..<keyEnd }
  }

  /// What is known of a requested key. (Without it, decoding `Codable` types takes 1.23 times the instructions.)
  @frozen @usableFromInline
  struct KeyMemory: BitwiseCopyable {
    /// The words of its text, which may have changed even for a one-byte key; ``strings`` retains it.
    @usableFromInline var words = StringWords()
    /// Its index in the key table.
    @usableFromInline var number = 0
    /// The place at which it was found last.
    @usableFromInline var place = 0
  }

  private static let slotCount = 256
  /// The number of keys up to which the table of words need not grow.
  private static let usualKeyCount = 64
  /// The number of retained strings after which all keys are forgotten.
  private static let maximumStrings = 1024
  /// The number of entries, of each kind, for which an index keeps memory while it is not in use.
  private static let maximumSpare = 4096
  private static let maximumKeyTypes = 4
  private static let memoriesPerType = 64

  /// The keys that entries refer to by number.
  package let keys: KeyTable
  // The sections one after the other; in each, ascending keys, as the entries are.
  @safe @exclusivity(unchecked) @usableFromInline var entries = ScratchArray<Entry>(capacity: 32)
  @safe @exclusivity(unchecked) private var inlineEntries = ScratchArray<InlineEntry>(capacity: 0)
  /// For each key of the table, the place in its section at which it was indexed last.
  @safe @exclusivity(unchecked) @usableFromInline var places: ScratchArray<UInt16>
  @safe @exclusivity(unchecked) private var sectionCount = 0
  /// The section that was opened first.
  @safe @exclusivity(unchecked) private var base = Section()
  // The requested keys, once keys are likely to be requested again. Their tables are small: blocks of a kilobyte and more cost
  // an allocator much more, and a state that fits into a cache is decoded faster.
  /// By the words of a key's string, in one of two slots: its index in the key table plus one, or 0.
  @safe @exclusivity(unchecked) @usableFromInline var slots = ScratchArray<UInt16>(capacity: 0)
  /// For each key of the table, the words of the string by which it was requested last.
  @safe @exclusivity(unchecked) @usableFromInline var words = ScratchArray<StringWords>(capacity: 0)
  /// The strings with those words, if they have memory, so that the words stay theirs.
  @safe @exclusivity(unchecked) private var strings: [String] = []
  /// The first key types whose keys take one byte.
  @safe @exclusivity(unchecked) private var keyTypes: [ObjectIdentifier] = []
  /// The known keys of these types, by their bytes.
  @safe @exclusivity(unchecked) @usableFromInline var memories = ScratchArray<KeyMemory>(capacity: 0)
  /// The key of the entry with the error thrown by ``open(_:role:in:)``, if known.
  package private(set) var faultyKey: KeyReference?

  /// Creates an empty index for entries with the keys of a table.
  package init(keys: KeyTable) {
    self.keys = keys
    places = ScratchArray(repeating: 0, count: keys.count)
  }

  /// Adds the entries that `cursor` covers, and checks them.
  package func open(_ cursor: ByteCursor, role: EntryRole, in bytes: HeldBytes) throws(FormatError) -> Section {
    try bytes.withSpan { bytes throws(FormatError) in try open(cursor, role: role, in: bytes) }
  }

  private func open(_ cursor: ByteCursor, role: EntryRole, in bytes: Span<UInt8>) throws(FormatError) -> Section {
    var section = Section()
    (section.first, section.firstInline, section.start, section.end) = (entries.count, inlineEntries.count, cursor.position, cursor.end)
    var reader = EntryReader(cursor, role: role, keys: keys)
    let table = PlainValueTable.shared
    do throws(FormatError) {
      while true {
        reader.passPlainEntries(in: bytes, by: table, readingContent: false) { add($0, at: $1, &section) }
        guard let entry = try reader.next(in: bytes, keys: keys) else { break }
        if entry.key.isInline {
          let key = entry.key.inlineRange
          inlineEntries.append(InlineEntry(keyStart: key.lowerBound, keyEnd: key.upperBound, position: entry.valueStart))
          section.inlineCount += 1
        } else {
          add(entry.key.index, at: entry.tagStart, &section)
        }
      }
    } catch {
      faultyKey = reader.lastKey
      entries.truncate(to: section.first)
      inlineEntries.truncate(to: section.firstInline)
      throw error
    }
    sectionCount += 1
    if sectionCount == 1 { base = section }
    return section
  }

  @inline(__always)
  private func add(_ key: Int, at position: Int, _ section: inout Section) {
    places[key] = UInt16(truncatingIfNeeded: section.tableCount)
    section.tableCount &+= 1
    entries.append(
      Entry(key: UInt32(truncatingIfNeeded: key), position: UInt32(truncatingIfNeeded: position &- section.start)))
  }

  /// Removes a section.
  ///
  /// The first section is removed last. Others that are not removed in the order of a stack take memory until only the first
  /// is left.
  package func close(_ section: Section) {
    sectionCount -= 1
    if sectionCount == 0 {
      truncate(to: 0, inline: 0)
    } else if sectionCount == 1 {
      truncate(to: base.tableCount, inline: base.inlineCount)
    } else if section.first + section.tableCount == entries.count, section.firstInline + section.inlineCount == inlineEntries.count {
      truncate(to: section.first, inline: section.firstInline)
    }
  }

  private func truncate(to count: Int, inline inlineCount: Int) {
    entries.truncate(to: count)
    inlineEntries.truncate(to: inlineCount)
  }

  /// Returns the key of the entry at `place`; table keys come before inline keys.
  package func key(at place: Int, in section: Section) -> KeyReference {
    place < section.tableCount
      ? KeyReference(index: Int(entries[section.first + place].key))
      : KeyReference(inline: inlineEntries[section.firstInline + place - section.tableCount].key)
  }

  /// Returns the value under a key; its position is -1 if there is none.
  ///
  /// - Complexity: O(1), expected; O(log n) for an inline key, and if another section with this key was opened later.
  @inlinable @inline(__always)
  package func field(_ key: String, in section: Section, _ bytes: Span<UInt8>) -> Field {
    let known = StringWords.areKnown ? number(of: StringWords(key), slot: 0) : -1
    let number = known >= 0 ? known : learn(key)
    let position = number >= 0 ? position(ofKey: number, in: section) : position(ofInlineKey: key, in: section, bytes)
    if position < 0 { return Field(value: .null, position: -1) }
    return Field(value: value(at: position, in: section, bytes), position: position)
  }

  /// Returns the index of a key in the key table, given its words, or -1 if the key is not in one of its two slots.
  @inlinable @inline(__always)
  func number(of words: StringWords, slot: Int) -> Int {
    let place = words.hash ^ slot
    guard place < slots.count else { return -1 }
    let number = Int(slots[place]) &- 1
    return number >= 0 && self.words[number] == words ? number : -1
  }

  /// Returns the index of a key in the key table, or -1 if the table does not contain it.
  @usableFromInline @inline(never)
  func learn(_ key: String) -> Int {
    let words = StringWords.areKnown ? StringWords(key) : StringWords()
    let known = number(of: words, slot: 1)
    if known >= 0 { return known }
    guard let number = key.withUTF8Bytes({ keys.index(of: $0) }) else { return -1 }
    if slots.count > 0 {
      if words.haveMemory, strings.count == Self.maximumStrings { forgetKeys() }
      if number >= self.words.count { self.words.append(repeating: StringWords(), count: number + 1 - self.words.count) }
      if words.haveMemory, !(self.words[number] == words) { strings.append(key) }
      self.words[number] = words
      let place = words.hash
      slots[slots[place] == 0 || slots[place ^ 1] != 0 ? place : place ^ 1] = UInt16(truncatingIfNeeded: number + 1)
    }
    return number
  }

  /// Forgets the requested keys: an app that makes new strings for each record would retain more and more of them.
  private func forgetKeys() {
    for place in 0..<slots.count { slots[place] = 0 }
    for number in 0..<words.count { words[number] = StringWords() }
    memories.truncate(to: 0)
    strings.removeAll(keepingCapacity: true)
  }

  /// Whether the index may be kept for later records.
  package var isSmall: Bool { entries.capacity <= Self.maximumSpare && inlineEntries.capacity <= Self.maximumSpare }

  /// Prepares for more records and dictionaries with the same keys.
  package func expectKeys() {
    if slots.count > 0 || !StringWords.areKnown { return }
    slots.append(repeating: 0, count: Self.slotCount)
    words.append(repeating: StringWords(), count: min(places.count, Self.usualKeyCount))
  }

  /// Returns the first of the memories for the keys of a type, or a negative number if there are too many types.
  package func firstMemory(ofKeyType type: ObjectIdentifier) -> Int {
    for number in keyTypes.indices where keyTypes[number] == type { return number * Self.memoriesPerType }
    guard keyTypes.count < Self.maximumKeyTypes else { return -1 }
    keyTypes.append(type)
    return (keyTypes.count - 1) * Self.memoriesPerType
  }

  /// Remembers the place of a key that was found.
  package func remember(_ key: String, _ memory: Int) {
    let words = StringWords(key)
    let number = max(number(of: words, slot: 0), number(of: words, slot: 1))
    if number < 0 { return }
    if memory >= memories.count { memories.append(repeating: KeyMemory(), count: memory + 1 - memories.count) }
    memories[memory] = KeyMemory(words: words, number: number, place: place(ofKey: number))
  }

  /// Returns the position of a key that was found in an earlier dictionary, if it is at the same place again; otherwise
  /// -1.
  @inlinable @inline(__always)
  package func rememberedPosition(_ words: StringWords, _ memory: Int, in section: Section) -> Int {
    guard memory < memories.count, memories[memory].words == words else { return -1 }
    return position(ofKey: memories[memory].number, at: memories[memory].place, in: section)
  }

  /// Returns the position of the value whose key has this index in the key table, or -1 if there is none.
  ///
  /// - Complexity: O(1); O(log n) if another section with this key was opened later.
  @inlinable @inline(__always)
  func position(ofKey number: Int, in section: Section) -> Int {
    let position = position(ofKey: number, at: place(ofKey: number), in: section)
    return position >= 0 ? position : search(number, section)
  }

  /// Returns the position of the value at `place` of a section, which may be any number, if its key has this index in the
  /// key table; -1 otherwise.
  @inlinable @inline(__always)
  func position(ofKey number: Int, at place: Int, in section: Section) -> Int {
    guard place < section.tableCount else { return -1 }
    let entry = entries[section.first &+ place]
    return entry.key == number ? section.start &+ Int(entry.position) : -1
  }

  /// Returns the place at which the key was indexed last.
  @inlinable @inline(__always)
  func place(ofKey number: Int) -> Int { Int(places[number]) }

  @usableFromInline @inline(never)
  func search(_ number: Int, _ section: Section) -> Int {
    let end = section.first + section.tableCount
    let place = (section.first..<end).first(past: { entries[$0].key >= number })
    return place < end && entries[place].key == number ? section.start + Int(entries[place].position) : -1
  }

  /// Returns the position of the value of an inline key, or -1 if there is none.
  ///
  /// - Complexity: O(log n).
  @usableFromInline @inline(never)
  func position(ofInlineKey key: String, in section: Section, _ bytes: Span<UInt8>) -> Int {
    key.withUTF8Bytes { position(ofInlineKey: $0, in: section, bytes) }
  }

  private func position(ofInlineKey text: Span<UInt8>, in section: Section, _ bytes: Span<UInt8>) -> Int {
    let end = section.firstInline + section.inlineCount
    let place = (section.firstInline..<end).first(past: { bytes.extracting(inlineEntries[$0].key).compare(with: text) >= 0 })
    guard place < end, bytes.extracting(inlineEntries[place].key).isEqual(to: text) else { return -1 }
    let position = inlineEntries[place].position
    return position + (bytes[position] == ValueTag.sensitive ? 1 : 0)
  }

  /// Returns the value at a position of a section.
  @inlinable @inline(__always)
  package func value(at position: Int, in section: Section, _ bytes: Span<UInt8>) -> RawValue {
    var cursor = ByteCursor(position..<section.end, fileOffset: 0)
    // Cannot fail: the value was read when its section was opened, and the bytes are the same.
    return (try? cursor.readValue(in: bytes)) ?? .null
  }
}
