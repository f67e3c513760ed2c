import ArchiveFormat

extension NodeReader {
  /// Whether the node has attributes.
  package var hasAttributes: Bool { node.record.flags & NodeRecord.hasAttributes != 0 }

  /// The node without its path.
  package var unplaced: UnplacedNode { UnplacedNode(node: node) }

  /// Whether the node has a provider reference.
  package var hasProvider: Bool { node.record.flags & NodeRecord.hasProvider != 0 }

  /// The header of the node's archive.
  package var header: ArchiveHeader { archive.header }

  /// Returns the same node at another path; its children's paths follow.
  package func moved(to path: RestorationPath) -> NodeReader {
    NodeReader(archive: archive, node: node, place: LazyPath(path))
  }

  /// Reads the provider, attributes and state together.
  package func everything() throws(ArchiveError) -> (provider: ProviderReference?, attributes: ArchiveDictionary, state: ArchiveDictionary)
  {
    let contents = try self.contents()
    return (contents.provider, contents.attributes, contents.state)
  }
}

/// A node on the heap, for owners that rarely need one: the field takes the space of one reference.
package final class BoxedNode: Sendable {
  let node: NodeReader

  /// Boxes a node.
  package init(_ node: NodeReader) {
    self.node = node
  }
}

extension ArchiveReader {
  /// The types of nodes, numbered from 1.
  package var nodeTypes: [(tag: String, schemaVersion: Int)] { records.metadata.allTypes.map { ($0.tag, $0.version) } }

  /// Returns a node with its path added.
  package func node(_ node: UnplacedNode, at path: RestorationPath) -> NodeReader {
    NodeReader(archive: self, node: node.node, place: LazyPath(path))
  }
}

extension RestorationPath {
  /// Whether ``appending(_:)`` accepts `identifier` at this depth.
  package static func canAppend(_ identifier: String, at depth: Int) -> Bool {
    FormatLimits.identifier.contains(identifier.utf8.count) && depth < FormatLimits.pathComponents
  }

  /// Creates a path from validated identifiers.
  package init(validated components: [String]) {
    self.init(unchecked: components)
  }
}
