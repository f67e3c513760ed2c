import Storage

/// A buffer of bytes that grows at its end.
///
/// Unsafe memory access stays behind checked calls, in this type and in the other files of this folder.
///
/// An array would cost more, for two reasons. A large block of memory grows by remapping its pages (`realloc`); an
/// array would copy them to fresh ones, at a higher cost than that of encoding. The front matter of an archive is
/// written last, when its length is known, but stands first: the buffer has a *gap* before its bytes that
/// ``prepend(_:)`` fills without moving them.
///
///     base          start               end            base + capacity
///     |     gap       |  bytes . . . . . |     room     |
@safe @usableFromInline
package struct OutputBuffer: ~Copyable {
  @unsafe @usableFromInline struct State {
    @usableFromInline var base: UnsafeMutableRawPointer
    @usableFromInline var start: Int
    @usableFromInline var end: Int
    @usableFromInline var capacity: Int
  }

  // The state lies behind a constant pointer, so appending a byte costs no exclusivity check.
  @usableFromInline let state: UnsafeMutablePointer<State>

  /// Creates an empty buffer with room for `capacity` bytes after a gap of `gap` bytes.
  package init(capacity: Int = 256, gap: Int = 0) {
    let size = max(capacity, 16) + gap
    unsafe state = RawMemory.allocate(MemoryLayout<State>.size).bindMemory(to: State.self, capacity: 1)
    unsafe state.initialize(to: State(base: RawMemory.allocate(size), start: gap, end: gap, capacity: size))
  }

  deinit {
    unsafe RawMemory.deallocate(state.pointee.base)
    unsafe RawMemory.deallocate(state)
  }

  /// The number of bytes.
  @inlinable
  package var count: Int {
    @inline(__always) get { unsafe state.pointee.end &- state.pointee.start }
  }

  /// The number of allocated bytes.
  var capacity: Int { unsafe state.pointee.capacity }

  // MARK: Appending

  /// Ensures room for `count` more bytes and returns the memory offset at which they belong.
  @inlinable @inline(__always)
  func reserve(_ count: Int) -> Int {
    let end = unsafe state.pointee.end
    if unsafe count > state.pointee.capacity &- end { grow(by: count) }
    return end
  }

  @usableFromInline @inline(never)
  func grow(by count: Int) {
    let wanted = unsafe state.pointee.end + count
    let capacity = unsafe max(wanted, 2 * state.pointee.capacity)
    unsafe state.pointee.base = RawMemory.resize(state.pointee.base, to: capacity)
    unsafe state.pointee.capacity = capacity
  }

  /// Appends a byte.
  @inlinable @inline(__always)
  package func append(_ byte: UInt8) {
    let end = reserve(1)
    unsafe state.pointee.base.storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
    unsafe state.pointee.end = end &+ 1
  }

  /// Appends an integer in little-endian order.
  @inlinable @inline(__always)
  package func append<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
    let end = reserve(MemoryLayout<Value>.size)
    unsafe state.pointee.base.storeBytes(of: value.littleEndian, toByteOffset: end, as: Value.self)
    unsafe state.pointee.end = end &+ MemoryLayout<Value>.size
  }

  /// Appends the `count` least significant bytes of `value`, in little-endian order; of more than 8, 8.
  @inline(__always)
  package func append(_ value: UInt64, byteCount count: Int) {
    let end = reserve(8)
    unsafe state.pointee.base.storeBytes(of: value.littleEndian, toByteOffset: end, as: UInt64.self)
    unsafe state.pointee.end = end &+ min(count, 8)
  }

  /// Appends a byte, then the `count` least significant bytes of `value`; `count` is at most 8.
  @inlinable @inline(__always)
  package func append(tag: UInt8, _ value: UInt64, byteCount count: Int) {
    let end = reserve(9)
    unsafe state.pointee.base.storeBytes(of: tag, toByteOffset: end, as: UInt8.self)
    unsafe state.pointee.base.storeBytes(of: value.littleEndian, toByteOffset: end &+ 1, as: UInt64.self)
    unsafe state.pointee.end = end &+ 1 &+ min(count, 8)
  }

  /// Appends bytes.
  @inlinable @inline(__always)
  package func append(contentsOf bytes: Span<UInt8>) {
    let end = reserve(bytes.count)
    unsafe bytes.withUnsafeBytes { source in
      guard let address = source.baseAddress else { return }
      unsafe (state.pointee.base + end).copyMemory(from: address, byteCount: source.count)
    }
    unsafe state.pointee.end = end &+ bytes.count
  }

  /// Appends a range of bytes of another buffer.
  @inline(__always)
  package func append(_ range: Range<Int>, of other: borrowing OutputBuffer) {
    other.withSpan { append(contentsOf: $0.extracting(range)) }
  }

  /// Appends pieces of another buffer, copied by `body` with ``PieceCopier/append(from:length:)``.
  ///
  /// The pieces have at most `length` bytes in total.
  @inline(__always)
  func appendPieces<Result>(
    upTo length: Int, of other: borrowing OutputBuffer, _ body: (inout PieceCopier) -> Result
  ) -> Result {
    let end = reserve(length &+ PieceCopier.shortLength)
    var pieces = unsafe PieceCopier(
      source: other.state.pointee.base + other.state.pointee.start, sourceCount: other.count,
      sourceRoom: other.state.pointee.capacity &- other.state.pointee.start, target: state.pointee.base + end, limit: length)
    let result = body(&pieces)
    unsafe state.pointee.end = end &+ pieces.count
    return result
  }

  /// Appends a varint (Spec §5.1).
  @inlinable @inline(__always)
  package func appendVarint(_ value: Int) {
    if value < 0x80 {
      append(UInt8(truncatingIfNeeded: value))
    } else {
      appendLongVarint(UInt64(value))
    }
  }

  /// Appends a varint (Spec §5.1).
  package func appendVarint(_ value: UInt32) {
    appendLongVarint(UInt64(value))
  }

  @usableFromInline
  func appendLongVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest &>>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// Returns the number of bytes of a varint.
  package static func varintLength(_ value: Int) -> Int {
    var rest = value
    var length = 1
    while rest >= 0x80 {
      rest &>>= 7
      length += 1
    }
    return length
  }

  /// Returns the number of bytes of a text of `count` bytes, with its length.
  package static func textLength(_ count: Int) -> Int { varintLength(count) + count }

  // MARK: Changing bytes

  /// Turns the placeholder byte at `index` into a varint that counts the bytes after it.
  @inline(__always)
  package func closeLength(at index: Int) {
    let length = count &- index &- 1
    if length < 0x80 {
      replaceByte(at: index, with: UInt8(truncatingIfNeeded: length))
    } else {
      insertLength(length, at: index)
    }
  }

  @inline(never)
  private func insertLength(_ length: Int, at index: Int) {
    precondition(index >= 0 && index < count)
    let extra = Self.varintLength(length) - 1
    _ = reserve(extra)
    let place = unsafe state.pointee.base + state.pointee.start + index
    unsafe (place + 1 + extra).copyMemory(from: place + 1, byteCount: length)
    unsafe state.pointee.end += extra
    var rest = length
    for offset in 0...extra {
      let byte = UInt8(truncatingIfNeeded: rest & 0x7F) | (offset < extra ? 0x80 : 0)
      unsafe place.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
      rest &>>= 7
    }
  }

  /// Replaces the byte at `index`.
  @inline(__always)
  package func replaceByte(at index: Int, with byte: UInt8) {
    precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
    unsafe state.pointee.base.storeBytes(of: byte, toByteOffset: state.pointee.start &+ index, as: UInt8.self)
  }

  /// Removes all bytes after the first `count`.
  package func truncate(to count: Int) {
    precondition(UInt(bitPattern: count) <= UInt(bitPattern: self.count))
    unsafe state.pointee.end = unsafe state.pointee.start + count
  }

  /// Exchanges the contents of two buffers.
  package func swapContents(with other: borrowing OutputBuffer) {
    unsafe swap(&state.pointee, &other.state.pointee)
  }

  /// Inserts bytes at the start, without moving the others if the gap is large enough.
  package func prepend(_ bytes: Span<UInt8>) {
    let missing = unsafe bytes.count - state.pointee.start
    if missing > 0 {
      _ = reserve(missing)
      let first = unsafe state.pointee.base + state.pointee.start
      unsafe (first + missing).copyMemory(from: first, byteCount: count)
      unsafe state.pointee.start += missing
      unsafe state.pointee.end += missing
    }
    unsafe state.pointee.start -= bytes.count
    unsafe bytes.withUnsafeBufferPointer { source in
      guard let address = source.baseAddress else { return }
      unsafe (state.pointee.base + state.pointee.start).copyMemory(from: address, byteCount: source.count)
    }
  }

  // MARK: Reading

  /// Calls `body` with the bytes.
  @inline(__always)
  package func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
    let buffer = unsafe UnsafeBufferPointer(
      start: (state.pointee.base + state.pointee.start).assumingMemoryBound(to: UInt8.self), count: count)
    return try body(unsafe Span(_unsafeElements: buffer))
  }

  /// Calls `body` with the bytes, for mutation.
  package func withMutableSpan<Result>(_ body: (inout MutableSpan<UInt8>) -> Result) -> Result {
    let buffer = unsafe UnsafeMutableBufferPointer(
      start: (state.pointee.base + state.pointee.start).assumingMemoryBound(to: UInt8.self), count: count)
    var span = unsafe MutableSpan(_unsafeElements: buffer)
    return body(&span)
  }

  /// Returns a copy of the bytes as an array.
  package func makeArray() -> [UInt8] {
    withSpan { $0.makeArray() }
  }

  /// Transfers ownership of the memory to the caller: the bytes, and the start of the block to deallocate.
  ///
  /// The buffer is empty afterwards.
  package func takeMemory() -> (bytes: UnsafeMutableRawBufferPointer, block: UnsafeMutableRawPointer) {
    let block = unsafe state.pointee.base
    let bytes = unsafe UnsafeMutableRawBufferPointer(start: block + state.pointee.start, count: count)
    unsafe state.initialize(to: State(base: RawMemory.allocate(16), start: 0, end: 0, capacity: 16))
    return unsafe (bytes, block)
  }
}

/// Copies pieces of one ``OutputBuffer`` to the end of another, one after the other.
///
/// Most entries are short. A short one is copied in fixed-size steps together with the bytes after it, which the next
/// piece then overwrites. That takes a fraction of the time of a `memmove` call and needs no branch on the length: without it,
/// encoding takes 1.05 to 1.13 times as long.
@safe struct PieceCopier: ~Copyable {
  /// The length of the longest piece that is copied in fixed-size steps.
  ///
  /// The target has this much room beyond its limit.
  static let shortLength = 64

  private let source: UnsafeRawPointer
  /// The number of bytes of the source, and of those that can be read in its memory.
  private let sourceCount: Int
  private let sourceRoom: Int
  private let target: UnsafeMutableRawPointer
  private let limit: Int
  /// The number of bytes copied.
  private(set) var count = 0

  /// Creates a copier from a source with `sourceRoom` readable bytes to a target with room for `limit` plus
  /// ``shortLength`` bytes.
  @unsafe @inline(__always)
  init(source: UnsafeRawPointer, sourceCount: Int, sourceRoom: Int, target: UnsafeMutableRawPointer, limit: Int) {
    unsafe self.source = unsafe source
    self.sourceCount = sourceCount
    self.sourceRoom = sourceRoom
    unsafe self.target = unsafe target
    self.limit = limit
  }

  /// Copies `length` bytes of the source, starting at `start`.
  @inline(__always)
  mutating func append(from start: Int, length: Int) {
    precondition(start >= 0 && length >= 0 && start <= sourceCount &- length && length <= limit &- count)
    let piece = unsafe source + start
    let place = unsafe target + count
    if length <= Self.shortLength, start &+ Self.shortLength <= sourceRoom {
      unsafe place.storeBytes(of: piece.loadUnaligned(as: SIMD64<UInt8>.self), as: SIMD64<UInt8>.self)
    } else {
      unsafe place.copyMemory(from: piece, byteCount: length)
    }
    count &+= length
  }
}
