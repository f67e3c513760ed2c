extension Span where Element == UInt8 {
  /// The place of the first ill-formed UTF-8 sequence, or nil if there is none: the end of the longest well-formed beginning (Spec §7.3).
  ///
  /// - Complexity: O(n); eight ASCII bytes a step.
  package func firstIllFormedUTF8() -> Int? {
    WorkMeter.count(count)
    var ascii = 0
    while ascii &+ 8 <= count, uint64(at: ascii) & 0x8080_8080_8080_8080 == 0 { ascii &+= 8 }
    // What is left in one look: the last eight bytes, some of them for a second time, or all there are.
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

  /// The end of the UTF-8 sequence of a scalar that begins at `offset`; nil if it is ill-formed (The Unicode Standard, table 3-7).
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

  /// Whether the bytes at `range` are all ASCII; sixteen of them a step.
  ///
  /// A text of up to 64 bytes is looked at in two or four looks, some of which see bytes again: nobody can foresee how long a text is, and a
  /// processor that takes a wrong guess at the end of a loop loses more than a look costs.
  @inline(__always)
  package func isASCII(at range: Range<Int>) -> Bool {
    WorkMeter.count(range.count)
    if range.count < 8 { return range.isEmpty || leastSignificantBytes(at: range) & 0x8080_8080_8080_8080 == 0 }
    let text = extracting(range)
    if text.count < 16 { return (text.uint64(at: 0) | text.uint64(at: text.count &- 8)) & 0x8080_8080_8080_8080 == 0 }
    let last = text.count &- 16
    var seen = text.uint128(at: 0) | text.uint128(at: last)
    if last > 16 {
      seen |= text.uint128(at: 16) | text.uint128(at: Swift.min(32, last))
      if last > 48 {
        var rest = text.extracting(droppingFirst: 48)
        while rest.count > 16 {
          seen |= rest.uint128(at: 0)
          rest = rest.extracting(droppingFirst: 16)
        }
      }
    }
    return seen & 0x8080_8080_8080_8080_8080_8080_8080_8080 == 0
  }

  /// The bytes as a string, or nil if they are not well-formed UTF-8.
  @inline(__always)
  package func makeString() -> String? {
    // Short ASCII is looked through in fewer steps than a search takes.
    guard (count <= 64 && isASCII(at: 0..<count)) || firstIllFormedUTF8() == nil else { return nil }
    // A string of up to 15 bytes needs no memory of its own: building it in place is faster for those, and slower for longer ones.
    if count <= 15 { return unsafe String(unsafeUninitializedCapacity: count) { unsafe copy(to: $0) } }
    return unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// The bytes as an array of their own.
  package func makeArray() -> [UInt8] {
    // All empty arrays are one, in which an initializer would write from many threads that there is nothing in it.
    isEmpty
      ? []
      : unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        initialized = unsafe copy(to: buffer)
      }
  }

  /// Whether this sequence of unsigned bytes comes before the other one: the first differing byte decides, a prefix comes first
  /// (rule R-1.3-1).
  package func precedes(_ other: Span<UInt8>) -> Bool {
    compare(with: other) < 0
  }

  /// Less than, equal to or greater than 0 as this sequence of unsigned bytes comes before, is, or comes after the other one.
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

  /// The first eight bytes as a number that sorts as they do; zeros stand for bytes that are not there.
  @inline(__always)
  package var sortingPrefix: UInt64 {
    count >= 8 ? uint64(at: 0).byteSwapped : shortSortingPrefix
  }

  /// The first eight of `count` bytes at `offset` in the same way, where eight can be loaded whether they belong to those or not.
  @inline(__always)
  func sortingPrefix(at offset: Int, count: Int) -> UInt64 {
    let bytes = uint64(at: offset).byteSwapped
    // Beyond eight bytes the shift leaves nothing.
    return bytes & ~(UInt64.max >> UInt64(8 * count))
  }

  private var shortSortingPrefix: UInt64 {
    if count >= 4 {
      // Two loads that overlap; where they do, both have the same bytes.
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
