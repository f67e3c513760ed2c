/// The text of a coding key, whose words are looked at for each field.
///
/// It owns the string that a key has made, and gives it back only if that means something. A short text and a literal, as nearly all names
/// of fields are, have no memory of their own, and to give back nothing costs more than to compare the words.
@safe @frozen @usableFromInline
package struct KeyText: ~Copyable {
  #if _pointerBitWidth(_64)
    /// The words of the string, which belong to this.
    @usableFromInline package let words: StringWords

    /// Takes over a string.
    @inlinable @inline(__always)
    package init(_ text: String) {
      var words = StringWords()
      // Unprotected, because the words stay in registers: guarding the stack would take as long as the rest of a field.
      unsafe _withUnprotectedUnsafeMutablePointer(to: &words) {
        unsafe UnsafeMutableRawPointer($0).bindMemory(to: String.self, capacity: 1).initialize(to: text)
      }
      self.words = words
    }

    @inlinable @inline(__always)
    deinit {
      if words.haveMemory { Self.release(words) }
    }

    @usableFromInline @inline(never)
    static func release(_ words: StringWords) {
      var words = words
      _ = unsafe withUnsafeMutableBytes(of: &words) { unsafe $0.bindMemory(to: String.self).deinitialize() }
    }

    /// The string.
    package var string: String { unsafe unsafeBitCast(words, to: String.self) }
  #else
    /// The string.
    package let string: String

    /// Those of no string: on such systems a string is not two words.
    @inlinable
    package var words: StringWords { StringWords() }

    /// Takes over a string.
    @inlinable
    package init(_ text: String) { string = text }
  #endif
}
