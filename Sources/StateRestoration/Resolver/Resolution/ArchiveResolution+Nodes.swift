extension ArchiveResolution {
  /// The nodes of an archive and what would become of them, parents first, siblings in saved order.
  ///
  /// Each is made when it is asked for, since there may be many whose paths are long.
  public struct Nodes: RandomAccessCollection, Sendable {
    private let basis: Basis

    init(_ basis: Basis) {
      self.basis = basis
    }

    /// The first place.
    public var startIndex: Int { 0 }
    /// The place behind the last one.
    public var endIndex: Int { basis.verdicts.count }

    /// What would become of a node.
    ///
    /// - Complexity: O(n) in the length of its path.
    public subscript(position: Int) -> Node {
      let verdict = basis.verdicts[position]
      let index = Int(verdict.entry)
      let tree = basis.tree
      return Node(
        path: tree.path(of: index), archivedPath: tree.archivedPaths[index], type: verdict.type < 0 ? nil : basis.types[Int(verdict.type)],
        outcome: verdict.outcome, rule: verdict.rule < 0 ? nil : basis.rules[Int(verdict.rule)], upgrade: tree.upgrades[index],
        error: tree.upgradeErrors[index].map { ErrorText.text(of: $0) })
    }
  }
}
