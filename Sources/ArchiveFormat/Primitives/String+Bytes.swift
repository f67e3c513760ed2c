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
