import ArchiveFormat

extension ArchiveWriter {
  /// How many nodes were added.
  package var nodeCount: Int { assembler.count - 1 }

  /// Takes back the node that was added last, if nothing was encoded for it.
  ///
  /// - Returns: Whether it was taken back.
  @discardableResult
  package func removeIfLastAndEmpty(_ node: Node) -> Bool {
    guard assembler.isLastAndEmpty(number(of: node)) else { return false }
    assembler.removeLastNode()
    return true
  }
}
