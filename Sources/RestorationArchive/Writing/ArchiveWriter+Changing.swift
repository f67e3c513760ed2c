import ArchiveFormat

extension ArchiveWriter {
  /// The number of nodes added.
  package var nodeCount: Int { assembler.count - 1 }

  /// Removes the most recently added node if nothing has been encoded for it.
  ///
  /// - Returns: Whether the node was removed.
  @discardableResult
  package func removeIfLastAndEmpty(_ node: Node) -> Bool {
    guard assembler.isLastAndEmpty(number(of: node)) else { return false }
    assembler.removeLastNode()
    return true
  }

  /// Changes the saved order of a node's children, which is otherwise the order in which they were added.
  ///
  /// - Parameter children: All children of the node, in the new order.
  /// - Returns: Whether `children` are all children of one node; otherwise nothing changes.
  @discardableResult
  package func reorder(_ children: [Node]) -> Bool {
    assembler.reorder(children.map { number(of: $0) })
  }

  /// Sets or removes a value in the header of the archive being written.
  package func setHeader(_ value: ArchiveValue?, forKey key: String) {
    header.additional[key] = value
  }
}
