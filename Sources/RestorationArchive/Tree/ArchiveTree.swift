#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import ArchiveFormat

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

  /// Reads a whole archive.
  ///
  /// - Throws: An error for any fault, including damage anywhere in the archive; `value-budget`.
  public init(decoding data: Data, limits: ReaderLimits = .standard) throws(ArchiveError) {
    try self.init(decoding: ArchiveReader(data, limits: limits))
  }

  /// Reads a whole archive that is already open.
  ///
  /// - Throws: An error for any fault, including damage anywhere in the archive; `value-budget`.
  public init(decoding archive: ArchiveReader) throws(ArchiveError) {
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
    if isLink { writer.beginLink() }
    if isLink, !isApplicationUnchanged, applicationState.isEmpty { writer.encodeEmptyApplicationState() }
    try writer.encode(applicationState, of: nil)
    for node in nodes { try Self.write(node, to: writer, under: nil) }
    for section in sections { writer.addSection(section) }
    return try writer.finish()
  }

  private static func write(_ node: ArchiveNode, to writer: ArchiveWriter, under parent: ArchiveWriter.Node?) throws(ArchiveError) {
    if node.type == nil, node.schemaVersion != 0 {
      throw ArchiveError(
        FormatError(
          .notStorable, at: nil, "schema version", expected: .text("0 without a type"), found: .text("\(node.schemaVersion)")),
        path: parent.map { writer.path(of: $0) })
    }
    let added: ArchiveWriter.Node
    switch node.change.kind {
    case .contents:
      added = try writer.addNode(
        node.identifier, under: parent, type: node.type, schemaVersion: node.schemaVersion, origin: node.origin)
      try writer.encode(node.state, of: added, provider: node.provider, attributes: node.attributes)
    case .unchanged: added = try writer.addUnchanged(node.identifier, under: parent)
    case .removed: added = try writer.remove(node.identifier, under: parent)
    }
    switch node.change.place {
    case nil: break
    case .first: try writer.place(node.identifier, under: parent, after: nil)
    case .after(let sibling): try writer.place(node.identifier, under: parent, after: sibling)
    }
    for child in node.children { try write(child, to: writer, under: added) }
  }

  /// Whether the archive is a link, which has only what changed since another file (Spec §15).
  package var isLink: Bool { header.baseContentDigest != nil }

  // MARK: Counting

  /// The number of nodes.
  public var nodeCount: Int {
    var count = 0
    var rest = nodes[...]
    var stack: [ArraySlice<ArchiveNode>] = []
    while true {
      if let node = rest.popFirst() {
        count += 1
        stack.append(rest)
        rest = node.children[...]
      } else if let next = stack.popLast() {
        rest = next
      } else {
        return count
      }
    }
  }
}

extension ArchiveTree {
  /// Removes the sections that depend on the rest of the archive, as required after any other change (rule R-8-6).
  ///
  /// - Returns: The codes of the removed sections, for reporting.
  public mutating func dropSectionsNotSafeToCopy() -> [String] {
    let codes = sections.filter { !$0.isSafeToCopy }.map(\.code)
    sections.removeAll { !$0.isSafeToCopy }
    return codes
  }
}
