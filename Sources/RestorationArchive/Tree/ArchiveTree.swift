package import ArchiveFormat
public import FoundationValues

/// A whole archive as a value in memory, for tools, upgrades and tests.
///
/// Apps use ``ArchiveReader`` and ``ArchiveWriter``.
///
///     var tree = try ArchiveTree(decoding: data)
///     tree.header.bundleVersion = "43"
///     let changed = try tree.encoded()
///
/// Encoding a decoded archive gives the same bytes, including parts that this build does not know.
public struct ArchiveTree: Sendable, Equatable {
  /// The archive's header.
  public var header: ArchiveHeader
  /// The state of the app as a whole.
  public var applicationState: ArchiveDictionary
  /// The root nodes, in saved order.
  public var nodes: [ArchiveNode]
  /// The ancillary sections, in ascending order of their codes.
  public var sections: [ArchiveSection]
  /// The minor version of the archive's format: 0, or the later version of the archive that was decoded.
  package var minorVersion: UInt16 = 0
  /// Whether the application state of a link is as before (Spec §15.2).
  package var isApplicationUnchanged = false

  /// Creates an archive in memory.
  public init(
    header: ArchiveHeader = ArchiveHeader(), applicationState: ArchiveDictionary = [:], nodes: [ArchiveNode] = [],
    sections: [ArchiveSection] = []
  ) {
    self.header = header
    self.applicationState = applicationState
    self.nodes = nodes
    self.sections = sections
  }

  // MARK: Decoding

  /// Reads a whole archive, after checking all of it.
  ///
  /// - Throws: The first finding of ``ArchiveCheck`` that is more than damage of a spare copy, which costs no content; `value-budget`.
  public init(decoding data: Data, limits: ReaderLimits = .standard) throws(ArchiveError) {
    try self.init(decoding: ArchiveReader(data, limits: limits))
  }

  /// Reads a whole archive that is already open, after checking all of it.
  ///
  /// - Throws: The errors of ``init(decoding:limits:)`` and of the reader's source.
  public init(decoding archive: ArchiveReader) throws(ArchiveError) {
    let checker = ArchiveChecker(
      try ArchiveError.wrapping { () throws(FormatError) in try archive.records.blocks.fileBytes() })
    guard checker.isWhole else { throw ArchiveCheck(checker).firstThatCounts }
    var reader = TreeReader(archive)
    let (applicationState, nodes) = try reader.read()
    self.init(header: archive.header, applicationState: applicationState, nodes: nodes, sections: try archive.sections())
    minorVersion = archive.formatVersion.minor
    isApplicationUnchanged = reader.isApplicationUnchanged
  }

  // MARK: Encoding

  /// Returns the encoded archive.
  ///
  /// - Throws: An error with path and key for content that the format cannot store: `string-length`, `path-depth`,
  ///   `nesting-depth`, `duplicate-identifier`, `empty-key`, `unknown-attribute`, `unknown-header-key`, `header-type`,
  ///   `section-order`, `file-too-large`.
  public func encoded() throws(ArchiveError) -> Data {
    let writer = ArchiveWriter(header: header, expectedNodeCount: nodeCount, userInfo: [:], minorVersion: minorVersion)
    if isLink { writer.assembler.beginLink() }
    if isLink, !isApplicationUnchanged, applicationState.isEmpty { writer.encodeEmptyApplicationState() }
    try writer.encode(applicationState, of: nil)
    let progress = WorkProgress.begin(nodes.count)
    defer { progress?.end() }
    try Self.write(nodes, to: writer, under: nil) { progress?.advance(to: $0) }
    for section in sections { writer.addSection(section) }
    return try writer.finish()
  }

  /// Writes siblings with everything below them and, in a link, gives them their places; calls `advance` with the index of each.
  private static func write(
    _ siblings: [ArchiveNode], to writer: ArchiveWriter, under parent: ArchiveWriter.Node?, _ advance: (Int) -> Void = { _ in }
  ) throws(ArchiveError) {
    var placed: [(node: ArchiveWriter.Node, place: NodeChange.Place)] = []
    var nodes: [TextKey: ArchiveWriter.Node] = [:]
    for (index, sibling) in siblings.enumerated() {
      advance(index)
      let node = try write(sibling, to: writer, under: parent)
      // Of two siblings with the same identifier, which assembly refuses, the first counts.
      if writer.assembler.isLink, nodes[TextKey(sibling.identifier)] == nil { nodes[TextKey(sibling.identifier)] = node }
      if let place = sibling.change.place { placed.append((node, place)) }
    }
    for (node, place) in placed {
      guard case .after(let identifier) = place else {
        try writer.place(node, after: nil)
        continue
      }
      // A sibling that the link does not have yet is as before.
      let known = nodes[TextKey(identifier)]
      let sibling = if let known { known } else { try writer.addNode(identifier, under: parent, change: .unchanged) }
      nodes[TextKey(identifier)] = sibling
      try writer.place(node, after: sibling)
    }
  }

  private static func write(
    _ node: ArchiveNode, to writer: ArchiveWriter, under parent: ArchiveWriter.Node?
  ) throws(ArchiveError) -> ArchiveWriter.Node {
    if node.type == nil, node.schemaVersion != 0 {
      throw ArchiveError(
        .notStorable, "schema version", expected: "0 without a type", found: "\(node.schemaVersion)",
        path: parent.map { writer.path(of: $0) })
    }
    let added: ArchiveWriter.Node
    switch node.change.kind {
    case .contents:
      added = try writer.addNode(
        node.identifier, under: parent, type: node.type, schemaVersion: node.schemaVersion, origin: node.origin)
      try writer.encode(node.state, of: added, provider: node.provider, attributes: node.attributes)
    case .unchanged, .removed: added = try writer.addNode(node.identifier, under: parent, change: node.change.kind)
    }
    try write(node.children, to: writer, under: added)
    return added
  }

  /// Whether the archive is a link, which has only what changed since another file (Spec §15).
  package var isLink: Bool { header.baseContentDigest != nil }

  // MARK: Counting

  /// The number of nodes.
  public var nodeCount: Int { allNodes.reduce(0) { count, _ in count + 1 } }

  /// The nodes, in no particular order.
  var allNodes: some Sequence<ArchiveNode> {
    sequence(state: nodes) { rest in
      guard let node = rest.popLast() else { return nil }
      rest += node.children
      return node
    }
  }
}

/// A node of an archive and its descendants, in memory (Spec §3.2).
public struct ArchiveNode: Sendable {
  /// The node's name among its siblings, 1 to 1,024 bytes of UTF-8.
  public var identifier: String
  /// The node's type tag, a name chosen by the developer, 1 to 1,024 bytes; nil for a node without a type.
  public var type: String?
  /// The version of the state's schema; 0 without a type.
  public var schemaVersion: Int
  /// The save that the node was carried over from; nil if it belongs to this save.
  public var origin: ArchiveOrigin?
  /// The reference from which a provider creates the node's object.
  public var provider: ProviderReference?
  /// Notes of tools or hosts about the node.
  ///
  /// Keys contain a full stop.
  public var attributes: ArchiveDictionary
  /// The state that the object encoded.
  public var state: ArchiveDictionary
  /// The child nodes, in saved order.
  public var children: [ArchiveNode]
  /// How the link changes the node, if the archive is one (Spec §15.2).
  package var change = NodeChange()
}

// In an extension, to keep the memberwise initializer: a hand-written one builds the node in one place and copies it to
// its destination.
extension ArchiveNode {
  /// Creates a node.
  public init(
    _ identifier: String, type: String? = nil, schemaVersion: Int = 0, origin: ArchiveOrigin? = nil,
    provider: ProviderReference? = nil, attributes: ArchiveDictionary = [:], state: ArchiveDictionary = [:], children: [ArchiveNode] = []
  ) {
    self.init(
      identifier: identifier, type: type, schemaVersion: schemaVersion, origin: origin, provider: provider, attributes: attributes,
      state: state, children: children)
  }
}

extension ArchiveNode: Equatable {
  /// Returns whether an archive stores both nodes as the same bytes.
  public static func == (left: ArchiveNode, right: ArchiveNode) -> Bool {
    guard left.identifier.isIdenticalText(to: right.identifier), (left.type == nil) == (right.type == nil),
      (left.type ?? "").isIdenticalText(to: right.type ?? "")
    else { return false }
    return left.schemaVersion == right.schemaVersion && left.origin == right.origin && left.provider == right.provider
      && left.attributes == right.attributes && left.state == right.state && left.children == right.children && left.change == right.change
  }
}

/// What a link says of a node (Spec §15.2).
package struct NodeChange: Sendable, Equatable {
  package typealias Kind = LinkTable.Change

  /// A place among siblings.
  package enum Place: Sendable, Equatable {
    /// Before all others.
    case first
    /// Directly after the sibling with this identifier.
    case after(String)
  }

  /// How the link changes the node.
  package var kind = Kind.contents
  /// Its place, if it is new or moves.
  package var place: Place?

  /// Creates a change; by default to the parts in the link, without a new place.
  package init(_ kind: Kind = .contents, place: Place? = nil) {
    self.kind = kind
    self.place = place
  }
}

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
  private var progress: WorkProgress?
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

  private var path: RestorationPath { RestorationPath(validated: identifiers) }

  /// Reads the application state and all nodes.
  mutating func read() throws(ArchiveError) -> (applicationState: ArchiveDictionary, nodes: [ArchiveNode]) {
    progress = WorkProgress.begin(records.recordCount)
    defer { progress?.end() }
    link = try archive.linkTable()
    let application = try archive.application().node
    let state = try contents(of: application).state
    let nodes = try nodes(below: application)
    return (state, nodes)
  }

  /// Whether the application state of a link is as before.
  var isApplicationUnchanged: Bool { link?.entries[0].change == .unchanged }

  /// Returns what a link says of a node.
  private func change(of node: ArchiveRecords.StoredNode) throws(FormatError) -> NodeChange {
    guard let entry = link?.entries[node.index] else { return NodeChange() }
    guard entry.hasPlace else { return NodeChange(entry.change) }
    if entry.after == 0 { return NodeChange(entry.change, place: .first) }
    // Siblings of a link are in the order of their records.
    let sibling = node.index - Int(node.record.savedOrder) + Int(entry.after) - 1
    return NodeChange(entry.change, place: .after(try records.identifier(of: records.node(at: sibling))))
  }

  /// Reads the children of a node, in saved order.
  ///
  /// Recursion is bounded by the depth of a path.
  private mutating func nodes(below parent: ArchiveRecords.StoredNode) throws(ArchiveError) -> [ArchiveNode] {
    guard parent.record.childCount > 0 else { return [] }
    guard identifiers.count < FormatLimits.pathComponents else { throw ArchiveError(parent.depthError, path: path) }
    // The archive has been checked: only a source that fails, or changes, gives an error.
    var fault: FormatError?
    let children = records.children(of: parent) { fault = fault ?? $0 }
    if let fault { throw ArchiveError(fault, path: path) }
    var nodes: [ArchiveNode] = []
    nodes.reserveCapacity(children.count)
    for child in children { try readNode(child, into: &nodes) }
    return nodes
  }

  /// Reads a node and its descendants, and appends the node to its siblings.
  private mutating func readNode(_ record: ArchiveRecords.StoredNode, into nodes: inout [ArchiveNode]) throws(ArchiveError) {
    let identifier = try ArchiveError.wrapping(path: { _ in path }) { () throws(FormatError) in try records.identifier(of: record) }
    identifiers.append(identifier)
    defer { identifiers.removeLast() }
    try ArchiveError.wrapping(path: { _ in path }) { () throws(FormatError) in try values.spend() }
    let contents = try contents(of: record)
    readCount += 1
    if readCount % 1024 == 0 { progress?.advance(to: readCount) }
    let type = record.record.type == 0 ? nil : types[Int(record.record.type) - 1]
    let origin = record.record.origin == 0 ? nil : origins[Int(record.record.origin) - 1]
    let children = try self.nodes(below: record)
    var node = ArchiveNode(
      identifier: identifier, type: type?.tag, schemaVersion: type?.version ?? 0, origin: origin, provider: contents.provider,
      attributes: contents.attributes, state: contents.state, children: children)
    if link != nil {
      node.change = try ArchiveError.wrapping(path: { _ in path }) { () throws(FormatError) in try change(of: record) }
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
