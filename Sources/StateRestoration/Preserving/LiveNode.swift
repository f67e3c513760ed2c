import RestorationArchive

/// An object that is being saved, at its place in the tree.
struct LiveNode {
  /// The object; nil for a place that only keeps what lies below it.
  var object: (any Restorable)?
  let identifier: String
  /// The number of its parent; -1 for the topmost level.
  let parent: Int
  let depth: Int
  /// Whether it is among the `restorationChildren` of its parent, or among the roots, which say in which order it comes.
  var isListed = true
  /// Its node in the archive, while it has one.
  var written: ArchiveWriter.Node?
  /// Whether it has a node even if there is nothing in it: a reference leads to it, or what it had before was kept.
  var isNeeded = false
  /// Whether it could not be written, so that nothing below it can be either.
  var isRefused = false
  /// Whether what was saved is carried over in its place, because its node is quarantined.
  var isReplaced = false
  /// Whether its node has a type, so that it stays even if there is nothing in it.
  var hasTag = false
}
