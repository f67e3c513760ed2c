import ArchiveFormat
import RestorationArchive

extension String {
  /// The text in quotation marks, escaped for display.
  var quotedForDisplay: String { "\"\(escapedForDisplay)\"" }

  /// Returns whether both strings have the same bytes; `==` also accepts canonically equivalent ones.
  func isSameText(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    return withUTF8Bytes { mine in
      other.withUTF8Bytes { theirs in mine.isEqual(to: theirs) }
    }
  }

  /// A cheap hash of the length and the first bytes; it decides most comparisons.
  var fingerprint: UInt64 {
    withUTF8Bytes { $0.sortingPrefix &+ UInt64(truncatingIfNeeded: $0.count) &* 0x9E37_79B9_7F4A_7C15 }
  }
}

extension RestorationPath {
  /// The text form, escaped for display; the empty path as `(application)`.
  var textForDisplay: String { isEmpty ? "(application)" : description.escapedForDisplay }
}
