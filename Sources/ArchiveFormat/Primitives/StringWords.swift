/// Relies on the private layout of `String`: the two words of a string, which are the text itself if it is short,
/// otherwise its address and length.
///
/// `StringWordsTests` fails if a toolchain changes that layout. All functions that depend on it are here.
///
/// Equal words mean equal texts while the string that the first words came from is retained: its memory is not
/// deallocated, and a mutation of a shared string changes a copy. The same text at another address has different words.
@frozen @usableFromInline
package struct StringWords: BitwiseCopyable {
  @usableFromInline var first: UInt64
  @usableFromInline var second: UInt64

  /// Whether a string is two words, which is false on 32-bit systems.
  @inlinable
  package static var areKnown: Bool {
    @inline(__always) get { MemoryLayout<String>.size == MemoryLayout<StringWords>.size }
  }

  /// Creates the words of no string: the second word of a string is never 0.
  @inlinable @inline(__always)
  package init() {
    first = 0
    second = 0
  }

  /// Creates the words of a string; ``areKnown`` must be true.
  @inlinable @inline(__always)
  package init(_ text: String) {
    precondition(Self.areKnown)
    self = unsafe unsafeBitCast(text, to: StringWords.self)
  }

  @inlinable @inline(__always)
  package static func == (left: StringWords, right: StringWords) -> Bool {
    left.first == right.first && left.second == right.second
  }

  /// A number from 0 to 255, mixed from all bits.
  @inlinable
  var hash: Int {
    @inline(__always) get { Int(truncatingIfNeeded: ((first ^ (second &<< 1)) &* 0x9E37_79B9_7F4A_7C15) &>> 56) }
  }

  /// Whether the text may lie in reference-counted memory, according to a bit of the second word.
  ///
  /// (If that bit ever covers other strings too, their memory is released too late, not too early.)
  @inlinable
  var haveMemory: Bool {
    @inline(__always) get { Int64(bitPattern: second) >= 0 }
  }

  /// Whether these are the words of no string.
  var isEmpty: Bool { second == 0 }
}
