import ArchiveFormat

/// A node without its path, for those who keep all nodes of a tree and know how they lie.
package struct UnplacedNode: Sendable {
  let node: RecordReader.Node

  /// The number of its type among ``ArchiveReader/nodeTypes``; 0 without a type.
  package var typeNumber: Int { Int(node.record.type) }

  /// Whether tools or hosts noted something about it.
  package var hasAttributes: Bool { node.record.flags & NodeRecord.hasAttributes != 0 }

  /// Whether it was carried over.
  package var hasOrigin: Bool { node.record.origin != 0 }

  /// The number of nodes directly below it.
  package var childCount: Int { Int(node.record.childCount) }

  /// What is wrong with it if it has more children than there are records left; the path is not filled in.
  package func excessOfChildren(limit: Int) -> ArchiveError {
    ArchiveError(
      FormatError(
        .childRange, at: node.offset + NodeRecord.FieldOffset.childCount, "children", expected: .text("at most \(limit) not met yet"),
        found: .number(UInt64(childCount))))
  }

  /// Calls `body` with each of the nodes directly below it, and its identifier, in saved order, and `failure` with the error that hides one.
  ///
  /// Each record is read once, and those of all children are in memory at a time. The path, which is this node's, is not filled in in errors.
  package func visitChildren(
    in archive: ArchiveReader, _ body: (consuming UnplacedNode, consuming String) -> Void, failure: (ArchiveError) -> Void
  ) {
    guard let range = node.record.children(index: node.index, count: archive.records.recordCount) else { return }
    var children: [RecordReader.Node] = []
    children.reserveCapacity(range.count)
    var damage: [FormatError] = []
    var isInSavedOrder = true
    for index in range {
      do throws(FormatError) {
        let child = try archive.records.node(at: index)
        if let last = children.last, last.record.savedOrder > child.record.savedOrder { isInSavedOrder = false }
        children.append(child)
      } catch {
        damage.append(error)
      }
    }
    if !isInSavedOrder { children.sort { ($0.record.savedOrder, $0.index) < ($1.record.savedOrder, $1.index) } }
    for child in children {
      do throws(FormatError) {
        let child = try archive.records.confirmed(child, childOf: node)
        body(UnplacedNode(node: child), try archive.records.identifier(of: child))
      } catch {
        failure(ArchiveError(error))
      }
    }
    for error in damage { failure(ArchiveError(error)) }
  }
}
