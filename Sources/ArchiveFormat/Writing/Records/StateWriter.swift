/// Writes state records: entries in any order, values, nested containers; each record comes out sorted by key (Spec §6.2, §6.3).
///
/// Keys are named by the numbers of an interner while records are written, since their places in the key table are known only at the end;
/// ``KeyRenumbering`` puts those in. Records are collected in a buffer and copied behind the others some at a time, when they are *settled*, their
/// entries in their order:
///
///     buffer    | zoom 1.5 | list { row 7 | col 1 } | alpha true |            as the app encodes
///     records   … | alpha true | list { col 1 | row 7 } | zoom 1.5 |          when the record is settled
///
/// A small archive is not settled before it is put together, which another thread than the app's may do.
@usableFromInline
package final class StateWriter {
  /// A container that is still open.
  @usableFromInline
  struct Frame: BitwiseCopyable {
    /// Where in the buffer its content begins.
    let start: Int
    /// Its first entry among those of all open containers.
    let firstEntry: Int
    /// Whether it has entries rather than elements.
    let hasKeys: Bool
    /// How many of its elements were counted, and where the last of those ends: for whoever asks for the index of one.
    var countedElements = 0
    var countedEnd: Int
  }

  @usableFromInline
  struct State: ~Copyable {
    var keys: ByteInterner
    @usableFromInline var keyCache: KeyCache
    var keyOrder = KeyOrder()
    /// By number: whether something was written under the key for this archive, as far as records are settled. (``entryOrder`` knows of more.)
    var isUsed: ScratchArray<Bool>
    /// Whether the numbers of keys are in the order of their bytes, as those of keys from the archive before are.
    var hasSortedKeys = false
    /// The key table of an archive that has the keys of the one before.
    var lastKeyTable: [UInt8] = []
    /// The entries of all pending records and open containers, in the order in which they were written.
    @usableFromInline var entries: ScratchArray<PendingEntry>
    @usableFromInline var frames = ScratchArray<Frame>(capacity: 8)
    /// The records that were ended and are not settled, in the order in which they lie in the buffer.
    var pending: ScratchArray<PendingRecord>
    var entryOrder = EntryOrder()
    var hasDroppedEntries = false
    /// Who may write at present, and the last number that was given out for that.
    @usableFromInline var scope = 0
    @usableFromInline var lastScope = 0

    /// Instead of the number of a key: it is too long for the table, and stands in line.
    static let notInTable = -1

    init(isForOneValue: Bool) {
      keys = ByteInterner(capacity: isForOneValue ? 8 : 64)
      keyCache = KeyCache(isForFewKeys: isForOneValue)
      isUsed = ScratchArray(capacity: isForOneValue ? 8 : 64)
      entries = ScratchArray(capacity: isForOneValue ? 8 : 32)
      pending = ScratchArray(capacity: isForOneValue ? 0 : 32)
    }

    /// The number of a key, or ``notInTable``.
    ///
    /// (It is here because a closure that captures the writer would count a reference to it, for every entry.)
    @inline(__always)
    mutating func number(of key: String) -> Int {
      keyCache.number(of: key) ?? lookUp(key)
    }

    /// The number of a key that may stand in the table, new or old, given its bytes.
    mutating func number(ofBytes key: Span<UInt8>) -> Int {
      let number = keys.intern(key)
      if number == isUsed.count {
        isUsed.append(true)
        hasSortedKeys = false
      }
      isUsed[number] = true
      return number
    }

    /// Appends the keys at these numbers as the metadata holds them (Spec §4.3.5).
    func appendKeyTable(_ numbers: some Collection<Int>, to buffer: borrowing OutputBuffer) {
      buffer.appendVarint(numbers.count)
      for number in numbers {
        keys.withBytes(of: number) { bytes in
          buffer.appendVarint(bytes.count)
          buffer.append(contentsOf: bytes)
        }
      }
    }

    /// Gives the keys at these numbers the numbers from 0 on, in their order, which is that of their bytes; forgets all others.
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

    /// Gives ranks to the keys that are new.
    @inline(never)
    mutating func takeInKeys() {
      noteUsedKeys()
      keyOrder.takeIn(keys)
    }

    /// Notes the keys whose entries were put in order.
    mutating func noteUsedKeys() {
      entryOrder.drainUsed { rank in isUsed[keyOrder.number(atRank: rank)] = true }
    }

    /// Notes the keys of a container whose entries cannot be put in order by ranks.
    mutating func noteUsedKeys(_ range: Range<Int>) {
      for index in range where entries[index].key >= 0 { isUsed[entries[index].key] = true }
    }

    @inline(never)
    private mutating func lookUp(_ key: String) -> Int {
      let number = key.withUTF8Bytes { bytes in
        FormatLimits.tableKey.contains(bytes.count) ? self.number(ofBytes: bytes) : Self.notInTable
      }
      // One that is in line has no number, and may be long.
      if number != Self.notInTable { keyCache.remember(number, of: key) }
      return number
    }
  }

  /// All records that were settled.
  package let records: OutputBuffer
  /// The records that are not settled, and the one that is being written.
  @usableFromInline package let buffer: OutputBuffer
  let scratch: OutputBuffer
  @usableFromInline let state: UncheckedBox<State>
  private let baseDepth: Int

  /// Makes a writer whose records have `gap` bytes in front of them, for what the archive puts there.
  ///
  /// `depth` tells how many containers are open around what is written, where it is to be copied into another record.
  package init(capacity: Int, gap: Int, depth: Int = 0) {
    baseDepth = depth
    // A value that is copied into another record is written by a writer of its own, and there may be many at a time.
    let isForOneValue = depth > 0
    state = UncheckedBox(State(isForOneValue: isForOneValue))
    buffer = OutputBuffer(capacity: isForOneValue ? 64 : 1024)
    scratch = OutputBuffer(capacity: isForOneValue ? 16 : 256)
    records = OutputBuffer(capacity: capacity, gap: gap)
  }

  /// How many different keys were written.
  package var keyCount: Int { state.value.keys.count }

  /// The numbers of keys, sorted by their bytes.
  package func sortedKeys(_ isIncluded: (Int) -> Bool) -> [Int] {
    if state.value.keyOrder.isBehind(keyCount) { state.value.takeInKeys() }
    if keyCount <= state.value.keyOrder.count {
      return (0..<keyCount).lazy.map { self.state.value.keyOrder.number(atRank: $0) }.filter(isIncluded)
    }
    return (0..<keyCount).filter(isIncluded).sorted { state.value.keys.compare($0, $1) < 0 }
  }

  /// Whether something was written under a key for this archive, in a record that was settled or a container in one; for new keys, in any.
  func isUsed(_ key: Int) -> Bool {
    state.value.noteUsedKeys()
    return state.value.isUsed[key]
  }

  /// Whether the numbers of keys are their places in the key table, as they are in an archive that has the same keys as the one before.
  var hasFinalKeys: Bool {
    state.value.noteUsedKeys()
    return state.value.hasSortedKeys && state.value.isUsed.withSpan { isUsed in isUsed.indices.allSatisfy { isUsed[$0] } }
  }

  /// Appends the keys at these numbers as the metadata holds them, or all of them, where ``hasFinalKeys`` holds.
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

  /// Whether something that was written was dropped again, so that a key may have been numbered and not be used.
  package var hasDroppedEntries: Bool { state.value.hasDroppedEntries }

  /// How many containers are open, the record itself included.
  package var depth: Int { baseDepth + state.value.frames.count }

  /// Who may write at present: whoever opened a record or a container and still has its number.
  ///
  /// A coder that somebody kept, or that is used while a container within its own is open, has another one and is refused.
  @inlinable
  package var scope: Int {
    @inline(__always) get { state.value.scope }
  }

  /// Gives the right to write to someone else, until ``closeScope(to:)``; returns whose it was.
  @inlinable @inline(__always)
  package func openScope() -> Int {
    let outer = state.value.scope
    state.value.lastScope &+= 1
    state.value.scope = state.value.lastScope
    return outer
  }

  /// Gives the right to write back.
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

  /// Takes the innermost container off the stack.
  @inline(__always)
  private func popFrame() -> Frame? {
    let count = state.value.frames.count
    guard count > 0 else { return nil }
    let frame = state.value.frames[count &- 1]
    state.value.frames.truncate(to: count &- 1)
    return frame
  }

  /// Ends the entries of a record, and with them the record, which is that of the node with this number; returns how long it is.
  package func endRecord(of node: Int) -> Int {
    _ = openScope()
    guard let frame = popFrame() else { return 0 }
    let start = state.value.pending.last?.end ?? 0
    if buffer.count == start { return 0 }
    // Where the last entry ends, for whoever asks where an entry ends.
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

  /// Ends what was begun last with ``beginDictionary()``, ``beginArray()`` or ``beginAttributes()``.
  package func endContainer() {
    let start = closeFrame()
    buffer.closeLength(at: start - 1)
  }

  private func beginContainer(tag: UInt8, hasKeys: Bool) throws(FormatError) {
    guard depth <= FormatLimits.nesting else {
      throw FormatError(.nestingDepth, at: nil, "nesting", expected: .text("at most \(FormatLimits.nesting) levels"))
    }
    // The tag and one byte for the length; `endContainer` makes room where it takes more.
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
  /// A key that the container has already is not refused: the entry written last counts.
  ///
  /// - Throws: `string-length` if the key is too long; `empty-key` if it is empty and not that of a dictionary (rule R-6.2-4).
  @inline(__always)
  package func beginEntry(_ key: String, isSensitive: Bool = false) throws(FormatError) {
    if key.isEmpty, depth == 1 { throw FormatError(.emptyKey, at: nil, "key", expected: .text("at least one byte")) }
    let number = state.value.number(of: key)
    state.value.entries.append(PendingEntry(start: buffer.count, key: number))
    if number >= 0 { buffer.appendProvisionalKey(number) } else { try appendInlineKey(key) }
    if isSensitive { buffer.append(ValueTag.sensitive) }
  }

  /// Begins an entry under a key that was written before, by its number; its value must be written next.
  @inlinable @inline(__always)
  package func beginEntry(number: Int) {
    state.value.entries.append(PendingEntry(start: buffer.count, key: number))
    buffer.appendProvisionalKey(number)
  }

  /// The number of the key of the entry that was begun last; nil if it stands in line.
  package var lastKey: Int? { state.value.entries.last.flatMap { $0.key >= 0 ? $0.key : nil } }

  /// Notes an entry that begins here, and returns the reference to its key, which is to be written together with the value; nil, and nothing
  /// is noted, if the key is not remembered, as the empty one never is, or its reference takes more than a byte.
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

  /// A point to return to with ``unwind(to:)``.
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

  /// The present point; to be taken before an entry or element is begun.
  package var mark: Mark {
    @inlinable @inline(__always)
    get { Mark(count: buffer.count, frames: state.value.frames.count, entries: state.value.entries.count) }
  }

  /// Drops what was written since `mark`, containers that are still open included.
  package func unwind(to mark: Mark) {
    state.value.hasDroppedEntries = true
    buffer.truncate(to: mark.count)
    if mark.frames < state.value.frames.count { state.value.frames.truncate(to: mark.frames) }
    state.value.entries.truncate(to: mark.entries)
  }

  /// Drops the record that is being written.
  package func dropRecord() {
    state.value.hasDroppedEntries = true
    _ = openScope()
    state.value.frames.truncate(to: 0)
    state.value.entries.truncate(to: state.value.pending.last?.lastEntry ?? 0)
    buffer.truncate(to: state.value.pending.last?.end ?? 0)
  }

  /// Copies a value that another writer has written into its buffer at `range`.
  package func appendValue(_ range: Range<Int>, of source: StateWriter) {
    source.buffer.withSpan { bytes in
      var walker = RecordWalker()
      walker.copyValue(range, of: bytes, to: buffer) { number in
        buffer.appendProvisionalKey(source.withKey(number) { state.value.number(ofBytes: $0) })
      }
    }
  }

  /// Puts values that other writers have written, each as a whole, in among the elements of the array that is open: each at a place in the
  /// buffer, in ascending order of places.
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

  // MARK: Another archive

  /// How much of a buffer is kept for the next archive, and how many entries.
  private static let mostKeptBytes = 1 << 18
  private static let mostKeptEntries = 1 << 14

  /// Makes the writer ready for the records of another archive, with ``records`` as ``init(capacity:gap:depth:)`` makes them.
  ///
  /// It goes on to know the keys that were used, by numbers in the order of their bytes: as long as the next archive has the same keys, the
  /// references that are written to it are the final ones.
  func reset(capacity: Int, gap: Int) {
    // Whatever comes of them: what was used for this archive must not count for the next.
    state.value.noteUsedKeys()
    // An archive that nobody wanted in the end says nothing against the keys of the one before, and has its own all the same. Nor does one
    // without any.
    let isUnwanted = state.value.pending.count > 0
    let hasNoKeys = state.value.isUsed.withSpan { isUsed in isUsed.indices.allSatisfy { !isUsed[$0] } }
    if let last = state.value.pending.last, !state.value.hasSortedKeys { state.value.noteUsedKeys(0..<last.lastEntry) }
    state.value.pending.truncate(to: 0)
    dropRecord()
    if !(isUnwanted || hasNoKeys ? state.value.hasSortedKeys : hasFinalKeys) {
      // Only references of one byte can be final ones.
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

  // MARK: Settling

  /// How much of the buffer records may take before they are settled.
  ///
  /// So much is in the caches still, and what an app saves is rarely more.
  private static let mostPendingBytes = 1 << 15

  /// Whether so much is pending that it should be settled.
  var isFull: Bool {
    @inline(__always) get { buffer.count >= Self.mostPendingBytes }
  }

  /// Puts the records that were ended behind the others, their entries in the order of their keys; calls `place` with the node and the place
  /// of each.
  ///
  /// No record may be open.
  func settle(_ place: (Int, Range<Int>) -> Void) {
    for index in 0..<state.value.pending.count {
      let record = state.value.pending[index]
      let start = records.count
      settle(record)
      place(record.node, start..<records.count)
    }
    state.value.pending.truncate(to: 0)
    state.value.entries.truncate(to: 0)
    buffer.truncate(to: 0)
  }

  @inline(__always)
  private func settle(_ record: PendingRecord) {
    let order = order(record.firstEntry, record.lastEntry)
    if order == .ascending { return records.append(record.start..<record.end, of: buffer) }
    if record.start < record.entriesStart { records.append(record.start..<record.entriesStart, of: buffer) }
    appendEntries(record.firstEntry, record.lastEntry, order, to: records)
  }

  // MARK: Sorting

  /// Whether the entries of a container came in the order of their keys; else ``State/entryOrder`` tells it, unless a key has no rank.
  ///
  /// Behind the last one is one more, which begins where that ends. It notes that their keys are used, so every container comes here.
  @inline(__always)
  private func order(_ first: Int, _ end: Int) -> EntryOrder.Outcome {
    if end &- first < 2 { return .ascending }
    if state.value.keyOrder.isBehind(state.value.keys.count) { state.value.takeInKeys() }
    let order = state.value.entries.withSpan { entries in
      state.value.entryOrder.fill(with: entries.extracting(first..<end), state.value.keyOrder)
    }
    if order != .unknown { return order }
    state.value.noteUsedKeys(first..<(end &- 1))
    return end &- first == 2 ? .ascending : .unknown
  }

  /// Appends the entries of a container in the order of their keys, of each key the one that was written last.
  @inline(__always)
  private func appendEntries(_ first: Int, _ end: Int, _ order: EntryOrder.Outcome, to target: borrowing OutputBuffer) {
    if order == .unknown { return appendComparedEntries(first, end, to: target) }
    let length = state.value.entries[end &- 1].start &- state.value.entries[first].start
    let count = target.appendPieces(upTo: length, of: buffer) { pieces in
      state.value.entryOrder.drain { start, length in pieces.append(from: start, length: length) }
    }
    if count &+ 1 < end &- first { state.value.hasDroppedEntries = true }
  }

  /// As ``appendEntries(_:_:_:to:)``, for keys without a rank: long ones, and those of archives with more than ``KeyOrder/mostKeys``.
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

  /// Puts the entries of an inner container into the order of their keys.
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
    // The bytes are what this writer wrote, so that this always finds the key.
    var cursor = ByteCursor((entry.start + 1)..<bytes.count, fileOffset: 0)
    return body(bytes.extracting((try? cursor.readLength(in: bytes, "key")) ?? 0..<0))
  }
}
