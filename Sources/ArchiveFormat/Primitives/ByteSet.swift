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
