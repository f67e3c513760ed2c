extension String {
  /// Calls `body` with the UTF-8 bytes of the string, without copying them where they are contiguous, which they are for every native
  /// string.
  ///
  /// It is generic, so it must be inlinable: other modules would otherwise run it unspecialized, at several times the cost.
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

  /// Whether the two strings are the same bytes; `==` would take canonically equivalent ones for the same (rule R-1.3-1).
  package func isIdenticalText(to other: String) -> Bool {
    compareText(with: other) == 0
  }

  /// Whether the UTF-8 bytes of this string come before those of the other one (rule R-1.3-1).
  package func precedesAsText(_ other: String) -> Bool {
    compareText(with: other) < 0
  }

  /// Less than, equal to or greater than 0 as the UTF-8 bytes of this string come before, are, or come after those of the other one.
  package func compareText(with other: String) -> Int {
    withUTF8Bytes { mine in
      other.withUTF8Bytes { theirs in mine.compare(with: theirs) }
    }
  }
}
