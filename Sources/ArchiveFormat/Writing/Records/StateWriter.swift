public import Storage

/// Writes state records: entries in any order, values, nested containers.
///
/// Each record ends up sorted by key (Spec §6.2, §6.3).
///
/// Keys are written as the numbers of an interner, because their indexes in the key table are known only at the end;
/// ``KeyRenumbering`` inserts those. A finished record is *pending*: it stays in a buffer with its entries unsorted.
/// Pending records are sorted in batches and appended to ``records``:
///
///     buffer    | zoom 1.5 | list { row 7 | col 1 } | alpha true |            as the app encodes
///     records   … | alpha true | list { col 1 | row 7 } | zoom 1.5 |          when the record is sorted
///
/// The records of a small archive stay pending until it is assembled, which may happen off the app's thread.
@usableFromInline
package final class StateWriter {
  /// An open container.
  @usableFromInline
  struct Frame: BitwiseCopyable {
    /// The offset of its content in the buffer.
    let start: Int
    /// The index of its first entry among those of all open containers.
    let firstEntry: Int
    /// Whether the container is a dictionary rather than an array.
    let hasKeys: Bool
    /// The number of elements counted so far, and the end of the last of those, for callers that request an index.
    var countedElements = 0
    var countedEnd: Int
  }

  @usableFromInline
  struct State: ~Copyable {
    var keys: ByteInterner
    @usableFromInline var keyCache: KeyCache
    var keyOrder = KeyOrder()
    /// For each key number, whether the key is used in this archive by a record that is no longer pending.
    ///
    /// (``entryOrder`` holds further keys.)
    var isUsed: ScratchArray<Bool>
    /// Whether the key numbers are in the order of the keys' bytes, as those kept from the previous archive are.
    var hasSortedKeys = false
    /// The key table of an archive with the same keys as the previous one.
    var lastKeyTable: [UInt8] = []
    /// The entries of all pending records and open containers, in the order in which they were written.
    @usableFromInline var entries: ScratchArray<PendingEntry>
    @usableFromInline var frames = ScratchArray<Frame>(capacity: 8)
    /// The pending records, in the order of the buffer.
    var pending: ScratchArray<PendingRecord>
    var entryOrder = EntryOrder()
    var hasDroppedEntries = false
    /// The scope that may write, and the last scope number that was issued.
    @usableFromInline var scope = 0
    @usableFromInline var lastScope = 0

    /// The number of a key that is too long for the table, and so is inline.
    static let notInTable = -1

    init(isForOneValue: Bool) {
      keys = ByteInterner(capacity: isForOneValue ? 8 : 64)
      keyCache = KeyCache(isForFewKeys: isForOneValue)
      isUsed = ScratchArray(capacity: isForOneValue ? 8 : 64)
      entries = ScratchArray(capacity: isForOneValue ? 8 : 32)
      pending = ScratchArray(capacity: isForOneValue ? 0 : 32)
    }

    /// Returns the number of a key, or ``notInTable``.
    ///
    /// (Declared here, because a closure that captures the writer would retain it, for every entry.)
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
      keyOrder = KeyOrder()
      isUsed = ScratchArray(repeating: false, count: kept.count)
      hasSortedKeys = true
    }

    /// Assigns ranks to the new keys.
    @inline(never)
    mutating func rankNewKeys() {
      noteUsedKeys()
      keyOrder.rankNew(keys)
    }

    /// Records as used the keys of sorted entries.
    mutating func noteUsedKeys() {
      entryOrder.drainUsed { rank in isUsed[keyOrder.number(atRank: rank)] = true }
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

  /// All sorted records.
  package let records: OutputBuffer
  /// The pending records, and the one that is being written.
  @usableFromInline package let buffer: OutputBuffer
  let scratch: OutputBuffer
  @usableFromInline let state: UncheckedBox<State>
  private let baseDepth: Int

  /// Creates a writer whose records follow a gap of `gap` bytes, for the parts that precede them in the archive.
  ///
  /// `depth` is the number of open containers around the content, if that will be copied into another record.
  package init(capacity: Int, gap: Int, depth: Int = 0) {
    baseDepth = depth
    // Each value that is copied into another record has its own writer, and many can exist at a time.
    let isForOneValue = depth > 0
    state = UncheckedBox(State(isForOneValue: isForOneValue))
    buffer = OutputBuffer(capacity: isForOneValue ? 64 : 1024)
    scratch = OutputBuffer(capacity: isForOneValue ? 16 : 256)
    records = OutputBuffer(capacity: capacity, gap: gap)
  }

  /// The number of different keys written.
  package var keyCount: Int { state.value.keys.count }

  /// Returns the numbers of the included keys, sorted by the keys' bytes.
  package func sortedKeys(_ isIncluded: (Int) -> Bool) -> [Int] {
    if state.value.keyOrder.needsUpdate(keyCount) { state.value.rankNewKeys() }
    if keyCount <= state.value.keyOrder.count {
      return (0..<keyCount).lazy.map { self.state.value.keyOrder.number(atRank: $0) }.filter(isIncluded)
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

  /// Whether written content was discarded, so that a numbered key may be unused.
  package var hasDroppedEntries: Bool { state.value.hasDroppedEntries }

  /// The number of open containers, including the record itself.
  package var depth: Int { baseDepth + state.value.frames.count }

  /// The scope that may write: the number of the innermost open record or container.
  ///
  /// A coder that outlives its scope, or is used while a container within its own is open, has another number and is
  /// rejected.
  @inlinable
  package var scope: Int {
    @inline(__always) get { state.value.scope }
  }

  /// Opens a new scope, valid until ``closeScope(to:)``, and returns the outer one.
  @inlinable @inline(__always)
  package func openScope() -> Int {
    let outer = state.value.scope
    state.value.lastScope &+= 1
    state.value.scope = state.value.lastScope
    return outer
  }

  /// Restores the outer scope.
  @inlinable @inline(__always)
  package func closeScope(to outer: Int) {
    state.value.scope = outer
  }

  // MARK: Containers

  /// Begins the entries of a record.
  package func beginRecord() {
    _ = openScope()
    openFrame(hasKeys: true)
  }

  @inline(__always)
  private func openFrame(hasKeys: Bool) {
    let start = buffer.count
    state.value.frames.append(Frame(start: start, firstEntry: state.value.entries.count, hasKeys: hasKeys, countedEnd: start))
  }

  /// Pops the innermost container.
  @inline(__always)
  private func popFrame() -> Frame? {
    let count = state.value.frames.count
    guard count > 0 else { return nil }
    let frame = state.value.frames[count &- 1]
    state.value.frames.truncate(to: count &- 1)
    return frame
  }

  /// Ends the entries of a record, and the record itself, as that of `node`; returns its length.
  package func endRecord(of node: Int) -> Int {
    _ = openScope()
    guard let frame = popFrame() else { return 0 }
    let start = state.value.pending.last?.end ?? 0
    if buffer.count == start { return 0 }
    // A sentinel that marks the end of the last entry.
    state.value.entries.append(PendingEntry(start: buffer.count, key: State.notInTable))
    state.value.pending.append(
      PendingRecord(
        node: node, start: start, entriesStart: frame.start, end: buffer.count, firstEntry: frame.firstEntry,
        lastEntry: state.value.entries.count))
    return buffer.count &- start
  }

  /// Begins a dictionary value.
  package func beginDictionary() throws(FormatError) {
    try beginContainer(tag: ValueTag.dictionary, hasKeys: true)
  }

  /// Begins an array value.
  package func beginArray() throws(FormatError) {
    try beginContainer(tag: ValueTag.array, hasKeys: false)
  }

  /// Begins the attributes of a node: their length, without a tag.
  package func beginAttributes() {
    buffer.append(UInt8(0))
    beginRecord()
  }

  /// Ends the container begun last with ``beginDictionary()``, ``beginArray()`` or ``beginAttributes()``.
  package func endContainer() {
    let start = closeFrame()
    buffer.closeLength(at: start - 1)
  }

  private func beginContainer(tag: UInt8, hasKeys: Bool) throws(FormatError) {
    guard depth <= FormatLimits.nesting else {
      throw FormatError(.nestingDepth, at: nil, "nesting", expected: .text("at most \(FormatLimits.nesting) levels"))
    }
    // The tag and one byte for the length; `endContainer` makes room for a longer one.
    buffer.append(UInt16(tag))
    openFrame(hasKeys: hasKeys)
  }

  private func closeFrame() -> Int {
    guard let frame = popFrame() else { return buffer.count }
    if frame.hasKeys {
      rearrangeEntries(of: frame)
      state.value.entries.truncate(to: frame.firstEntry)
    }
    return frame.start
  }

  // MARK: Entries

  /// Begins an entry of the innermost container; its value must be written next.
  ///
  /// A repeated key is allowed: the last entry counts.
  ///
  /// - Throws: `string-length` if the key is too long; `empty-key` if it is empty outside a dictionary (rule R-6.2-4).
  @inline(__always)
  package func beginEntry(_ key: String, isSensitive: Bool = false) throws(FormatError) {
    if key.isEmpty, depth == 1 { throw FormatError(.emptyKey, at: nil, "key", expected: .text("at least one byte")) }
    let number = state.value.number(of: key)
    state.value.entries.append(PendingEntry(start: buffer.count, key: number))
    if number >= 0 { buffer.appendProvisionalKey(number) } else { try appendInlineKey(key) }
    if isSensitive { buffer.append(ValueTag.sensitive) }
  }

  /// Begins an entry under a known key, given its number; its value must be written next.
  @inlinable @inline(__always)
  package func beginEntry(number: Int) {
    state.value.entries.append(PendingEntry(start: buffer.count, key: number))
    buffer.appendProvisionalKey(number)
  }

  /// The key number of the entry that was begun last, or nil if its key is inline.
  package var lastKey: Int? { state.value.entries.last.flatMap { $0.key >= 0 ? $0.key : nil } }

  /// Records an entry that begins here, and returns its key reference, which must be written with the value.
  ///
  /// Returns nil, and records nothing, if the key is not in the cache, as the empty key never is, or if its reference
  /// takes more than one byte.
  @inlinable @inline(__always)
  func noteKnownEntry(_ key: String) -> UInt8? {
    guard let number = state.value.keyCache.number(of: key), number >= 0, number < ProvisionalKey.oneByteCount else { return nil }
    state.value.entries.append(PendingEntry(start: buffer.count, key: number))
    return UInt8(truncatingIfNeeded: number &+ 1)
  }

  @inline(never)
  private func appendInlineKey(_ key: String) throws(FormatError) {
    let isWritten = key.withUTF8Bytes { bytes in
      guard bytes.count <= FormatLimits.key.upperBound else { return false }
      buffer.appendInlineKey(bytes)
      return true
    }
    if isWritten { return }
    state.value.entries.truncate(to: state.value.entries.count - 1)
    throw FormatError(
      .stringLength, at: nil, "key", expected: .text("at most \(FormatLimits.key.upperBound) bytes"),
      found: .number(UInt64(key.utf8.count)))
  }

  /// A state to return to with ``unwind(to:)``.
  @usableFromInline
  package struct Mark {
    @usableFromInline let count: Int
    @usableFromInline let frames: Int
    @usableFromInline let entries: Int

    @inlinable @inline(__always)
    init(count: Int, frames: Int, entries: Int) {
      self.count = count
      self.frames = frames
      self.entries = entries
    }
  }

  /// The current state; must be taken before an entry or element is begun.
  package var mark: Mark {
    @inlinable @inline(__always)
    get { Mark(count: buffer.count, frames: state.value.frames.count, entries: state.value.entries.count) }
  }

  /// Discards everything written since `mark`, including containers that are still open.
  package func unwind(to mark: Mark) {
    state.value.hasDroppedEntries = true
    buffer.truncate(to: mark.count)
    if mark.frames < state.value.frames.count { state.value.frames.truncate(to: mark.frames) }
    state.value.entries.truncate(to: mark.entries)
  }

  /// Discards the record that is being written.
  package func discardRecord() {
    state.value.hasDroppedEntries = true
    _ = openScope()
    state.value.frames.truncate(to: 0)
    state.value.entries.truncate(to: state.value.pending.last?.lastEntry ?? 0)
    buffer.truncate(to: state.value.pending.last?.end ?? 0)
  }

  /// Copies the value at `range` of another writer's buffer.
  package func appendValue(_ range: Range<Int>, of source: StateWriter) {
    source.buffer.withSpan { bytes in
      var walker = RecordWalker()
      walker.copyValue(range, of: bytes, to: buffer) { number in
        buffer.appendProvisionalKey(source.withKey(number) { state.value.number(ofBytes: $0) })
      }
    }
  }

  /// Inserts values of other writers between the elements of the open array.
  ///
  /// Each source is one value. Each place is an offset in the buffer; places must be in ascending order.
  package func insertValues(_ values: [(place: Int, source: StateWriter)]) {
    guard let first = values.first?.place else { return }
    scratch.truncate(to: 0)
    buffer.withSpan { scratch.append(contentsOf: $0.extracting(first..<$0.count)) }
    buffer.truncate(to: first)
    for (index, value) in values.enumerated() {
      appendValue(0..<value.source.buffer.count, of: value.source)
      let next = index + 1 < values.count ? values[index + 1].place - first : scratch.count
      scratch.withSpan { buffer.append(contentsOf: $0.extracting((value.place - first)..<next)) }
    }
  }

  // MARK: Next archive

  /// The limits up to which buffers, and the list of entries, are kept for the next archive.
  private static let mostKeptBytes = 1 << 18
  private static let mostKeptEntries = 1 << 14

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
    if state.value.entries.capacity > Self.mostKeptEntries { state.value.entries = ScratchArray(capacity: 32) }
    records.swapContents(with: OutputBuffer(capacity: capacity, gap: gap))
    if buffer.capacity > Self.mostKeptBytes { buffer.swapContents(with: OutputBuffer()) }
    if scratch.capacity > Self.mostKeptBytes { scratch.swapContents(with: OutputBuffer()) }
  }

  // MARK: Sorting pending records

  /// The number of bytes in the buffer at which pending records are sorted.
  ///
  /// This much is still in the caches, and most saves of an app are smaller.
  private static let mostPendingBytes = 1 << 15

  /// Whether the pending records should be sorted.
  var isFull: Bool {
    @inline(__always) get { buffer.count >= Self.mostPendingBytes }
  }

  /// Sorts the entries of all pending records by key and appends the records to ``records``.
  ///
  /// Calls `place` with the node and the range of each record. No record may be open.
  func sortRecords(_ place: (Int, Range<Int>) -> Void) {
    for index in 0..<state.value.pending.count {
      let record = state.value.pending[index]
      let start = records.count
      sortRecords(record)
      place(record.node, start..<records.count)
    }
    state.value.pending.truncate(to: 0)
    state.value.entries.truncate(to: 0)
    buffer.truncate(to: 0)
  }

  @inline(__always)
  private func sortRecords(_ record: PendingRecord) {
    let order = order(record.firstEntry, record.lastEntry)
    if order == .ascending { return records.append(record.start..<record.end, of: buffer) }
    if record.start < record.entriesStart { records.append(record.start..<record.entriesStart, of: buffer) }
    appendEntries(record.firstEntry, record.lastEntry, order, to: records)
  }

  // MARK: Sorting entries

  /// Returns the order of a container's entries; if it is `mixed`, ``State/entryOrder`` holds them.
  ///
  /// The last entry in the range is a sentinel that begins where the last real one ends. Every container must pass
  /// through here, because this function records its keys as used.
  @inline(__always)
  private func order(_ first: Int, _ end: Int) -> EntryOrder.Outcome {
    if end &- first < 2 { return .ascending }
    if state.value.keyOrder.needsUpdate(state.value.keys.count) { state.value.rankNewKeys() }
    let order = state.value.entries.withSpan { entries in
      state.value.entryOrder.fill(with: entries.extracting(first..<end), state.value.keyOrder)
    }
    if order != .unknown { return order }
    state.value.noteUsedKeys(first..<(end &- 1))
    return end &- first == 2 ? .ascending : .unknown
  }

  /// Appends the entries of a container in the order of their keys, only the last one for each key.
  @inline(__always)
  private func appendEntries(_ first: Int, _ end: Int, _ order: EntryOrder.Outcome, to target: borrowing OutputBuffer) {
    if order == .unknown { return appendComparedEntries(first, end, to: target) }
    let length = state.value.entries[end &- 1].start &- state.value.entries[first].start
    let count = target.appendPieces(upTo: length, of: buffer) { pieces in
      state.value.entryOrder.drain { start, length in pieces.append(from: start, length: length) }
    }
    if count &+ 1 < end &- first { state.value.hasDroppedEntries = true }
  }

  /// Does the same as ``appendEntries(_:_:_:to:)`` for keys without a rank: long ones, and those of archives with more
  /// than ``KeyOrder/mostKeys``.
  @inline(never)
  private func appendComparedEntries(_ first: Int, _ end: Int, to target: borrowing OutputBuffer) {
    buffer.withSpan { bytes in
      let sorted = (first..<(end - 1)).sorted { left, right in
        let order = compare(left, right, bytes)
        return order == 0 ? left < right : order < 0
      }
      for (index, entry) in sorted.enumerated() {
        if index + 1 < sorted.count, compare(entry, sorted[index + 1], bytes) == 0 {
          state.value.hasDroppedEntries = true
        } else {
          target.append(contentsOf: bytes.extracting(state.value.entries[entry].start..<state.value.entries[entry + 1].start))
        }
      }
    }
  }

  /// Sorts the entries of an inner container by key.
  private func rearrangeEntries(of frame: Frame) {
    if state.value.entries.count == frame.firstEntry { return }
    state.value.entries.append(PendingEntry(start: buffer.count, key: State.notInTable))
    let end = state.value.entries.count
    let order = order(frame.firstEntry, end)
    if order == .ascending { return }
    scratch.truncate(to: 0)
    appendEntries(frame.firstEntry, end, order, to: scratch)
    buffer.truncate(to: frame.start)
    buffer.append(0..<scratch.count, of: scratch)
  }

  /// Compares the keys of two entries.
  private func compare(_ left: Int, _ right: Int, _ bytes: Span<UInt8>) -> Int {
    let (left, right) = (state.value.entries[left], state.value.entries[right])
    if left.key >= 0, right.key >= 0 { return state.value.keys.compare(left.key, right.key) }
    return withKeyBytes(of: left, bytes) { left in
      withKeyBytes(of: right, bytes) { right in left.compare(with: right) }
    }
  }

  func withKeyBytes<Result>(of entry: PendingEntry, _ bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Result) -> Result {
    if entry.key >= 0 { return state.value.keys.withBytes(of: entry.key, body) }
    // Cannot fail: this writer wrote the bytes.
    var cursor = ByteCursor((entry.start + 1)..<bytes.count, fileOffset: 0)
    return body(bytes.extracting((try? cursor.readLength(in: bytes, "key")) ?? 0..<0))
  }
}
