import Storage

// Sorting: the entries of finished records and inner containers, by key.
extension StateWriter {
  // MARK: Pending records

  /// The number of bytes in the buffer at which pending records are sorted.
  ///
  /// This much is still in the caches, and most saves of an app are smaller.
  private static let maximumPendingBytes = 1 << 15

  /// Whether the pending records should be sorted.
  var isFull: Bool {
    @inline(__always) get { buffer.count >= Self.maximumPendingBytes }
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

  // MARK: Entries

  /// Returns the order of a container's entries; if it is `mixed`, ``State/entryOrder`` holds them.
  ///
  /// The last entry in the range is a sentinel that begins where the last real one ends. Every container must pass
  /// through here, because this function records its keys as used.
  @inline(__always)
  private func order(_ first: Int, _ end: Int) -> EntryOrder.Arrangement {
    if end &- first < 2 { return .ascending }
    if state.value.keyRanks.needsUpdate(state.value.keys.count) { state.value.rankNewKeys() }
    let order = state.value.entries.withSpan { entries in
      state.value.entryOrder.fill(with: entries.extracting(first..<end), state.value.keyRanks)
    }
    if order != .unknown { return order }
    state.value.noteUsedKeys(first..<(end &- 1))
    return end &- first == 2 ? .ascending : .unknown
  }

  /// Appends the entries of a container in the order of their keys, only the last one for each key.
  @inline(__always)
  private func appendEntries(_ first: Int, _ end: Int, _ order: EntryOrder.Arrangement, to target: borrowing OutputBuffer) {
    if order == .unknown { return appendComparedEntries(first, end, to: target) }
    let length = state.value.entries[end &- 1].start &- state.value.entries[first].start
    let count = target.appendPieces(upTo: length, of: buffer) { pieces in
      state.value.entryOrder.drain { start, length in pieces.append(from: start, length: length) }
    }
    if count &+ 1 < end &- first { state.value.hasDroppedEntries = true }
  }

  /// Does the same as ``appendEntries(_:_:_:to:)`` for keys without a rank: long ones, and those of archives with more
  /// than ``KeyRanks/maximumKeys``.
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
  func rearrangeEntries(of frame: Frame) {
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

/// A finished record whose entries are still in the order in which they were written.
struct PendingRecord: BitwiseCopyable {
  /// The number of its node.
  let node: Int
  /// The offset of the record in the buffer, including the parts before its entries.
  let start: Int
  /// The offset of its entries.
  let entriesStart: Int
  /// The end of the record.
  let end: Int
  /// The index of its first entry among those of all pending records.
  let firstEntry: Int
  /// The index after the sentinel that marks the end of its last entry.
  let lastEntry: Int
}

/// The entries of one container in the order of their keys.
///
/// A bit set, with one bit for each rank (``KeyRanks``), filled and drained once for each container. It also records
/// the ranks used by all containers. Sorting each record by comparison instead takes 1.65 times the instructions of encoding.
struct EntryOrder: ~Copyable {
  /// The result of ``fill(with:_:)``.
  enum Arrangement {
    /// The entries are in ascending order.
    case ascending
    /// The entries are in another order, which ``drain(_:)`` yields.
    case mixed
    /// A key has no rank, or an offset is too large to be stored.
    case unknown
  }

  // ``KeyRanks/maximumKeys`` ensures that a rank fits into a byte.
  private var ranks = ByteSet()
  /// For each rank, the offset of the last entry that has it, and in the upper half the length of that entry.
  private var places = ByteTable<UInt64>(repeating: 0)
  /// The ranks of entries since the last ``drainUsed(_:)``.
  private var used = ByteSet()

  init() {}

  /// Adds the entries of a container, the last one for each key; the set must be empty or drained.
  ///
  /// The last element of `pending` is a sentinel that begins where the last entry ends.
  @inline(__always)
  mutating func fill(with pending: Span<PendingEntry>, _ order: borrowing KeyRanks) -> Arrangement {
    let last = pending.count &- 1
    guard last >= 0, pending[last].start <= UInt32.max else { return .unknown }
    var entry = pending[0]
    var next = 0
    var isAscending = true
    for index in 0..<last {
      let following = pending[index &+ 1]
      guard let rank = order.rank(of: entry.key) else {
        ranks.removeAll()
        return .unknown
      }
      if Int(rank) < next { isAscending = false }
      next = Int(rank) &+ 1
      ranks.insert(rank)
      let length = following.start &- entry.start
      places[rank] = UInt64(truncatingIfNeeded: entry.start) | UInt64(truncatingIfNeeded: length) &<< 32
      entry = following
    }
    used.formUnion(ranks)
    if isAscending { ranks.removeAll() }
    return isAscending ? .ascending : .mixed
  }

  /// Removes all entries in the order of their keys, calls `body` with the offset and length of each, and returns their
  /// number.
  @inline(__always)
  mutating func drain(_ body: (Int, Int) -> Void) -> Int {
    var count = 0
    ranks.drain { rank in
      let place = places[rank]
      body(Int(place & 0xFFFF_FFFF), Int(place &>> 32))
      count &+= 1
    }
    return count
  }

  /// Calls `body` with each rank used since the last call, and clears them.
  mutating func drainUsed(_ body: (Int) -> Void) {
    used.drain { body(Int($0)) }
  }
}

/// A set of bytes, with one bit for each of the 256 values.
struct ByteSet {
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  /// Creates an empty set.
  init() {}

  /// Adds a byte.
  @inline(__always)
  mutating func insert(_ byte: UInt8) {
    // The two highest bits select one of four words, so the index is always within bounds.
    unsafe withWords { words in unsafe words[Int(byte &>> 6)] |= 1 &<< UInt64(byte & 63) }
  }

  /// Adds the bytes of another set.
  @inline(__always)
  mutating func formUnion(_ other: ByteSet) {
    words.0 |= other.words.0
    words.1 |= other.words.1
    words.2 |= other.words.2
    words.3 |= other.words.3
  }

  /// Removes all bytes.
  @inline(__always)
  mutating func removeAll() {
    words = (0, 0, 0, 0)
  }

  /// Removes all bytes and calls `body` with each of them in ascending order.
  @inline(__always)
  mutating func drain(_ body: (UInt8) -> Void) {
    unsafe withWords { words in
      for index in 0..<4 {
        var rest = unsafe words[index]
        if rest == 0 { continue }
        unsafe words[index] = 0
        repeat {
          body(UInt8(truncatingIfNeeded: index &* 64 &+ rest.trailingZeroBitCount))
          rest &= rest &- 1
        } while rest != 0
      }
    }
  }

  @inline(__always)
  private mutating func withWords(_ body: (UnsafeMutablePointer<UInt64>) -> Void) {
    unsafe withUnsafeMutablePointer(to: &words) { tuple in
      unsafe tuple.withMemoryRebound(to: UInt64.self, capacity: 4) { unsafe body($0) }
    }
  }
}

/// A table of 256 elements, one for each byte value: a byte used as the index needs no bounds check.
@safe
struct ByteTable<Element: BitwiseCopyable>: ~Copyable {
  private let elements: UnsafeMutablePointer<Element>

  /// Creates a table of 256 copies of `element`.
  init(repeating element: Element) {
    unsafe elements = .allocate(capacity: 256)
    unsafe elements.initialize(repeating: element, count: 256)
  }

  deinit {
    unsafe elements.deallocate()
  }

  /// Returns the element of a byte.
  @inline(__always)
  subscript(byte: UInt8) -> Element {
    get { unsafe elements[Int(byte)] }
    set { unsafe elements[Int(byte)] = newValue }
  }
}
