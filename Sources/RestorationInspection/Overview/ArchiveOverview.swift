import ArchiveFormat
public import RestorationArchive

/// A summary of an archive: header, versions, counts, sizes, and whether it is intact.
public struct ArchiveOverview: Sendable {
  /// A part of the file.
  public struct Part: Sendable, Equatable {
    /// The section code, or the Spec's name of the part.
    public let name: String
    /// The length in bytes.
    public let byteCount: Int
    /// The number of copies in the file.
    public let copies: Int
  }

  /// The format version.
  public let formatVersion: FormatVersion
  /// The archive's header.
  public let header: ArchiveHeader
  /// The digest of the content.
  public let contentDigest: ContentDigest
  /// The length of the file.
  public let byteCount: Int
  /// The parts of the file, in file order.
  public let parts: [Part]
  /// The number of nodes.
  public let nodeCount: Int
  /// The number of levels of the tree.
  public let depth: Int
  /// The number of nodes that were carried over from earlier saves.
  public let carriedOverCount: Int
  /// The types of nodes, in ascending order of their tags.
  public let types: TypeCounts
  /// The number of keys in the key table.
  public let keyCount: Int
  /// The findings of a full check.
  public let findings: ArchiveFindings

  /// Summarizes an archive.
  ///
  /// - Throws: The reason, if no part of the archive can be read.
  /// - Complexity: O(n) in the length of the file; every byte is checked.
  public init(_ bytes: [UInt8]) throws(ArchiveError) {
    let archive = try InspectedArchive(bytes).reader
    let records = archive.records
    let survey = NodeCounts(records)
    formatVersion = archive.formatVersion
    header = archive.header
    contentDigest = archive.contentDigest
    byteCount = bytes.count
    nodeCount = archive.nodeCount
    depth = survey.depth
    carriedOverCount = survey.carriedOver
    types = TypeCounts(records.metadata.types, nodeCounts: survey.types)
    keyCount = records.metadata.keys.count
    parts =
      [
        Part(name: "prefix", byteCount: ArchivePrefix.byteCount, copies: 2),
        Part(name: "metadata", byteCount: records.layout.metadataLength, copies: 2),
        Part(name: "checksum tree", byteCount: records.layout.tree.byteCount, copies: 2),
      ] + records.metadata.sections.map { Part(name: $0.code.text, byteCount: $0.length, copies: 1) }
    findings = ArchiveCheck(bytes).findings
  }
}
