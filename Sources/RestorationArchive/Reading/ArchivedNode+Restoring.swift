import ArchiveFormat

extension ArchivedNode {
  /// Whether tools or hosts noted something about it.
  package var hasAttributes: Bool { node.record.flags & NodeRecord.hasAttributes != 0 }

  /// The number of its type among ``ArchiveReader/nodeTypes``; 0 without a type.
  package var typeNumber: Int { Int(node.record.type) }

  /// Whether it was carried over.
  package var hasOrigin: Bool { node.record.origin != 0 }

  /// Calls `body` with each of the nodes directly below it in saved order, and `failure` with the error that hides one.
  package func visitChildren(_ body: (consuming ArchivedNode) -> Void, failure: (ArchiveError) -> Void) {
    // Not generic, so that it is specialized here.
    visitChildren { child in
      switch child {
      case .success(let child): body(child)
      case .failure(let error): failure(error)
      }
    }
  }

  /// Whether there is something that tells a declarative provider what to make for it.
  package var hasProvider: Bool { node.record.flags & NodeRecord.hasProvider != 0 }

  /// What the archive that it is of says about itself.
  package var header: ArchiveHeader { archive.header }

  /// What is wrong with a node that has more children than there are records left.
  package func excessOfChildren(limit: Int) -> ArchiveError {
    ArchiveError(
      FormatError(
        .childRange, at: node.offset + NodeRecord.FieldOffset.childCount, "children", expected: .text("at most \(limit) not met yet"),
        found: .number(UInt64(childCount))), path: path)
  }

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

extension ArchiveReader {
  /// The types that nodes have, by number from 1.
  package var nodeTypes: [(tag: String, schemaVersion: UInt32)] { records.metadata.types.map { ($0.tag, $0.schemaVersion) } }
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
