import ArchiveFormat

/// The types of an archive's nodes with their node counts, in ascending order of the tags.
///
/// Elements are created on access: a small file may hold 65,535 types.
public struct TypeCounts: RandomAccessCollection, Sendable {
  /// A type and the number of its nodes.
  public struct Element: Sendable, Equatable {
    /// The tag.
    public let tag: String
    /// The schema version.
    public let schemaVersion: UInt32
    /// The number of nodes.
    public let nodeCount: Int
  }

  private let types: MetadataTable<TypeRecord>
  private let nodeCounts: [UInt32]

  init(_ types: MetadataTable<TypeRecord>, nodeCounts: [UInt32]) {
    self.types = types
    self.nodeCounts = nodeCounts
  }

  /// The index of the first type: 0.
  public var startIndex: Int { 0 }

  /// The number of types.
  public var endIndex: Int { types.count }

  /// The type at an index.
  public subscript(index: Int) -> Element {
    let type = types[index]
    return Element(tag: type.tag, schemaVersion: type.schemaVersion, nodeCount: Int(nodeCounts[index]))
  }
}
