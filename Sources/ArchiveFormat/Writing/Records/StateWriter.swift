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
    var keyRanks = KeyRanks()
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

  /// Finishes the current record as that of `node` and returns its length.
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
      throw FormatError(.nestingDepth, at: nil, "nesting", expected: "at most \(FormatLimits.nesting) levels")
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
    if key.isEmpty, depth == 1 { throw FormatError(.emptyKey, at: nil, "key", expected: "at least one byte") }
    let number = state.value.number(of: key)
    state.value.entries.append(PendingEntry(start: buffer.count, key: number))
    if number >= 0 { buffer.appendProvisionalKey(number) } else { try appendInlineKey(key) }
    if isSensitive { buffer.append(ValueTag.sensitive) }
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
      .stringLength, at: nil, "key", expected: "at most \(FormatLimits.key.upperBound) bytes", found: .number(key.utf8.count))
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

  /// Copies the value that another writer has written.
  package func appendValue(of source: StateWriter) {
    source.buffer.withSpan { bytes in
      var walker = RecordWalker<ProvisionalKey>()
      walker.copyValue(bytes, to: buffer) { buffer.appendProvisionalKey(number(ofKey: $0.index, of: source)) }
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
      appendValue(of: value.source)
      let next = index + 1 < values.count ? values[index + 1].place - first : scratch.count
      scratch.withSpan { buffer.append(contentsOf: $0.extracting((value.place - first)..<next)) }
    }
  }
}

/// An entry of a container that is being written, or of a pending record.
@usableFromInline
struct PendingEntry: BitwiseCopyable {
  /// The offset of the entry in the buffer.
  @usableFromInline let start: Int
  /// The number of the key, or -1 for an inline one.
  @usableFromInline let key: Int

  @inlinable @inline(__always)
  init(start: Int, key: Int) {
    self.start = start
    self.key = key
  }
}
