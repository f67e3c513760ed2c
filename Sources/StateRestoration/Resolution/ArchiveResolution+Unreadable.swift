public import RestorationArchive

extension ArchiveResolution {
  /// The unreadable nodes of a damaged archive.
  ///
  /// Errors are computed on access, because there may be many with long paths.
  public struct Unreadable: RandomAccessCollection, Sendable {
    private let basis: Basis

    init(_ basis: Basis) {
      self.basis = basis
    }

    /// The first position.
    public var startIndex: Int { 0 }
    /// The position after the last element.
    public var endIndex: Int { basis.tree.unreadable.count }

    /// The error of an unreadable node.
    ///
    /// - Complexity: O(n) in the length of its path.
    public subscript(position: Int) -> ArchiveError {
      basis.tree.error(of: basis.tree.unreadable[position])
    }
  }
}
