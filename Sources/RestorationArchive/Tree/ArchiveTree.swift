#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import ArchiveFormat

/// A whole archive as a value in memory: for tools, upgrades and tests.
///
/// Apps use ``ArchiveReader`` and ``ArchiveWriter``.
///
///     var tree = try ArchiveTree(decoding: data)
///     tree.header.bundleVersion = "43"
///     let changed = try tree.encoded()
///
/// Encoding what was decoded gives the same bytes, parts that this build does not know included.
public struct ArchiveTree: Sendable, Equatable {
  /// What the archive says about itself.
  public var header: ArchiveHeader
  /// What the app as a whole encoded.
  public var applicationState: ArchiveDictionary
  /// The nodes of the topmost level, in saved order.
  public var nodes: [ArchiveNode]
  /// The ancillary sections, in ascending order of their codes.
  public var sections: [ArchiveSection]
  /// The minor version of the format that the archive is in: 0, or a later one that what it came from was in.
  public internal(set) var minorVersion: UInt16 = 0

  /// Makes an archive in memory.
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
  /// - Throws: What is wrong with it, also damage anywhere; `value-budget`.
  public init(decoding data: Data, limits: ReaderLimits = .standard) throws(ArchiveError) {
    try self.init(decoding: ArchiveReader(data, limits: limits))
  }

  /// Reads a whole archive that is open.
  ///
  /// - Throws: What is wrong with it, also damage anywhere; `value-budget`.
  public init(decoding archive: ArchiveReader) throws(ArchiveError) {
    var reader = TreeReader(archive)
    let (applicationState, nodes) = try reader.read()
    self.init(header: archive.header, applicationState: applicationState, nodes: nodes, sections: try archive.sections())
    minorVersion = archive.formatVersion.minor
  }

  // MARK: Encoding

  /// Writes the archive.
  ///
  /// - Throws: What the format cannot store, with path and key: `string-length`, `path-depth`, `nesting-depth`, `duplicate-identifier`,
  ///   `empty-key`, `unknown-attribute`, `unknown-header-key`, `header-type`, `section-order`, `file-too-large`.
  public func encoded() throws(ArchiveError) -> Data {
    let writer = ArchiveWriter(header: header, expectedNodeCount: nodeCount, userInfo: [:], minorVersion: minorVersion)
    try writer.encode(applicationState, of: nil)
    for node in nodes { try Self.write(node, to: writer, under: nil) }
    for section in sections { writer.addSection(section) }
    return try writer.finish()
  }

  private static func write(_ node: ArchiveNode, to writer: ArchiveWriter, under parent: ArchiveWriter.Node?) throws(ArchiveError) {
    if node.type == nil, node.schemaVersion != 0 {
      throw ArchiveError(
        FormatError(
          .notStorable, at: nil, "schema version", expected: .text("0 without a type"), found: .number(UInt64(node.schemaVersion))),
        path: parent.map { writer.path(of: $0) })
    }
    let added = try writer.addNode(
      node.identifier, under: parent, type: node.type, schemaVersion: node.schemaVersion, origin: node.origin)
    try writer.encode(node.state, of: added, provider: node.provider, attributes: node.attributes)
    for child in node.children { try write(child, to: writer, under: added) }
  }

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
  /// Removes the sections that depend on the rest of the archive, as must be done when anything else was changed (rule R-8-6).
  ///
  /// - Returns: The codes of what was removed, so that a program can tell so.
  public mutating func dropSectionsNotSafeToCopy() -> [String] {
    let codes = sections.filter { !$0.isSafeToCopy }.map(\.code)
    sections.removeAll { !$0.isSafeToCopy }
    return codes
  }
}
