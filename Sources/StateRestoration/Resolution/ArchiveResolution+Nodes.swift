extension ArchiveResolution {
  /// The resolution of each node in an archive, parents first, siblings in saved order.
  ///
  /// Elements are computed on access, because there may be many with long paths.
  public struct Nodes: RandomAccessCollection, Sendable {
    private let basis: Basis

    init(_ basis: Basis) {
      self.basis = basis
    }

    /// The first position.
    public var startIndex: Int { 0 }
    /// The position after the last element.
    public var endIndex: Int { basis.verdicts.count }

    /// The resolution of a node.
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
