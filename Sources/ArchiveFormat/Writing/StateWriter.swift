/// Writes state records: entries in any order, values, nested containers; each record comes out sorted by key (Spec §6.2, §6.3).
///
/// Keys are named by the numbers of an interner while records are written, since their places in the key table are known only at the end;
/// ``KeyRenumbering`` puts those in. A record is written straight into the final buffer; only entries that came out of order are moved,
/// when their container is closed:
///
///     state frame   | zoom 1.5 | list { row 7 | col 1 } | alpha true |    as written
///                   | alpha true | list { col 1 | row 7 } | zoom 1.5 |    when closed
package final class StateWriter {
  /// An entry of a container that is still open.
  private struct PendingEntry {
    /// The first eight bytes of the key, for sorting.
    let prefix: UInt64
    /// The number of the key, or -1 for an inline one.
    let key: Int
    /// Where in the buffer the entry begins.
    let start: Int
  }

  /// A container that is still open.
  private struct Frame {
    /// Where in the buffer its content begins.
    let start: Int
    /// Its first entry in `entries`.
    let firstEntry: Int
    /// Whether it has entries rather than elements.
    let hasKeys: Bool
    /// Whether each entry so far came behind the one before it.
    var isSorted: Bool
  }

  /// All records written so far.
  package let buffer: OutputBuffer
  private let scratch = OutputBuffer()
  /// The numbers of the keys.
  package private(set) var keys = ByteInterner()
  /// Whether something that was written was dropped again, so that a key may have been numbered and not be used.
  package private(set) var hasDroppedEntries = false
  private var entries: [PendingEntry] = []
  private var frames: [Frame] = []
  private let baseDepth: Int

  /// Makes a writer; `gap` bytes are left free in front, for what the archive puts there.
  ///
  /// `depth` tells how many containers are open around what is written, where it is to be copied into another record.
  package init(capacity: Int, gap: Int, depth: Int = 0) {
    baseDepth = depth
    buffer = OutputBuffer(capacity: capacity, gap: gap)
  }

  /// How many containers are open, the record itself included.
  package var depth: Int { baseDepth + frames.count }

  // MARK: Containers

  /// Begins the entries of a record.
  package func beginRecord() {
    frames.append(Frame(start: buffer.count, firstEntry: entries.count, hasKeys: true, isSorted: true))
  }

  /// Ends the entries of a record.
  package func endRecord() {
    closeFrame()
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
    frames.append(Frame(start: buffer.count, firstEntry: entries.count, hasKeys: hasKeys, isSorted: true))
  }

  @discardableResult
  private func closeFrame() -> Int {
    guard let frame = frames.popLast() else { return buffer.count }
    if frame.hasKeys {
      if !frame.isSorted { sortEntries(of: frame) }
      entries.removeSubrange(frame.firstEntry...)
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
    let (number, prefix) = try appendKey(key)
    let last = frames.count &- 1
    if frames[last].isSorted, frames[last].firstEntry < entries.count {
      let previous = entries[entries.count &- 1]
      if previous.prefix >= prefix, compare(previous, PendingEntry(prefix: prefix, key: number, start: start)) >= 0 {
        frames[last].isSorted = false
      }
    }
    entries.append(PendingEntry(prefix: prefix, key: number, start: start))
    if isSensitive { buffer.append(ValueTag.sensitive) }
  }

  /// Appends the key under its number, or in line if it is too long for the table.
  @inline(__always)
  private func appendKey(_ key: String) throws(FormatError) -> (number: Int, prefix: UInt64) {
    let result = key.withUTF8Bytes { bytes -> (number: Int, prefix: UInt64)? in
      if bytes.count <= FormatLimits.tableKey.upperBound {
        let number = keys.intern(bytes)
        buffer.appendProvisionalKey(number)
        return (number, keys.prefixes[number])
      }
      guard bytes.count <= FormatLimits.key.upperBound else { return nil }
      buffer.appendInlineKey(bytes)
      return (-1, bytes.sortingPrefix)
    }
    guard let result else {
      throw FormatError(
        .stringLength, at: nil, "key", expected: .text("at most \(FormatLimits.key.upperBound) bytes"),
        found: .number(UInt64(key.utf8.count)), rule: "R-5.2-2")
    }
    return result
  }

  /// A point to return to with ``unwind(to:)``.
  package struct Mark {
    fileprivate let count: Int
    fileprivate let frames: Int
    fileprivate let entries: Int
  }

  /// The present point; to be taken before an entry or element is begun.
  package var mark: Mark { Mark(count: buffer.count, frames: frames.count, entries: entries.count) }

  /// Drops what was written since `mark`, containers that are still open included.
  package func unwind(to mark: Mark) {
    hasDroppedEntries = true
    buffer.truncate(to: mark.count)
    frames.removeSubrange(mark.frames...)
    entries.removeSubrange(mark.entries...)
  }

  /// Drops all that was written from `index` on, where no container was open.
  package func dropRecords(from index: Int) {
    hasDroppedEntries = true
    buffer.truncate(to: index)
    frames.removeAll()
    entries.removeAll()
  }

  /// Copies a value that another writer has written into its buffer at `range`.
  package func appendValue(_ range: Range<Int>, of source: StateWriter) {
    var walker = RecordWalker(buffer: source.buffer)
    walker.copyValue(range, to: buffer) { number in
      buffer.appendProvisionalKey(source.keys.withBytes(of: number) { keys.intern($0) })
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

  /// Sorts the entries of a container by key and drops those whose key comes again.
  private func sortEntries(of frame: Frame) {
    var order = Array(frame.firstEntry..<entries.count)
    order.sort { left, right in
      let result = compare(entries[left], entries[right])
      return result == 0 ? left < right : result < 0
    }
    var ranges: [Range<Int>] = []
    ranges.reserveCapacity(order.count)
    for (place, index) in order.enumerated() {
      if place + 1 < order.count, compare(entries[index], entries[order[place + 1]]) == 0 {
        hasDroppedEntries = true
        continue
      }
      let end = index + 1 < entries.count ? entries[index + 1].start : buffer.count
      ranges.append(entries[index].start..<end)
    }
    buffer.rearrange(from: frame.start, inOrderOf: ranges, scratch: scratch)
  }

  @inline(__always)
  private func compare(_ left: PendingEntry, _ right: PendingEntry) -> Int {
    if left.prefix != right.prefix { return left.prefix < right.prefix ? -1 : 1 }
    if left.key >= 0, right.key >= 0 { return keys.compare(left.key, right.key) }
    return compareInline(left, right)
  }

  /// Compares where at least one key stands in the buffer.
  @inline(never)
  private func compareInline(_ left: PendingEntry, _ right: PendingEntry) -> Int {
    withKeyBytes(of: left) { left in withKeyBytes(of: right) { right in left.compare(with: right) } }
  }

  private func withKeyBytes<Result>(of entry: PendingEntry, _ body: (Span<UInt8>) -> Result) -> Result {
    if entry.key >= 0 { return keys.withBytes(of: entry.key, body) }
    return buffer.withSpan { bytes in
      var cursor = ByteCursor((entry.start + 1)..<bytes.count, fileOffset: 0)
      // The buffer holds what this writer wrote, so that this always finds the key.
      let range = (try? cursor.readLength(in: bytes, "key")) ?? 0..<0
      return body(bytes.extracting(range))
    }
  }
}
