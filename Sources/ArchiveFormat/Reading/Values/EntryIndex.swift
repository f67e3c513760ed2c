public import Storage

/// The entries of a record and of the dictionaries in it that are open, by key.
///
/// Indexing proves that each entry is valid, at some ten nanoseconds an entry, and keeps its position; text and
/// containers are skipped. A lookup tries the place at which the key was indexed last, and reads the value there.
///
/// A class, because a struct in a property of another class is copied for each call of a method.
@usableFromInline
package final class EntryIndex {
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

  // The sections one after the other; in each, ascending keys, as the entries are.
  @safe @exclusivity(unchecked) @usableFromInline var entries = ScratchArray<Entry>(capacity: 32)
  @safe @exclusivity(unchecked) private var inlineEntries = ScratchArray<InlineEntry>(capacity: 0)
  /// For each key of the table, the place in its section at which it was indexed last.
  @safe @exclusivity(unchecked) @usableFromInline var places: ScratchArray<UInt16>
  @safe @exclusivity(unchecked) private var sectionCount = 0
  /// The section that was opened first.
  @safe @exclusivity(unchecked) private var base = Section()
  /// The key of the entry with the error thrown by ``open(_:role:in:keys:)``, if known.
  package private(set) var faultyKey: KeyReference?

  /// Creates an empty index for entries with the keys of a table.
  package init(keys: KeyTable) {
    places = ScratchArray(repeating: 0, count: keys.count)
  }

  /// Adds the entries that `cursor` covers, and checks them.
  package func open(_ cursor: ByteCursor, role: EntryRole, in bytes: Span<UInt8>, keys: KeyTable) throws(FormatError) -> Section {
    var section = Section()
    (section.first, section.firstInline, section.start, section.end) = (entries.count, inlineEntries.count, cursor.position, cursor.end)
    var reader = EntryReader(cursor, role: role, keys: keys)
    let table = PlainValueTable.shared
    do throws(FormatError) {
      while true {
        reader.passPlainEntries(in: bytes, by: table) { add($0, at: $1, &section) }
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

  /// Returns the position of the value whose key has this index in the key table, or -1 if there is none.
  ///
  /// - Complexity: O(1); O(log n) if another section with this key was opened later.
  @inlinable @inline(__always)
  package func position(ofKey number: Int, in section: Section) -> Int {
    let position = position(ofKey: number, at: place(ofKey: number), in: section)
    return position >= 0 ? position : search(number, section)
  }

  /// Returns the position of the value at `place` of a section, which may be any number, if its key has this index in the
  /// key table; -1 otherwise.
  @inlinable @inline(__always)
  package func position(ofKey number: Int, at place: Int, in section: Section) -> Int {
    guard place < section.tableCount else { return -1 }
    let entry = entries[section.first &+ place]
    return entry.key == number ? section.start &+ Int(entry.position) : -1
  }

  /// Returns the place at which the key was indexed last.
  @inlinable @inline(__always)
  package func place(ofKey number: Int) -> Int { Int(places[number]) }

  @usableFromInline @inline(never)
  func search(_ number: Int, _ section: Section) -> Int {
    var low = section.first
    var high = section.first + section.tableCount
    while low < high {
      let middle = (low &+ high) &>> 1
      if entries[middle].key < number { low = middle &+ 1 } else { high = middle }
    }
    guard low < section.first + section.tableCount, entries[low].key == number else { return -1 }
    return section.start + Int(entries[low].position)
  }

  /// Returns the position of the value of an inline key, or -1 if there is none.
  ///
  /// - Complexity: O(log n).
  package func position(ofInlineKey text: Span<UInt8>, in section: Section, _ bytes: Span<UInt8>) -> Int {
    var low = section.firstInline
    var high = section.firstInline + section.inlineCount
    while low < high {
      let middle = (low + high) / 2
      let entry = inlineEntries[middle]
      let order = bytes.extracting(entry.key).compare(with: text)
      if order == 0 { return entry.position + (bytes[entry.position] == ValueTag.sensitive ? 1 : 0) }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return -1
  }

  /// Returns the value at a position of a section.
  @inlinable @inline(__always)
  package func value(at position: Int, in section: Section, _ bytes: Span<UInt8>) -> RawValue {
    var cursor = ByteCursor(position..<section.end, fileOffset: 0)
    // Cannot fail: the value was read when its section was opened, and the bytes are the same.
    return (try? cursor.readValue(in: bytes)) ?? .null
  }
}
