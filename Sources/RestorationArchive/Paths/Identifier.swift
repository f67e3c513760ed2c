import ArchiveFormat

extension RestorationPath {
  /// Whether text can be a restoration identifier: it has 1 to 1,024 bytes (Spec §3.1, rule R-3.1-1).
  ///
  /// A type tag has the same bounds.
  package static func isIdentifier(_ text: String) -> Bool { FormatLimits.identifier.contains(text.utf8.count) }

  /// Whether ``appending(_:)`` accepts `identifier` at this depth.
  package static func canAppend(_ identifier: String, at depth: Int) -> Bool {
    isIdentifier(identifier) && depth < FormatLimits.pathComponents
  }
}
