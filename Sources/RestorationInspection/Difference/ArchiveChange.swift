public import RestorationArchive

/// One difference between two archives.
public enum ArchiveChange: Sendable {
  /// The archives have different minor versions of the format.
  case formatVersion(old: FormatVersion, new: FormatVersion)
  /// An entry of the header differs.
  case header(ValueChange)
  /// An ancillary section differs.
  case section(SectionChange)
  /// A node differs.
  case node(NodeDifference)
  /// A reference leads to a node that the old archive has and the new one lacks.
  case brokenReference(BrokenReference)
}

/// A difference between two ancillary sections.
public struct SectionChange: Sendable {
  /// The section code.
  public let code: String
  /// The length of the old section; nil if only the new archive has it.
  public let oldByteCount: Int?
  /// The length of the new section; nil if only the old archive has it.
  public let newByteCount: Int?
  /// The error, if the sections cannot be compared.
  public let error: ArchiveError?
}

/// A difference between two nodes, or a node that only one archive has.
public struct NodeDifference: Sendable {
  /// The kind of a change.
  public enum Kind: String, Sendable, CaseIterable {
    /// Only the new archive has the node.
    case added
    /// Only the old archive has the node.
    case removed
    /// The node has another parent, and perhaps other differences.
    case moved
    /// The node has another identifier below the same parent, and perhaps other differences.
    case renamed
    /// The node is in its place, with other contents or another order of children.
    case changed
    /// Damage prevents the comparison.
    case unreadable
  }

  /// The kind of change.
  public let kind: Kind
  /// The path in the new archive; of a removed node in the old one.
  public let path: RestorationPath
  /// The path in the old archive of a moved or renamed node.
  public let oldPath: RestorationPath?
  /// The type tag with the schema version, for people; nil for a node without a type.
  public let type: String?
  /// The number of nodes that were added or removed: the node, and those below it that are not moved; otherwise 1.
  public let nodeCount: Int
  /// The number of their bytes of state; 0 for other kinds.
  public let byteCount: Int
  /// The differences in type, origin, provider, attributes and state; of an added or removed node all of its values.
  public let changes: [ValueChange]
  /// The children with another place among their siblings.
  public let order: [OrderChange]
  /// The error, if the node cannot be compared, or may be hidden by damage.
  public let error: ArchiveError?
}

/// A child that has another place among the siblings that both archives have.
public struct OrderChange: Sendable, Equatable {
  /// The identifier of the child in the new archive.
  public let identifier: String
  /// The old place, from 1.
  public let oldPlace: Int
  /// The new place, from 1.
  public let newPlace: Int
}

/// A reference to a node that is not there: in a difference, one that the old archive has and the new one lacks.
public struct BrokenReference: Sendable, CustomStringConvertible {
  /// The path of the node that holds the reference.
  public let path: RestorationPath
  /// The outermost key under which the reference is held.
  public let key: String
  /// The path that it leads to; nil if that is sensitive, and not revealed.
  public let target: RestorationPath?

  /// The reference on one line, safe to print.
  public var description: String {
    "\(path.displayText) \(key.escapedForDisplay): broken reference to \(target?.displayText ?? SensitiveText.other)"
  }
}
