import RestorationArchive

/// An object to save and its position in the tree.
struct LiveNode {
  /// The object; nil for a placeholder that only holds descendants.
  var object: (any Restorable)?
  let identifier: String
  /// The number of the parent; -1 for the top level.
  let parent: Int
  let depth: Int
  /// Whether the object is in the `restorationChildren` of its parent or among the roots, which define the sibling
  /// order.
  var isListed = true
  /// The node written to the archive, if any.
  var written: ArchiveWriter.Node?
  /// Whether an empty node must be written too, because it is the target of a reference or preserves previous state.
  var isNeeded = false
  /// Whether the node could not be written; its descendants cannot be written either.
  var isRefused = false
  /// Whether the saved state of a quarantined node is carried over in place of the object.
  var isReplaced = false
  /// Whether the node has a type; it is then written even if it is empty.
  var hasTag = false
}
