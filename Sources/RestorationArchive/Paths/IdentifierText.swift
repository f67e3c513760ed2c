import ArchiveFormat

extension String {
  /// Returns whether both strings have the same bytes, as identifiers are compared; `==` also accepts canonically
  /// equivalent ones.
  package func isSameText(as other: String) -> Bool { isIdenticalText(to: other) }

  /// A cheap hash of the length and the first bytes; it decides most comparisons.
  package var fingerprint: UInt64 {
    withUTF8Bytes { $0.sortingPrefix &+ UInt64(truncatingIfNeeded: $0.count) &* 0x9E37_79B9_7F4A_7C15 }
  }
}
