import ArchiveFormat

/// Reads all nodes of an archive into memory.
///
/// Equivalent to visiting each ``NodeReader``, but creates paths only for errors.
struct TreeReader {
  private let archive: ArchiveReader
  private let records: ArchiveRecords
  /// The types and origins of nodes, created once so that nodes share their strings.
  private let types: [TypeRecord]
  private let origins: [ArchiveOrigin]
  private var values: ValueReader
  /// The number of nodes read so far.
  private var readCount = 0
  /// How the link changes each node, if the archive is one.
  private var link: LinkTable?
  /// The identifiers from the root down to the current node.
  private var identifiers: [String] = []

  init(_ archive: ArchiveReader) {
    self.archive = archive
    records = archive.records
    types = records.metadata.allTypes
    origins = records.metadata.allOrigins.map { ArchiveOrigin($0) }
    values = ValueReader(
      keys: records.metadata.keys, isStrict: archive.isStrict, budget: ValueBudget(archive.limits), readsAll: true)
  }

  private var path: RestorationPath { RestorationPath(unchecked: identifiers) }

  /// Reads the application state and all nodes.
  mutating func read() throws(ArchiveError) -> (applicationState: ArchiveDictionary, nodes: [ArchiveNode]) {
    link = try archive.linkTable()
    let application = try archive.application().node
    let state = try contents(of: application).state
    let nodes = try nodes(below: application)
    guard readCount == records.recordCount - 1 else { throw ArchiveError(records.strayError) }
    return (state, nodes)
  }

  /// Whether the application state of a link is as before.
  var isApplicationUnchanged: Bool { link?.entries[0].change == .unchanged }

  /// Returns what a link says of a node.
  private func change(of node: ArchiveRecords.StoredNode) throws(FormatError) -> NodeChange {
    guard let entry = link?.entries[node.index] else { return NodeChange() }
    let kind: NodeChange.Kind =
      switch entry.change {
      case .contents: .contents
      case .unchanged: .unchanged
      case .removed: .removed
      }
    guard entry.hasPlace else { return NodeChange(kind) }
    if entry.after == 0 { return NodeChange(kind, place: .first) }
    // Siblings of a link are in the order of their records.
    let sibling = node.index - Int(node.record.savedOrder) + Int(entry.after) - 1
    return NodeChange(kind, place: .after(try records.identifier(of: records.node(at: sibling))))
  }

  /// Reads the children of a node, in saved order.
  ///
  /// Recursion is bounded by the depth of a path.
  private mutating func nodes(below parent: ArchiveRecords.StoredNode) throws(ArchiveError) -> [ArchiveNode] {
    guard parent.record.childCount > 0 else { return [] }
    guard identifiers.count < FormatLimits.pathComponents else { throw ArchiveError(parent.depthError, path: path) }
    // Damage in a child is reported after its intact siblings have been read.
    var damage: FormatError?
    let children = records.children(of: parent) { damage = damage ?? $0 }
    var nodes: [ArchiveNode] = []
    nodes.reserveCapacity(children.count)
    for child in children { try readNode(child, into: &nodes) }
    if let damage { throw ArchiveError(damage, path: path) }
    return nodes
  }

  /// Reads a node and its descendants, and appends the node to its siblings.
  private mutating func readNode(_ record: ArchiveRecords.StoredNode, into nodes: inout [ArchiveNode]) throws(ArchiveError) {
    let identifier: String
    do throws(FormatError) {
      identifier = try records.identifier(of: record)
    } catch {
      throw ArchiveError(error, path: path)
    }
    identifiers.append(identifier)
    defer { identifiers.removeLast() }
    do throws(FormatError) {
      try values.spend()
    } catch {
      throw ArchiveError(error, path: path)
    }
    let contents = try contents(of: record)
    readCount += 1
    let type = record.record.type == 0 ? nil : types[Int(record.record.type) - 1]
    let origin = record.record.origin == 0 ? nil : origins[Int(record.record.origin) - 1]
    let children = try self.nodes(below: record)
    var node = ArchiveNode(
      identifier: identifier, type: type?.tag, schemaVersion: type?.version ?? 0, origin: origin, provider: contents.provider,
      attributes: contents.attributes, state: contents.state, children: children)
    if link != nil {
      do throws(FormatError) {
        node.change = try change(of: record)
      } catch {
        throw ArchiveError(error, path: path)
      }
    }
    nodes.append(node)
  }

  private mutating func contents(of node: ArchiveRecords.StoredNode) throws(ArchiveError) -> StateContents {
    do throws(FormatError) {
      let record = try records.state(of: node)
      return try values.readContents(of: record, flags: node.record.flags)
    } catch {
      throw ArchiveError(error, path: path, key: values.outermostKey)
    }
  }
}
