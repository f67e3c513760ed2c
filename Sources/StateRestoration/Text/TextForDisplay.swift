import ArchiveFormat
import RestorationArchive

extension String {
  /// The text in quotation marks, safe to print.
  var quotedForDisplay: String { "\"\(escapedForDisplay)\"" }

  /// Whether both are the same bytes; `==` would take canonically equivalent ones for the same.
  func isSameText(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    return withUTF8Bytes { mine in
      other.withUTF8Bytes { theirs in mine.isEqual(to: theirs) }
    }
  }

  /// A number that texts of other lengths or with other first bytes do not share: most comparisons end with it.
  var fingerprint: UInt64 {
    withUTF8Bytes { $0.sortingPrefix &+ UInt64(truncatingIfNeeded: $0.count) &* 0x9E37_79B9_7F4A_7C15 }
  }
}

extension RestorationPath {
  /// The text form, safe to print; the empty path in words.
  var textForDisplay: String { isEmpty ? "(application)" : description.escapedForDisplay }
}
