extension Span where Element == UInt8 {
  /// Returns the offset of the first ill-formed UTF-8 sequence, or nil if there is none (Spec §7.3).
  ///
  /// The offset is the end of the longest well-formed prefix.
  ///
  /// - Complexity: O(n); eight ASCII bytes a step.
  package func firstIllFormedUTF8() -> Int? {
    WorkMeter.count(count)
    var ascii = 0
    while ascii &+ 8 <= count, uint64(at: ascii) & 0x8080_8080_8080_8080 == 0 { ascii &+= 8 }
    // One load for the rest: the last eight bytes, some of them checked again, or all bytes if there are fewer.
    if ascii &+ 8 > count {
      let rest = count >= 8 ? uint64(at: count &- 8) : sortingPrefix
      if rest & 0x8080_8080_8080_8080 == 0 { return nil }
    }
    var position = ascii
    while position < count {
      if position &+ 8 <= count, uint64(at: position) & 0x8080_8080_8080_8080 == 0 {
        position &+= 8
      } else {
        guard let end = endOfScalar(at: position) else { return position }
        position = end
      }
    }
    return nil
  }

  /// Returns the end of the UTF-8 sequence at `offset`, or nil if it is ill-formed (The Unicode Standard, table 3-7).
  @inline(__always)
  private func endOfScalar(at offset: Int) -> Int? {
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch self[offset] {
    case 0...0x7F: return offset &+ 1
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return nil
    }
    guard length <= count &- offset, second.contains(self[offset &+ 1]) else { return nil }
    if length > 2, self[offset &+ 2] & 0xC0 != 0x80 { return nil }
    if length > 3, self[offset &+ 3] & 0xC0 != 0x80 { return nil }
    return offset &+ length
  }

  /// Whether the bytes at `range` are all ASCII; sixteen bytes a step, the last of which overlaps the one before.
  @inline(__always)
  package func isASCII(at range: Range<Int>) -> Bool {
    WorkMeter.count(range.count)
    if range.count < 8 { return range.isEmpty || leastSignificantBytes(at: range) & 0x8080_8080_8080_8080 == 0 }
    let text = extracting(range)
    if text.count < 16 { return (text.uint64(at: 0) | text.uint64(at: text.count &- 8)) & 0x8080_8080_8080_8080 == 0 }
    var seen = text.uint128(at: text.count &- 16)
    var rest = text
    while rest.count > 16 {
      seen |= rest.uint128(at: 0)
      rest = rest.extracting(droppingFirst: 16)
    }
    return seen & 0x8080_8080_8080_8080_8080_8080_8080_8080 == 0
  }

  /// Returns the bytes as a string, or nil if they are not well-formed UTF-8.
  @inline(__always)
  package func makeString() -> String? {
    // Short ASCII is checked in fewer steps than a search takes.
    guard (count <= 64 && isASCII(at: 0..<count)) || firstIllFormedUTF8() == nil else { return nil }
    // A string of up to 15 bytes is stored inline: creating it in place is faster for those, and slower for longer
    // ones.
    if count <= 15 { return unsafe String(unsafeUninitializedCapacity: count) { unsafe copy(to: $0) } }
    return unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// Returns a copy of the bytes as an array.
  package func makeArray() -> [UInt8] {
    // All empty arrays share one instance. The initializer would write its count, 0, from many threads.
    isEmpty
      ? []
      : unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        initialized = unsafe copy(to: buffer)
      }
  }

  /// Whether this sequence of unsigned bytes sorts before `other`: the first differing byte decides, and a prefix sorts
  /// first (rule R-1.3-1).
  package func precedes(_ other: Span<UInt8>) -> Bool {
    compare(with: other) < 0
  }

  /// Compares two sequences of unsigned bytes.
  ///
  /// Returns a number less than, equal to or greater than 0 if this sequence sorts before, equals, or sorts after
  /// `other`.
  package func compare(with other: Span<UInt8>) -> Int {
    let shared = Swift.min(count, other.count)
    WorkMeter.count(shared)
    var position = 0
    while position &+ 8 <= shared {
      let mine = uint64(at: position).byteSwapped
      let theirs = other.uint64(at: position).byteSwapped
      if mine != theirs { return mine < theirs ? -1 : 1 }
      position &+= 8
    }
    while position < shared {
      if self[position] != other[position] { return self[position] < other[position] ? -1 : 1 }
      position &+= 1
    }
    return count == other.count ? 0 : (count < other.count ? -1 : 1)
  }

  /// Whether the two spans hold the same bytes.
  @inline(__always)
  package func isEqual(to other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    if count >= 8 {
      var (mine, theirs) = (self, other)
      while mine.count > 32, theirs.count > 32 {
        let first = (mine.uint128(at: 0) ^ theirs.uint128(at: 0)) | (mine.uint128(at: 16) ^ theirs.uint128(at: 16))
        if first != 0 { return false }
        mine = mine.extracting(droppingFirst: 32)
        theirs = theirs.extracting(droppingFirst: 32)
      }
      var position = 0
      while position &+ 8 < mine.count {
        if mine.uint64(at: position) != theirs.uint64(at: position) { return false }
        position &+= 8
      }
      return uint64(at: count &- 8) == other.uint64(at: count &- 8)
    }
    return sortingPrefix == other.sortingPrefix
  }

  /// The first eight bytes as a number with the same order; missing bytes count as zeros.
  @inline(__always)
  package var sortingPrefix: UInt64 {
    count >= 8 ? uint64(at: 0).byteSwapped : shortSortingPrefix
  }

  private var shortSortingPrefix: UInt64 {
    if count >= 4 {
      // Two loads that overlap; the shared bytes agree.
      let first = UInt64(uint32(at: 0).byteSwapped) &<< 32
      return first | UInt64(uint32(at: count &- 4).byteSwapped) &<< UInt64(truncatingIfNeeded: 8 &* (8 &- count))
    }
    if count == 0 { return 0 }
    var prefix = UInt64(self[0]) &<< 56
    if count > 1 { prefix |= UInt64(self[1]) &<< 48 }
    if count > 2 { prefix |= UInt64(self[2]) &<< 40 }
    return prefix
  }
}

extension String {
  /// Calls `body` with the UTF-8 bytes of the string, without a copy if they are contiguous, as those of every native
  /// string are.
  ///
  /// Inlinable because it is generic: other modules would otherwise run it unspecialized, at several times the cost.
  @inlinable @inline(__always)
  package func withUTF8Bytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    if let result = unsafe utf8.withContiguousStorageIfAvailable({ unsafe body(Span(_unsafeElements: $0)) }) { return result }
    return withCopiedUTF8Bytes(body)
  }

  /// Calls `body` with a copy of the UTF-8 bytes.
  @inlinable @inline(never)
  package func withCopiedUTF8Bytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(Array(utf8).span)
  }

  /// Whether the two strings have the same bytes; `==` also accepts canonically equivalent ones (rule R-1.3-1).
  package func isIdenticalText(to other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    return withUTF8Bytes { mine in
      other.withUTF8Bytes { theirs in mine.isEqual(to: theirs) }
    }
  }

  /// Whether the UTF-8 bytes of this string sort before those of `other` (rule R-1.3-1).
  package func precedesAsText(_ other: String) -> Bool {
    compareText(with: other) < 0
  }

  /// Compares the UTF-8 bytes of two strings.
  ///
  /// Returns a number less than, equal to or greater than 0 if this string sorts before, equals, or sorts after
  /// `other`.
  package func compareText(with other: String) -> Int {
    withUTF8Bytes { mine in
      other.withUTF8Bytes { theirs in mine.compare(with: theirs) }
    }
  }
}
