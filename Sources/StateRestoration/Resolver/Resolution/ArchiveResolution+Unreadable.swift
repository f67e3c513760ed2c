public import RestorationArchive

extension ArchiveResolution {
  /// What cannot be read, because the archive is damaged there.
  ///
  /// Each error is made when it is asked for, since there may be many whose paths are long.
  public struct Unreadable: RandomAccessCollection, Sendable {
    private let basis: Basis

    init(_ basis: Basis) {
      self.basis = basis
    }

    /// The first place.
    public var startIndex: Int { 0 }
    /// The place behind the last one.
    public var endIndex: Int { basis.tree.unreadable.count }

    /// Why a node cannot be read.
    ///
    /// - Complexity: O(n) in the length of its path.
    public subscript(position: Int) -> ArchiveError {
      basis.tree.error(of: basis.tree.unreadable[position])
    }
  }
}
