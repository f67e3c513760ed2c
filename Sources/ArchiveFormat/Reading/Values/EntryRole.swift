/// The owner of a sequence of entries, which decides the rules for keys (Spec §6.2, §6.3).
@frozen @usableFromInline
package enum EntryRole: Sendable {
  /// The state of a node or of the application.
  case state
  /// The attributes of a node, in an archive of minor version 0 (`strict`) or of a later one.
  case attributes(strict: Bool)
  /// A dictionary.
  case dictionary
}
