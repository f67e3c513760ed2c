import ArchiveFormat

// `==`, `<`, `switch`, `hasPrefix` and hashing of strings normalize. The standard library sorts each run of combining
// marks by insertion: comparing a hostile text of 128 KB with "NaN" takes 14 seconds. Texts from files are therefore
// compared by their bytes (rules R-1.3-1, R-11-1), or have been checked here.

extension String {
  /// Returns whether both strings have the same bytes, as identifiers are compared; `==` also accepts canonically
  /// equivalent ones.
  package func isSameText(as other: String) -> Bool { isIdenticalText(to: other) }

  /// Returns whether the bytes of the string begin with those of another one.
  package func beginsWith(_ prefix: StaticString) -> Bool {
    unsafe utf8.starts(with: UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount))
  }

  /// The text, or an empty one if it cannot be one of this package's names, which are short and ASCII.
  ///
  /// For `switch`, dictionaries and `init(rawValue:)`.
  package var asKnownName: String { utf8.count <= 64 && utf8.allSatisfy { $0 < 0x80 } ? self : "" }

  /// The number of combining marks in a row up to which normalization costs little: up to 1 µs a byte.
  ///
  /// The Stream-Safe Text Format (UAX #15) has 30, but names that people choose may have more.
  package static let maximumMarks = 256

  /// Whether the text has a longer run of combining marks than ``maximumMarks``.
  package var hasExcessiveMarks: Bool {
    // A mark has at least two bytes.
    guard utf8.count > 2 * Self.maximumMarks else { return false }
    var run = 0
    for scalar in unicodeScalars {
      run = scalar.isReordered ? run + 1 : 0
      if run > Self.maximumMarks { return true }
    }
    return false
  }

  /// A cheap hash of the length and the first bytes; it decides most comparisons.
  package var fingerprint: UInt64 {
    withUTF8Bytes { $0.sortingPrefix &+ UInt64(truncatingIfNeeded: $0.count) &* 0x9E37_79B9_7F4A_7C15 }
  }
}

extension Unicode.Scalar {
  /// Whether normalization may move the scalar.
  fileprivate var isReordered: Bool {
    // No scalar below the combining diacritical marks.
    if value < 0x300 { return false }
    // Three vowel signs decompose to marks without being marks (section 4 of CompositionExclusions.txt, a closed list).
    return properties.canonicalCombiningClass != .notReordered || value == 0x0F73 || value == 0x0F75 || value == 0x0F81
  }
}

/// A text as a dictionary key, compared byte by byte as in archives: an identifier, a type, the name of a provider, a key.
package struct TextKey: Sendable, Hashable {
  package let text: String

  /// Creates a key.
  package init(_ text: String) { self.text = text }

  package static func == (left: TextKey, right: TextKey) -> Bool { left.text.isIdenticalText(to: right.text) }

  package func hash(into hasher: inout Hasher) {
    text.withUTF8Bytes { bytes in unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) } }
  }
}
