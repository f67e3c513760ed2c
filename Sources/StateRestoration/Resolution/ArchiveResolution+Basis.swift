extension ArchiveResolution {
  /// The resolution of one entry in a few bytes; a path alone can take a quarter of a megabyte.
  struct Verdict: Sendable {
    /// The entry of the tree.
    let entry: Int32
    /// The position of the type in the list of tags; -1 without a type.
    let type: Int32
    /// The number of the factory that would create the object; -1 if there is none.
    let rule: Int32
    let outcome: RestorationOutcome
  }

  /// The data from which nodes and errors are computed.
  final class Basis: Sendable {
    let tree: SavedTree
    let verdicts: [Verdict]
    let types: [String]
    let rules: [ResolutionRule]

    init(tree: SavedTree, verdicts: [Verdict], types: [String], rules: [ResolutionRule]) {
      self.tree = tree
      self.verdicts = verdicts
      self.types = types
      self.rules = rules
    }
  }
}
