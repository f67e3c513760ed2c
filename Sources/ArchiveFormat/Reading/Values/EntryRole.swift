/// What the entries that are being read belong to; the rules of keys depend on it (Spec §6.2, §6.3).
@frozen @usableFromInline
package enum EntryRole: Sendable {
  /// State of a node or of the application.
  case state
  /// Attributes of a node, in an archive of minor version 0 (`strict`) or of a later one.
  case attributes(strict: Bool)
  /// A dictionary.
  case dictionary
}
