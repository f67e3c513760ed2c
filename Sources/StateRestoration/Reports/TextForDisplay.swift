import RestorationArchive

extension String {
  /// The text in quotation marks, safe to print.
  var quotedForDisplay: String { "\"\(escapedForDisplay)\"" }

  /// Whether both are the same bytes; `==` would take canonically equivalent ones for the same.
  @inline(__always)
  func isSameText(as other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }
}

extension RestorationPath {
  /// The text form, safe to print; the empty path in words.
  var textForDisplay: String { isEmpty ? "(application)" : description.escapedForDisplay }
}
