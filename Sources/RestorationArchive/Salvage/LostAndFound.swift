import ArchiveFormat

/// The node under which salvage puts what it cannot put back (Spec §7.6).
///
///     lost-and-found
///       record 17                  stands for a node whose name is lost; whatever else of it is known, it has
///         list                     a child of that, with its own name and everything else
///       parent of record 30        stands for a parent that is not known
///         toolbar                  record 30
///
/// The names in the first level are made up, everything else is as it was.
enum LostAndFound {
  /// Its identifier, unless a root has that already.
  static let identifier = "lost-and-found"

  /// What stands for a node whose name is lost.
  static func name(ofRecord index: Int) -> String { "record \(index)" }

  /// What stands for the parent of a node whose place is lost.
  static func name(ofParentOf index: Int) -> String { "parent of record \(index)" }

  /// An identifier that none of the roots has.
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
