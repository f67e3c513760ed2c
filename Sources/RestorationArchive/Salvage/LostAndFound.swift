import ArchiveFormat

/// The node for salvaged nodes that cannot be put back in their place (Spec §7.6).
///
///     lost-and-found
///       record 17                  a node whose name is lost; it keeps its other known content
///         list                     a child of that node, with its own name and all its content
///       parent of record 30        a placeholder for an unknown parent
///         toolbar                  record 30
///
/// Only the names in the first level are invented.
enum LostAndFound {
  /// The identifier of the node, unless a root already has it.
  static let identifier = "lost-and-found"

  /// Returns the placeholder name of a node whose name is lost.
  static func name(ofRecord index: Int) -> String { "record \(index)" }

  /// Returns the placeholder name of the parent of a node whose place is lost.
  static func name(ofParentOf index: Int) -> String { "parent of record \(index)" }

  /// Returns an identifier different from those of all roots.
  static func identifier(besides roots: some Sequence<String>) -> String {
    let taken = Set(roots.filter { $0.hasPrefix(identifier) }.map { [UInt8]($0.utf8) })
    var number = 1
    var candidate = identifier
    while taken.contains([UInt8](candidate.utf8)) {
      number += 1
      candidate = "\(identifier) \(number)"
    }
    return candidate
  }
}
