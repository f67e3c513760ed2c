import ArchiveFormat

extension ArchivedNode {
  /// Whether tools or hosts noted something about it.
  package var hasAttributes: Bool { node.record.flags & NodeRecord.hasAttributes != 0 }

  /// The node without its path.
  package var unplaced: UnplacedNode { UnplacedNode(node: node) }

  /// Whether there is something that tells a declarative provider what to make for it.
  package var hasProvider: Bool { node.record.flags & NodeRecord.hasProvider != 0 }

  /// What the archive that it is of says about itself.
  package var header: ArchiveHeader { archive.header }

  /// The same node under another path, which its children then have too.
  package func moved(to path: RestorationPath) -> ArchivedNode {
    ArchivedNode(archive: archive, node: node, path: path)
  }

  /// Provider, attributes and state, read at once.
  package func everything() throws(ArchiveError) -> (provider: ProviderReference?, attributes: ArchiveDictionary, state: ArchiveDictionary)
  {
    let contents = try self.contents()
    return (contents.provider, contents.attributes, contents.state)
  }
}

/// A node for those who need one rarely: it takes the place of one reference.
package final class BoxedNode: Sendable {
  let node: ArchivedNode

  /// Puts a node in.
  package init(_ node: ArchivedNode) {
    self.node = node
  }
}

extension ArchiveReader {
  /// The types that nodes have, by number from 1.
  package var nodeTypes: [(tag: String, schemaVersion: UInt32)] { records.metadata.allTypes.map { ($0.tag, $0.schemaVersion) } }

  /// A node at a path.
  package func node(_ node: UnplacedNode, at path: RestorationPath) -> ArchivedNode {
    ArchivedNode(archive: self, node: node.node, path: path)
  }
}

extension RestorationPath {
  /// The limits that ``appending(_:)`` wants kept.
  package static func canAppend(_ identifier: String, at depth: Int) -> Bool {
    FormatLimits.identifier.contains(identifier.utf8.count) && depth < FormatLimits.pathComponents
  }

  /// Makes a path of identifiers that have been validated.
  package init(validated components: [String]) {
    self.init(unchecked: components)
  }
}
