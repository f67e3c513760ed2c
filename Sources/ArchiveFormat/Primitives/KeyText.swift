/// The text of a coding key, compared by its words for each field.
///
/// Owns the string that a key returned, and releases it only if it has memory of its own. Short texts and literals,
/// which include nearly all field names, have none, and a release without effect costs more than the comparison of the
/// words.
@safe @frozen @usableFromInline
package struct KeyText: ~Copyable {
  #if _pointerBitWidth(_64)
    /// The words of the string, which this value owns.
    @usableFromInline package let words: StringWords

    /// Takes ownership of a string.
    @inlinable @inline(__always)
    package init(_ text: String) {
      var words = StringWords()
      // Unprotected, so that the words stay in registers: the stack guard would take as long as the rest of a field.
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

    /// Always empty: on 32-bit systems a string is not two words.
    @inlinable
    package var words: StringWords { StringWords() }

    /// Takes ownership of a string.
    @inlinable
    package init(_ text: String) { string = text }
  #endif
}
