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

  /// Gives all children of one node another saved order than that in which they were added.
  ///
  /// - Parameter children: Every child of the node, in the order wanted.
  /// - Returns: Whether these are the children of one node; nothing changes otherwise.
  @discardableResult
  package func reorder(_ children: [Node]) -> Bool {
    assembler.reorder(children.map { number(of: $0) })
  }

  /// Puts a value into the header of the archive that is being written, or removes it.
  package func setHeader(_ value: ArchiveValue?, forKey key: String) {
    header.additional[key] = value
  }
}
