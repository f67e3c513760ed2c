/// The two words that a string consists of: those of a short string are its text, those of a longer one say where its text lies and how long
/// it is.
///
/// Equal words mean equal texts as long as somebody holds the string that the first ones were taken of: its memory is not given away, and
/// whoever else changes a string that is held by two, changes a copy. The same text in another place has other words.
@frozen @usableFromInline
package struct StringWords: BitwiseCopyable {
  @usableFromInline var first: UInt64
  @usableFromInline var second: UInt64

  /// Whether strings are two words; on systems of 32 bits they are not.
  @inlinable
  package static var areKnown: Bool {
    @inline(__always) get { MemoryLayout<String>.size == MemoryLayout<StringWords>.size }
  }

  /// The words of no string: the second word of a string is never 0.
  @inlinable @inline(__always)
  package init() {
    first = 0
    second = 0
  }

  /// The words of a string, if ``areKnown``.
  @inlinable @inline(__always)
  package init(_ text: String) {
    precondition(Self.areKnown)
    self = unsafe unsafeBitCast(text, to: StringWords.self)
  }

  @inlinable @inline(__always)
  package static func == (left: StringWords, right: StringWords) -> Bool {
    left.first == right.first && left.second == right.second
  }

  /// Whether the text may lie in memory that is counted: a string says so by a bit of its second word. (If it ever says so of others too,
  /// that memory is given back too late, not too early.)
  @inlinable
  var haveMemory: Bool {
    @inline(__always) get { Int64(bitPattern: second) >= 0 }
  }

  /// Whether they are those of no string.
  var isEmpty: Bool { second == 0 }
}
