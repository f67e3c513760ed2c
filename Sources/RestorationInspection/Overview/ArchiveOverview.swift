import ArchiveFormat
public import RestorationArchive

/// An archive as a whole: header, versions, counts, sizes, and whether it is intact.
public struct ArchiveOverview: Sendable {
  /// A part of the file.
  public struct Part: Sendable, Equatable {
    /// What it is: a section's code, or a name of the Spec.
    public let name: String
    /// How long it is.
    public let byteCount: Int
    /// How many times it is in the file.
    public let copies: Int
  }

  /// The version of the format.
  public let formatVersion: FormatVersion
  /// What the archive says about itself.
  public let header: ArchiveHeader
  /// Identifies the content.
  public let contentDigest: ContentDigest
  /// The length of the file.
  public let byteCount: Int
  /// What the file consists of, in its order.
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
  /// Everything that is wrong with the archive.
  public let findings: ArchiveFindings

  /// Looks at an archive.
  ///
  /// - Throws: What is wrong, if nothing of it can be read.
  /// - Complexity: O(n) in the length of the file, which is checked to the last byte.
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
