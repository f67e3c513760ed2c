// The only multi-byte loads in this module. Each checks its bounds. They are unsafe because the caller chooses the
// type; here it is always an integer, for which every bit pattern is valid.

extension Span where Element == UInt8 {
  /// Returns the little-endian integer at `offset`.
  ///
  /// Traps if it does not lie within the span: callers check the bounds before they read.
  @inlinable @inline(__always)
  package func uint16(at offset: Int) -> UInt16 {
    unsafe UInt16(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  /// Returns the little-endian integer at `offset`.
  ///
  /// Traps if it does not lie within the span: callers check the bounds before they read.
  @inlinable @inline(__always)
  package func uint32(at offset: Int) -> UInt32 {
    unsafe UInt32(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// Returns the little-endian integer at `offset`.
  ///
  /// Traps if it does not lie within the span: callers check the bounds before they read.
  @inlinable @inline(__always)
  package func uint64(at offset: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Returns the little-endian integer at `offset`.
  ///
  /// Traps if it does not lie within the span: callers check the bounds before they read.
  @inlinable @inline(__always)
  package func uint128(at offset: Int) -> UInt128 {
    unsafe UInt128(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt128.self))
  }

  /// Copies the span to the start of an uninitialized buffer and returns its length; used to create arrays and strings.
  @inline(__always)
  package func copy(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    unsafe withUnsafeBufferPointer { unsafe buffer.initialize(from: $0).1 }
  }

  /// Returns the index of the first byte in `range` that is not 0, or nil if all are 0.
  func firstNonZero(in range: Range<Int>) -> Int? {
    var rest = extracting(range)
    while rest.count >= 16, rest.uint128(at: 0) == 0 { rest = rest.extracting(droppingFirst: 16) }
    for index in 0..<rest.count where rest[index] != 0 { return range.upperBound - rest.count + index }
    return nil
  }
}

extension Span where Element == UInt8 {
  /// Returns the integer stored in the 1 to 8 little-endian bytes at `range`.
  @inlinable @inline(__always)
  package func leastSignificantBytes(at range: Range<Int>) -> UInt64 {
    let shift = UInt64(truncatingIfNeeded: 64 &- 8 &* range.count)
    // One load serves all sizes if seven more bytes can be read after or before.
    if range.lowerBound &+ 8 <= count { return (uint64(at: range.lowerBound) &<< shift) &>> shift }
    if range.upperBound >= 8 { return uint64(at: range.upperBound &- 8) &>> shift }
    var value: UInt64 = 0
    for index in range.reversed() { value = value &<< 8 | UInt64(self[index]) }
    return value
  }
}

extension Array where Element: BitwiseCopyable {
  /// The elements as a span.
  ///
  /// Replaces the standard library's property of the same name, which needs macOS 26. `ContiguousArray.span` is
  /// available since macOS 10.14.4, and a contiguous array of plain elements shares the memory of the array it is
  /// created from. Delete this extension once the deployment floor is macOS 26.
  @inlinable
  package var span: Span<Element> {
    @_lifetime(borrow self) @inline(__always)
    get { unsafe _overrideLifetime(ContiguousArray(self).span, borrowing: self) }
  }
}

// Changing the bytes of an array where they are. Each function checks its bounds.

extension [UInt8] {
  /// Moves the bytes in `range` to begin at `start`; the two places may overlap.
  mutating func move(_ range: Range<Int>, to start: Int) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count && start >= 0 && start <= count - range.count)
    unsafe withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      unsafe (base + start).copyMemory(from: base + range.lowerBound, byteCount: range.count)
    }
  }

  /// Replaces the bytes from `start` on.
  mutating func write(_ new: Span<UInt8>, at start: Int) {
    precondition(start >= 0 && start <= count - new.count)
    unsafe withUnsafeMutableBytes { bytes in
      unsafe new.withUnsafeBytes { new in
        guard let base = bytes.baseAddress, let source = new.baseAddress else { return }
        unsafe (base + start).copyMemory(from: source, byteCount: new.count)
      }
    }
  }

  /// Replaces four bytes by an integer in little-endian order.
  @inline(__always)
  mutating func write(_ value: UInt32, at start: Int) {
    precondition(start >= 0 && start <= count - 4)
    unsafe withUnsafeMutableBytes { unsafe $0.storeBytes(of: value.littleEndian, toByteOffset: start, as: UInt32.self) }
  }
}
