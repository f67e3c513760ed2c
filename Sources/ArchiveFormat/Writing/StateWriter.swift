/// Writes state records: entries in any order, values, nested containers; each record comes out sorted by key (Spec §6.2, §6.3).
///
/// Keys are named by the numbers of an interner while records are written, since their places in the key table are known only at the end;
/// ``KeyRenumbering`` puts those in. A record is collected in a buffer of its own and copied behind the others when it is closed, its entries
/// in their order:
///
///     buffer    | zoom 1.5 | list { row 7 | col 1 } | alpha true |            as the app encodes
///     records   … | alpha true | list { col 1 | row 7 } | zoom 1.5 |          when the record is closed
package final class StateWriter {
  /// An entry of a container that is still open.
  private struct PendingEntry {
    /// The first eight bytes of the key, for sorting.
    let prefix: UInt64
    /// The number of the key, or -1 for an inline one.
    let key: Int32
    /// Its place among the entries in the order in which they were written.
    let place: UInt32
  }

  /// A container that is still open.
  private struct Frame {
    /// Where in the buffer its content begins.
    let start: Int
    /// Its first entry among those of all open containers.
    let firstEntry: Int
    /// Whether it has entries rather than elements.
    let hasKeys: Bool
    /// Whether each entry came behind the one before it when an inner container was begun.
    var isSorted = true
  }

  private struct State: ~Copyable {
    var keys = ByteInterner()
    var entries = ScratchArray<PendingEntry>(capacity: 32)
    /// Where in the buffer each entry begins, in the order in which they were written.
    var starts = ScratchArray<Int>(capacity: 32)
    var frames = ScratchArray<Frame>(capacity: 8)
    /// The first entry of the innermost container, and whether each of its entries so far came behind the one before it.
    var firstEntry = 0
    var isSorted = true
    var hasDroppedEntries = false
    var recordCount = 0

    /// The number of a key that stands in line, and of one that cannot be written.
    static let inline = -1
    static let tooLong = -2

    /// Appends the key under its number, or in line if it is too long for the table, and returns the number.
    ///
    /// (It is here because a closure that captures the writer would count a reference to it, for every entry.)
    @inline(__always)
    mutating func appendKey(_ key: String, to buffer: borrowing OutputBuffer) -> Int {
      key.withUTF8Bytes { bytes in
        guard bytes.count <= FormatLimits.tableKey.upperBound else { return Self.appendInlineKey(bytes, to: buffer) }
        let number = keys.intern(bytes)
        buffer.appendProvisionalKey(number)
        return number
      }
    }

    @inline(never)
    private static func appendInlineKey(_ bytes: Span<UInt8>, to buffer: borrowing OutputBuffer) -> Int {
      guard bytes.count <= FormatLimits.key.upperBound else { return tooLong }
      buffer.appendInlineKey(bytes)
      return inline
    }
  }

  /// All records that were ended.
  package let records: OutputBuffer
  /// The record that is being written.
  package let buffer = OutputBuffer(capacity: 1024)
  private let scratch = OutputBuffer()
  private let state = UncheckedBox(State())
  private let baseDepth: Int

  /// Makes a writer whose records have `gap` bytes in front of them, for what the archive puts there.
  ///
  /// `depth` tells how many containers are open around what is written, where it is to be copied into another record.
  package init(capacity: Int, gap: Int, depth: Int = 0) {
    baseDepth = depth
    records = OutputBuffer(capacity: capacity, gap: gap)
  }

  /// How many different keys were written.
  package var keyCount: Int { state.value.keys.count }

  /// The numbers of keys, sorted by their bytes.
  package func sortedKeys(_ isIncluded: (Int) -> Bool) -> [Int] {
    var order = ScratchArray<PendingEntry>(capacity: state.value.keys.count)
    for number in 0..<state.value.keys.count where isIncluded(number) {
      order.append(PendingEntry(prefix: state.value.keys.prefix(of: number), key: Int32(truncatingIfNeeded: number), place: 0))
    }
    if order.count <= 64 {
      order.binaryInsertionSort { $0.prefix < $1.prefix || ($0.prefix == $1.prefix && compare($0, $1) < 0) }
    } else {
      order.sort(0..<order.count) { compare($0, $1) < 0 }
    }
    return (0..<order.count).map { Int(order[$0].key) }
  }

  /// Calls `body` with the bytes of a key.
  package func withKey<Result>(_ number: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    state.value.keys.withBytes(of: number, body)
  }

  /// Whether something that was written was dropped again, so that a key may have been numbered and not be used.
  package var hasDroppedEntries: Bool { state.value.hasDroppedEntries }

  /// How many containers are open, the record itself included.
  package var depth: Int { baseDepth + state.value.frames.count }

  /// How many records were begun: tells whether one that was begun is still the one that is written.
  package var recordCount: Int {
    @inline(__always) get { state.value.recordCount }
  }

  // MARK: Containers

  /// Begins the entries of a record.
  package func beginRecord() {
    state.value.recordCount &+= 1
    openFrame(hasKeys: true)
  }

  @inline(__always)
  private func openFrame(hasKeys: Bool) {
    let outer = state.value.frames.count &- 1
    if outer >= 0 { state.value.frames[outer].isSorted = state.value.isSorted }
    state.value.firstEntry = state.value.entries.count
    state.value.isSorted = true
    state.value.frames.append(Frame(start: buffer.count, firstEntry: state.value.firstEntry, hasKeys: hasKeys))
  }

  /// Takes the innermost container off the stack.
  @inline(__always)
  private func popFrame() -> Frame? {
    guard var frame = state.value.frames.last else { return nil }
    frame.isSorted = state.value.isSorted
    truncateFrames(to: state.value.frames.count &- 1)
    return frame
  }

  @inline(__always)
  private func truncateFrames(to count: Int) {
    state.value.frames.truncate(to: count)
    if let outer = state.value.frames.last {
      state.value.firstEntry = outer.firstEntry
      state.value.isSorted = outer.isSorted
    }
  }

  /// Ends the entries of a record, and with them the record.
  package func endRecord() {
    state.value.recordCount &+= 1
    guard let frame = popFrame() else { return }
    if frame.isSorted {
      buffer.withSpan { records.append(contentsOf: $0) }
    } else {
      let range = sortEntries(of: frame)
      buffer.withSpan { bytes in
        records.append(contentsOf: bytes.extracting(0..<frame.start))
        appendSorted(range, of: bytes, from: 0, to: records)
      }
    }
    truncateEntries(to: frame.firstEntry)
    buffer.truncate(to: 0)
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
    buffer.append(tag)
    // One byte for the length; `endContainer` makes room where it takes more.
    buffer.append(UInt8(0))
    openFrame(hasKeys: hasKeys)
  }

  private func closeFrame() -> Int {
    guard let frame = popFrame() else { return buffer.count }
    if frame.hasKeys {
      if !frame.isSorted { rearrange(sortEntries(of: frame), from: frame.start) }
      truncateEntries(to: frame.firstEntry)
    }
    return frame.start
  }

  // MARK: Entries

  /// Begins an entry of the innermost container; its value must be written next.
  ///
  /// A key that the container has already is not refused: the entry written last counts.
  ///
  /// - Throws: `string-length` if the key is too long.
  @inline(__always)
  package func beginEntry(_ key: String, isSensitive: Bool = false) throws(FormatError) {
    let start = buffer.count
    let number = state.value.appendKey(key, to: buffer)
    guard number > State.tooLong else { throw keyError(key) }
    addEntry(number: number, start: start)
    if isSensitive { buffer.append(ValueTag.sensitive) }
  }

  /// Begins an entry under a key that was written before, by its number; its value must be written next.
  package func beginEntry(number: Int) {
    let start = buffer.count
    buffer.appendProvisionalKey(number)
    addEntry(number: number, start: start)
  }

  /// The number of the key of the entry that was begun last; nil if it stands in line.
  package var lastKey: Int? { state.value.entries.last.flatMap { $0.key >= 0 ? Int($0.key) : nil } }

  @inline(never)
  private func keyError(_ key: String) -> FormatError {
    FormatError(
      .stringLength, at: nil, "key", expected: .text("at most \(FormatLimits.key.upperBound) bytes"),
      found: .number(UInt64(key.utf8.count)))
  }

  @inline(__always)
  private func addEntry(number: Int, start: Int) {
    let place = state.value.entries.count
    let prefix = number >= 0 ? state.value.keys.prefix(of: number) : inlinePrefix(start)
    let entry = PendingEntry(prefix: prefix, key: Int32(truncatingIfNeeded: number), place: UInt32(truncatingIfNeeded: place))
    state.value.starts.append(start)
    if place > state.value.firstEntry, state.value.isSorted, state.value.entries[place &- 1].prefix >= prefix { checkOrder(entry) }
    state.value.entries.append(entry)
  }

  /// The first bytes of a key that stands in line.
  @inline(never)
  private func inlinePrefix(_ start: Int) -> UInt64 {
    buffer.withSpan { $0.extracting(Self.inlineKey(in: $0, at: start)).sortingPrefix }
  }

  /// Notes that the container needs sorting, if the entry does not come behind the one before it.
  @inline(never)
  private func checkOrder(_ entry: PendingEntry) {
    if compare(state.value.entries[Int(entry.place) &- 1], entry) >= 0 { state.value.isSorted = false }
  }

  private func truncateEntries(to count: Int) {
    state.value.entries.truncate(to: count)
    state.value.starts.truncate(to: count)
  }

  /// A point to return to with ``unwind(to:)``.
  package struct Mark {
    fileprivate let count: Int
    fileprivate let frames: Int
    fileprivate let entries: Int
  }

  /// The present point; to be taken before an entry or element is begun.
  package var mark: Mark { Mark(count: buffer.count, frames: state.value.frames.count, entries: state.value.entries.count) }

  /// Drops what was written since `mark`, containers that are still open included.
  package func unwind(to mark: Mark) {
    state.value.hasDroppedEntries = true
    buffer.truncate(to: mark.count)
    if mark.frames < state.value.frames.count { truncateFrames(to: mark.frames) }
    truncateEntries(to: mark.entries)
  }

  /// Drops the record that is being written.
  package func dropRecord() {
    state.value.hasDroppedEntries = true
    state.value.recordCount &+= 1
    buffer.truncate(to: 0)
    truncateFrames(to: 0)
    truncateEntries(to: 0)
  }

  /// Copies a value that another writer has written into its buffer at `range`.
  package func appendValue(_ range: Range<Int>, of source: StateWriter) {
    source.buffer.withSpan { bytes in
      var walker = RecordWalker()
      walker.copyValue(range, of: bytes, to: buffer) { number in
        buffer.appendProvisionalKey(source.withKey(number) { state.value.keys.intern($0) })
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

  // MARK: Sorting

  /// Sorts the entries of a container by key, those with the same key in the order in which they were written, and returns where they are.
  private func sortEntries(of frame: Frame) -> Range<Int> {
    let range = frame.firstEntry..<state.value.entries.count
    // The end of the last one, for whoever asks where an entry ends.
    state.value.starts.append(buffer.count)
    if range.count > 24 {
      state.value.entries.sort(range) { left, right in
        let order = compare(left, right)
        return order == 0 ? left.place < right.place : order < 0
      }
      return range
    }
    // The usual case: a dozen entries, most of which differ within eight bytes.
    state.value.entries.insertionSort(range) { left, right in
      left.prefix < right.prefix || (left.prefix == right.prefix && compare(left, right) < 0)
    }
    return range
  }

  /// Puts the bytes of sorted entries of an inner container into their order.
  private func rearrange(_ range: Range<Int>, from start: Int) {
    scratch.truncate(to: 0)
    buffer.withSpan { scratch.append(contentsOf: $0.extracting(start..<$0.count)) }
    buffer.truncate(to: start)
    scratch.withSpan { appendSorted(range, of: $0, from: start, to: buffer) }
  }

  /// Appends sorted entries, of each key the one that was written last; index 0 of `bytes` was at `start` when the entries were written.
  @inline(__always)
  private func appendSorted(_ range: Range<Int>, of bytes: Span<UInt8>, from start: Int, to target: borrowing OutputBuffer) {
    for index in range {
      let entry = state.value.entries[index]
      if index &+ 1 < range.upperBound, state.value.entries[index &+ 1].prefix == entry.prefix,
        isSameKey(entry, state.value.entries[index &+ 1], bytes, from: start)
      {
        state.value.hasDroppedEntries = true
      } else {
        let place = Int(entry.place)
        target.append(contentsOf: bytes.extracting((state.value.starts[place] &- start)..<(state.value.starts[place &+ 1] &- start)))
      }
    }
  }

  @inline(__always)
  private func compare(_ left: PendingEntry, _ right: PendingEntry) -> Int {
    if left.prefix != right.prefix { return left.prefix < right.prefix ? -1 : 1 }
    if left.key >= 0, right.key >= 0 { return state.value.keys.compare(Int(left.key), Int(right.key)) }
    return buffer.withSpan { compareInline(left, right, $0, from: 0) }
  }

  private func isSameKey(_ left: PendingEntry, _ right: PendingEntry, _ bytes: Span<UInt8>, from start: Int) -> Bool {
    if left.key >= 0, right.key >= 0 { return left.key == right.key }
    return compareInline(left, right, bytes, from: start) == 0
  }

  /// Compares entries of which at least one has its key in line, in bytes of which index 0 was at `start` when the entries were written.
  private func compareInline(_ left: PendingEntry, _ right: PendingEntry, _ bytes: Span<UInt8>, from start: Int) -> Int {
    withKeyBytes(of: left, bytes, from: start) { left in
      withKeyBytes(of: right, bytes, from: start) { right in left.compare(with: right) }
    }
  }

  private func withKeyBytes<Result>(
    of entry: PendingEntry, _ bytes: Span<UInt8>, from start: Int, _ body: (Span<UInt8>) -> Result
  ) -> Result {
    if entry.key >= 0 { return state.value.keys.withBytes(of: Int(entry.key), body) }
    // An entry that is being added has no start yet in the list: it is the last one.
    return body(bytes.extracting(Self.inlineKey(in: bytes, at: state.value.starts[Int(entry.place)] - start)))
  }

  /// Where the key of an entry at `start` is that has its key in line.
  private static func inlineKey(in bytes: Span<UInt8>, at start: Int) -> Range<Int> {
    var cursor = ByteCursor((start + 1)..<bytes.count, fileOffset: 0)
    // The bytes are what this writer wrote, so that this always finds the key.
    return (try? cursor.readLength(in: bytes, "key")) ?? 0..<0
  }
}
