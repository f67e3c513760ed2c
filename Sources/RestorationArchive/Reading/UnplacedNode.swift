import ArchiveFormat

/// A node without its path, for callers that keep the whole tree and know each node's position.
package struct UnplacedNode: Sendable {
  let node: ArchiveRecords.StoredNode

  /// The node's index in ``ArchiveReader/nodeTypes``, from 1; 0 without a type.
  package var typeNumber: Int { Int(node.record.type) }

  /// Whether the node has attributes.
  package var hasAttributes: Bool { node.record.flags & NodeRecord.hasAttributes != 0 }

  /// Whether the node was carried over.
  package var hasOrigin: Bool { node.record.origin != 0 }

  /// The number of child nodes.
  package var childCount: Int { Int(node.record.childCount) }

  /// Returns the error for a node with more children than records are left; its path is not set.
  package func excessOfChildren(limit: Int) -> ArchiveError {
    ArchiveError(
      FormatError(
        .childRange, at: node.offset + NodeRecord.FieldOffset.childCount, "children", expected: .text("at most \(limit) not met yet"),
        found: .number(UInt64(childCount))))
  }

  /// Calls `body` with each child and its identifier in saved order, and `failure` with each error that hides a child.
  ///
  /// Each record is read once, and the records of all children are in memory together. Errors omit the path, which is
  /// this node's.
  package func visitChildren(
    in archive: ArchiveReader, _ body: (consuming UnplacedNode, consuming String) -> Void, failure: (ArchiveError) -> Void
  ) {
    var damage: [FormatError] = []
    for child in archive.records.children(of: node, failure: { damage.append($0) }) {
      do throws(FormatError) {
        let identifier = try archive.records.identifier(of: child)
        body(UnplacedNode(node: child), identifier)
      } catch {
        failure(ArchiveError(error))
      }
    }
    for error in damage { failure(ArchiveError(error)) }
  }
}
