import RestorationArchive

/// The difference between two states of an application, as values: what one link holds.
struct ChangedState: Sendable {
  /// The header of the later state.
  var header: ArchiveHeader
  /// Whether the content of the header differs too; its time always may.
  var isHeaderChanged = false
  /// The application state; nil if it has not changed.
  var application: ArchiveDictionary?
  /// The nodes whose contents are new, without their children.
  var nodes: [RestorationPath: ArchiveNode] = [:]
  /// The nodes whose children have changed.
  var orders: [RestorationPath: ChildOrder] = [:]

  /// Whether the content is the same.
  var isEmpty: Bool { !isHeaderChanged && application == nil && nodes.isEmpty && orders.isEmpty }

  /// Adds a later difference.
  mutating func add(_ later: ChangedState) {
    header = later.header
    isHeaderChanged = isHeaderChanged || later.isHeaderChanged
    application = later.application ?? application
    nodes.merge(later.nodes) { $1 }
    orders.merge(later.orders) { ChildOrder(before: $0.before, after: $1.after) }
  }

  /// Encodes the difference as a link.
  ///
  /// - Throws: The errors of the writer.
  func link() throws(ArchiveError) -> EncodedLink {
    var builder = try LinkBuilder(self)
    return try builder.build()
  }
}

/// Writes a difference as the nodes of a link.
private struct LinkBuilder {
  private let state: ChangedState
  private let writer = ArchiveWriter()
  private var written: [RestorationPath: ArchiveWriter.Node] = [:]
  /// The children afterwards, of each node whose children have changed.
  private var children: [RestorationPath: Set<IdentifierKey>?]

  init(_ state: ChangedState) throws(ArchiveError) {
    self.state = state
    children = state.orders.mapValues { order in order.after.map { Set($0.map { IdentifierKey($0) }) } }
    try writer.resetForLink(header: state.header)
  }

  mutating func build() throws(ArchiveError) -> EncodedLink {
    if let application = state.application {
      if application.isEmpty { writer.encodeEmptyApplicationState() }
      try writer.encode(application, of: nil)
    }
    // Parents first. Sorted, because equal differences give equal bytes.
    for path in state.nodes.keys.sorted(by: { ($0.count, $0) < ($1.count, $1) }) where isPresent(path) {
      guard let node = state.nodes[path], let parent = path.parent else { continue }
      let added = try writer.addNode(
        node.identifier, under: self.node(at: parent), type: node.type, schemaVersion: node.schemaVersion, origin: node.origin)
      try writer.encode(node.state, of: added, provider: node.provider, attributes: node.attributes)
      written[path] = added
    }
    for (path, order) in state.orders.sorted(by: { ($0.key.count, $0.key) < ($1.key.count, $1.key) }) where isPresent(path) {
      for identifier in order.removed { try writer.remove(identifier, under: node(at: path)) }
      for place in order.placed { try writer.place(place.child, under: node(at: path), after: place.sibling) }
    }
    return try writer.finishLink()
  }

  /// Whether a node exists afterwards; one that was changed may have been removed later.
  private func isPresent(_ path: RestorationPath) -> Bool {
    var (node, next) = (path, path.parent)
    while let parent = next {
      if let left = children[parent], !(left?.contains(IdentifierKey(node.identifier ?? "")) ?? false) { return false }
      (node, next) = (parent, parent.parent)
    }
    return true
  }

  /// Returns a node of the link, unchanged if it was not added yet; nil for the application.
  private mutating func node(at path: RestorationPath) throws(ArchiveError) -> ArchiveWriter.Node? {
    guard let parent = path.parent, let identifier = path.identifier else { return nil }
    if let node = written[path] { return node }
    let node = try writer.addUnchanged(identifier, under: self.node(at: parent))
    written[path] = node
    return node
  }
}
