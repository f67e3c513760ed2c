import Storage

// The keys of a writer: their numbers while records are written, and their order at the end.
extension StateWriter.State {
  /// Returns the number of a key, or ``notInTable``.
  ///
  /// (A function of the state, because a closure that captures the writer would retain it, for every entry.)
  @inline(__always)
  mutating func number(of key: String) -> Int {
    keyCache.number(of: key) ?? lookUp(key)
  }

  /// Returns the number of a key that fits into the table, given its bytes; a new key is added.
  mutating func number(ofBytes key: Span<UInt8>) -> Int {
    let number = keys.intern(key)
    if number == isUsed.count {
      isUsed.append(true)
      hasSortedKeys = false
    }
    isUsed[number] = true
    return number
  }

  /// Appends the keys with these numbers in the form of the metadata (Spec §4.3.5).
  func appendKeyTable(_ numbers: some Collection<Int>, to buffer: borrowing OutputBuffer) {
    buffer.appendVarint(numbers.count)
    for number in numbers {
      keys.withBytes(of: number) { bytes in
        buffer.appendVarint(bytes.count)
        buffer.append(contentsOf: bytes)
      }
    }
  }

  /// Renumbers these keys from 0 in the given order, which must be that of their bytes, and removes all others.
  mutating func renumberKeys(_ kept: [Int]) {
    let table = OutputBuffer(capacity: 1024)
    appendKeyTable(kept, to: table)
    lastKeyTable = table.makeArray()
    var places = [Int](repeating: -1, count: keys.count)
    var renumbered = ByteInterner()
    for (place, number) in kept.enumerated() {
      places[number] = place
      _ = keys.withBytes(of: number) { renumbered.intern($0) }
    }
    keys = renumbered
    keyCache.renumber(places)
    keyRanks = KeyRanks()
    isUsed = ScratchArray(repeating: false, count: kept.count)
    hasSortedKeys = true
  }

  /// Assigns ranks to the new keys.
  @inline(never)
  mutating func rankNewKeys() {
    noteUsedKeys()
    keyRanks.rankNew(keys)
  }

  /// Records as used the keys of sorted entries.
  mutating func noteUsedKeys() {
    entryOrder.drainUsed { rank in isUsed[keyRanks.number(atRank: rank)] = true }
  }

  /// Records as used the keys of a container whose entries cannot be sorted by ranks.
  mutating func noteUsedKeys(_ range: Range<Int>) {
    for index in range where entries[index].key >= 0 { isUsed[entries[index].key] = true }
  }

  @inline(never)
  private mutating func lookUp(_ key: String) -> Int {
    let number = key.withUTF8Bytes { bytes in
      FormatLimits.tableKey.contains(bytes.count) ? self.number(ofBytes: bytes) : Self.notInTable
    }
    // An inline key has no number, and may be long.
    if number != Self.notInTable { keyCache.remember(number, of: key) }
    return number
  }
}

extension StateWriter {
  /// The number of distinct keys numbered so far; keys too long for the key table have no number.
  package var keyCount: Int { state.value.keys.count }

  /// Returns the numbers of the included keys, sorted by the keys' bytes.
  package func sortedKeys(_ isIncluded: (Int) -> Bool) -> [Int] {
    if state.value.keyRanks.needsUpdate(keyCount) { state.value.rankNewKeys() }
    if keyCount <= state.value.keyRanks.count {
      return (0..<keyCount).lazy.map { self.state.value.keyRanks.number(atRank: $0) }.filter(isIncluded)
    }
    return (0..<keyCount).filter(isIncluded).sorted { state.value.keys.compare($0, $1) < 0 }
  }

  /// Whether this archive uses a key.
  ///
  /// Covers sorted records and the containers in them. A new key counts from the moment it is numbered.
  func isUsed(_ key: Int) -> Bool {
    state.value.noteUsedKeys()
    return state.value.isUsed[key]
  }

  /// Whether all key numbers are their indexes in the key table, as in an archive with the same keys as the previous
  /// one.
  var hasFinalKeys: Bool {
    state.value.noteUsedKeys()
    return state.value.hasSortedKeys && state.value.isUsed.withSpan { isUsed in isUsed.indices.allSatisfy { isUsed[$0] } }
  }

  /// Appends the keys with these numbers in the form of the metadata; nil stands for all keys, if ``hasFinalKeys`` is
  /// true.
  func appendKeyTable(_ numbers: ArraySlice<Int>?, to buffer: borrowing OutputBuffer) {
    if let numbers {
      state.value.appendKeyTable(numbers, to: buffer)
    } else {
      let table = state.value.lastKeyTable
      buffer.append(contentsOf: table.span)
    }
  }

  /// Calls `body` with the bytes of a key.
  package func withKey<Result>(_ number: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    state.value.keys.withBytes(of: number, body)
  }

  // MARK: Copied records

  /// Returns the number of a key of at most 63 bytes, given its bytes, and records it as used.
  func useKey(_ key: Span<UInt8>) -> Int { state.value.number(ofBytes: key) }

  /// Numbers the keys of a table in its order, unused until ``useKey(_:)``, before anything is written.
  ///
  /// - Returns: Whether the references of files with this table are those of this writer, so that records can be copied
  ///   as they are; false for a table with references of two bytes, which is not adopted.
  func adoptKeys(of table: KeyTable) -> Bool {
    guard keyCount == 0, table.count < ProvisionalKey.oneByteCount else { return false }
    for index in 0..<table.count { _ = table.withBytes(at: index) { useKey($0) } }
    state.value.renumberKeys(Array(0..<table.count))
    return true
  }

  // MARK: Next archive

  /// The limits up to which buffers, and the list of entries, are kept for the next archive.
  private static let maximumKeptBytes = 1 << 18
  private static let maximumKeptEntries = 1 << 14

  /// Prepares the writer for the records of another archive, with ``records`` as created by
  /// ``init(capacity:gap:depth:)``.
  ///
  /// The keys in use stay known, numbered in the order of their bytes. As long as the next archive has the same keys,
  /// the references written are the final ones.
  func reset(capacity: Int, gap: Int) {
    // Drained in any case: ranks used in this archive must not count for the next.
    state.value.noteUsedKeys()
    // An archive that was discarded, or has no keys, does not show that the previous keys are unused. New keys in it
    // still cause a renumbering.
    let isUnwanted = state.value.pending.count > 0
    let hasNoKeys = state.value.isUsed.withSpan { isUsed in isUsed.indices.allSatisfy { !isUsed[$0] } }
    if let last = state.value.pending.last, !state.value.hasSortedKeys { state.value.noteUsedKeys(0..<last.lastEntry) }
    state.value.pending.truncate(to: 0)
    discardRecord()
    if !(isUnwanted || hasNoKeys ? state.value.hasSortedKeys : hasFinalKeys) {
      // Only one-byte references can be final.
      let kept = keyCount <= ProvisionalKey.oneByteCount ? sortedKeys(isUsed) : []
      state.value.renumberKeys(kept)
    }
    for number in 0..<keyCount { state.value.isUsed[number] = false }
    state.value.keyCache.makeRoom()
    state.value.hasDroppedEntries = false
    if state.value.entries.capacity > Self.maximumKeptEntries { state.value.entries = ScratchArray(capacity: 32) }
    records.swapContents(with: OutputBuffer(capacity: capacity, gap: gap))
    if buffer.capacity > Self.maximumKeptBytes { buffer.swapContents(with: OutputBuffer()) }
    if scratch.capacity > Self.maximumKeptBytes { scratch.swapContents(with: OutputBuffer()) }
  }
}

/// Replaces the provisional numbers of keys by their indexes in the key table, once all keys are known (Spec §4.3.5).
///
/// If all keys have one-byte references, which is the usual case, bytes are replaced in place. Otherwise the lengths of
/// references and of the containers around them change, and the records are rewritten. If the numbers already equal the
/// indexes, nothing is replaced.
struct KeyRenumbering {
  /// The numbers of the table's keys, in table order; nil if all numbers are final.
  let table: ArraySlice<Int>?
  /// For each provisional number, the index in the table, or -1 for a key that is inline or unused.
  private let places: [Int]
  private let writer: StateWriter

  /// Creates the renumbering of a writer whose numbers are final.
  init(final writer: StateWriter) {
    self.writer = writer
    places = []
    table = nil
  }

  /// Sorts and numbers the keys in use.
  init(_ writer: StateWriter, isUsed: (Int) -> Bool) {
    self.writer = writer
    let table = writer.sortedKeys(isUsed).prefix(FormatLimits.keyTable)
    self.table = table
    var places = [Int](repeating: -1, count: writer.keyCount)
    for (place, number) in table.enumerated() { places[number] = place }
    self.places = places
  }

  /// Whether references can be replaced in place.
  var isInPlace: Bool { places.count <= ProvisionalKey.oneByteCount }

  /// For each lead byte of a provisional reference, the lead byte of the final one.
  ///
  /// Valid only if ``isInPlace`` is true. An inline key keeps its lead byte.
  var leads: [UInt8] {
    var leads = [UInt8](repeating: KeyReference.inlineLead, count: 256)
    for (number, place) in places.enumerated() { leads[number + 1] = UInt8(truncatingIfNeeded: place + 1) }
    return leads
  }

  /// Appends the final reference of the key with this provisional number.
  func appendReference(_ number: Int, to buffer: borrowing OutputBuffer) {
    if places[number] >= 0 {
      buffer.appendKeyReference(places[number])
    } else {
      writer.withKey(number) { buffer.appendInlineKey($0) }
    }
  }
}

/// The form of references to keys: that of a file, or that of a writer until keys are numbered.
protocol KeyForm {
  /// Whether a key that fits into a key table may be inline, because the table of its file is full.
  static var hasShortInlineKeys: Bool { get }

  /// Reads the rest of a reference that begins with `lead`, and returns the index or the number of the key.
  static func readNumber(lead: UInt8, in bytes: Span<UInt8>, at position: inout Int) -> Int
}

/// The form of key references in files (Spec §6.2).
enum StoredKey: KeyForm {
  static var hasShortInlineKeys: Bool { true }

  @inline(__always)
  static func readNumber(lead: UInt8, in bytes: Span<UInt8>, at position: inout Int) -> Int {
    guard lead >= KeyReference.twoByteLead else { return Int(lead) &- 1 }
    position &+= 1
    return KeyReference.oneByteCount &+ Int(lead &- KeyReference.twoByteLead) &<< 8 &+ Int(bytes[position &- 1])
  }
}

extension ProvisionalKey: KeyForm {
  static var hasShortInlineKeys: Bool { false }

  @inline(__always)
  static func readNumber(lead: UInt8, in bytes: Span<UInt8>, at position: inout Int) -> Int {
    guard lead == longLead else { return Int(lead) &- 1 }
    position &+= longLength &- 1
    return Int(bytes.uint32(at: position &- (longLength &- 1)))
  }
}
