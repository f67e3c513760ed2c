import ArchiveFormat

/// A node of an open archive.
///
/// Its record has been read and verified; its state and children are read on demand.
public struct NodeReader: Sendable {
  let archive: ArchiveReader
  let node: ArchiveRecords.StoredNode

  /// The index of the node's record.
  package var recordIndex: Int { node.index }

  let place: LazyPath

  /// The identifiers from the root down to the node.
  public var path: RestorationPath { place.path }

  /// The node's name among its siblings; nil for the app itself.
  public var identifier: String? { place.identifier }

  private var typeRecord: TypeRecord? {
    archive.records.type(node.record.type)
  }

  /// The node's type tag, if it has one.
  public var type: String? { typeRecord?.tag }

  /// The version of the state's schema; 0 without a type.
  public var schemaVersion: Int { typeRecord?.version ?? 0 }

  /// The save that the node was carried over from; nil if it belongs to the save that wrote the archive.
  public var origin: ArchiveOrigin? {
    archive.records.origin(node.record.origin).map { ArchiveOrigin($0) }
  }

  /// The number of bytes that the node's state, provider and attributes take in the archive.
  package var stateByteCount: Int { Int(node.record.stateLength) }

  /// The number of child nodes.
  public var childCount: Int { Int(node.record.childCount) }

  // MARK: Children

  /// Returns the child with the given identifier, or nil if there is none.
  ///
  /// - Throws: `block-damaged` if the lookup needs a damaged block, so that the child may exist but cannot be read.
  public func child(_ identifier: String) throws(ArchiveError) -> NodeReader? {
    guard FormatLimits.identifier.contains(identifier.utf8.count), place.depth < FormatLimits.pathComponents else { return nil }
    let childPath = path.appending(identifier)
    return try ArchiveError.wrapping(path: { _ in childPath }) { () throws(FormatError) in
      try archive.records.child(of: node, identifier: identifier)
    }.map { NodeReader(archive: archive, node: $0, place: LazyPath(childPath)) }
  }

  /// Returns the child nodes, in saved order.
  ///
  /// - Throws: `block-damaged` if a child cannot be read; ``visitChildren(_:)`` visits the others.
  public func children() throws(ArchiveError) -> [NodeReader] {
    // A leaf needs no path here, and making one takes longer than the rest.
    guard childCount > 0 else { return [] }
    var fault: FormatError?
    let nodes = storedChildren { fault = fault ?? $0 }
    var children: [NodeReader] = []
    children.reserveCapacity(nodes.count)
    let path = path
    for node in nodes { children.append(try reader(of: node, path)) }
    if let fault { throw ArchiveError(fault, path: path) }
    return children
  }

  /// Calls `body` with each child in saved order, or with the error that hides it; damaged records come last.
  ///
  /// The records of all children are in memory together. Records beyond the end of a truncated file give one error; so does a
  /// range of children with more records than other nodes have left, which no valid archive has.
  ///
  /// - Throws: Rethrows the error of `body`, and skips the remaining children.
  /// - Complexity: O(n log n) in the number of children.
  public func visitChildren<Failure: Error>(
    _ body: (Result<NodeReader, ArchiveError>) throws(Failure) -> Void
  ) throws(Failure) {
    guard childCount > 0 else { return }
    var faults: [FormatError] = []
    let path = path
    for node in storedChildren(failure: { faults.append($0) }) {
      try body(Result { () throws(ArchiveError) in try reader(of: node, path) })
    }
    for fault in faults { try body(.failure(ArchiveError(fault, path: path))) }
  }

  private func storedChildren(failure: (FormatError) -> Void) -> [ArchiveRecords.StoredNode] {
    guard place.depth < FormatLimits.pathComponents else {
      failure(node.depthError)
      return []
    }
    return archive.records.children(of: node, failure: failure)
  }

  private func reader(of child: ArchiveRecords.StoredNode, _ path: RestorationPath) throws(ArchiveError) -> NodeReader {
    let identifier = try ArchiveError.wrapping(path: { _ in path }) { () throws(FormatError) in try archive.records.identifier(of: child) }
    return NodeReader(archive: archive, node: child, place: LazyPath(path, identifier))
  }

  // MARK: Contents

  /// Returns the node's state.
  ///
  /// - Throws: `block-damaged`; an error for an invalid value; `value-budget`.
  public func state() throws(ArchiveError) -> ArchiveDictionary {
    try contents().state
  }

  /// Returns the notes of tools or hosts about the node.
  ///
  /// - Throws: The errors of ``state()``.
  public func attributes() throws(ArchiveError) -> ArchiveDictionary {
    try contents().attributes
  }

  /// Returns the reference from which a provider creates the node's object.
  ///
  /// - Throws: The errors of ``state()``.
  public func provider() throws(ArchiveError) -> ProviderReference? {
    try contents().provider
  }

  /// Reads the provider, attributes and state together.
  func contents() throws(ArchiveError) -> StateContents {
    var reader = ValueReader(
      keys: archive.records.keys, isStrict: archive.isStrict, budget: ValueBudget(archive.limits))
    do throws(FormatError) {
      let bytes = try archive.records.state(of: node)
      return try reader.readContents(of: bytes, flags: node.record.flags)
    } catch {
      throw ArchiveError(error, path: path, key: reader.outermostKey)
    }
  }
}

/// The path of a node; it is assembled on demand, because few are needed.
package struct LazyPath: Sendable {
  private let base: RestorationPath
  /// The last component, if `base` does not contain it.
  private let last: String?

  /// Creates the place of a node whose path is known.
  package init(_ path: RestorationPath) {
    (base, last) = (path, nil)
  }

  /// Creates the place of a child, whose identifier is valid.
  package init(_ parent: RestorationPath, _ identifier: String) {
    (base, last) = (parent, identifier)
  }

  /// The path.
  package var path: RestorationPath { last.map { base.appending($0) } ?? base }
  var identifier: String? { last ?? base.identifier }
  /// The number of components.
  var depth: Int { base.count + (last == nil ? 0 : 1) }
}

extension ArchiveReader {
  /// Whether this build knows the archive's version, so that every key without a full stop must be registered.
  var isStrict: Bool { records.prefix.minorVersion <= ArchivePrefix.minorVersion }
}

extension NodeReader {
  /// Whether the node has attributes.
  package var hasAttributes: Bool { node.record.flags & NodeRecord.hasAttributes != 0 }

  /// The node without its path.
  package var unplaced: UnplacedNode { UnplacedNode(node: node) }

  /// Whether the node has a provider reference.
  package var hasProvider: Bool { node.record.flags & NodeRecord.hasProvider != 0 }

  /// The header of the node's archive.
  package var header: ArchiveHeader { archive.header }

  /// Returns the same node at another place; its children's paths follow.
  package func moved(to place: LazyPath) -> NodeReader {
    NodeReader(archive: archive, node: node, place: place)
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

  /// Returns a node with its place added.
  package func node(_ node: UnplacedNode, at place: consuming LazyPath) -> NodeReader {
    NodeReader(archive: self, node: node.node, place: place)
  }
}

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

/// The readable attributes and state of a node: a fault in one entry loses only that entry.
package struct ReadableContents {
  /// The readable attributes.
  package private(set) var attributes: ArchiveDictionary = [:]
  /// The errors of the other attributes: with a key, or without one for all attributes after a fault.
  package private(set) var attributeErrors: [ArchiveError] = []
  /// The readable state.
  package private(set) var state: ArchiveDictionary = [:]
  /// The errors of the other entries: with a key, or without one for all entries after a fault.
  package private(set) var stateErrors: [ArchiveError] = []

  /// Reads the contents of a node.
  ///
  /// The errors omit the path, because a record can have many faults and a path can be long.
  ///
  /// - Throws: `block-damaged`, or an error for a fault in the record as a whole.
  package init(of node: NodeReader) throws(ArchiveError) {
    if let contents = try? node.contents() {
      (attributes, state) = (contents.attributes, contents.state)
      return
    }
    let archive = node.archive
    var values = ValueReader(keys: archive.records.metadata.keys, isStrict: archive.isStrict, budget: ValueBudget(archive.limits))
    do throws(FormatError) {
      let record = try archive.records.state(of: node.node)
      let parts = try RecordParts(record, flags: node.node.record.flags)
      if let cursor = parts.attributes {
        (attributes, attributeErrors) = Self.read(cursor, of: record, .attributes(strict: archive.isStrict), archive, &values)
      }
      (state, stateErrors) = Self.read(parts.entries, of: record, .state, archive, &values)
    } catch {
      throw ArchiveError(error)
    }
  }

  private static func read(
    _ cursor: ByteCursor, of record: VerifiedBytes, _ role: EntryRole, _ archive: ArchiveReader, _ values: inout ValueReader
  ) -> (ArchiveDictionary, [ArchiveError]) {
    let keys = archive.records.metadata.keys
    let bytes = record.storage.span
    var errors: [ArchiveError] = []
    // The record was verified as a whole.
    let entries = values.readIntactEntries(cursor, upTo: cursor.end, in: bytes, role: role, damage: { _ in nil }) { key, error in
      errors.append(ArchiveError(error, key: key.map { keys.text(of: $0, in: bytes) }))
    }
    return (entries, errors)
  }
}
