import ArchiveFormat

/// A node of an archive with all below it, in memory (Spec §3.2).
public struct ArchiveNode: Sendable {
  /// Its name among its siblings, 1 to 1,024 bytes of UTF-8.
  public var identifier: String
  /// The tag of its type, a name that the developer chose, 1 to 1,024 bytes; nil if it has none.
  public var type: String?
  /// The version of what its state looks like; 0 without a type.
  public var schemaVersion: UInt32
  /// Where it was carried over from; nil if it is of this save.
  public var origin: ArchiveOrigin?
  /// What tells a declarative provider what to make for it.
  public var provider: ProviderReference?
  /// What tools or hosts noted about it.
  ///
  /// Keys contain a full stop.
  public var attributes: ArchiveDictionary
  /// What the object encoded.
  public var state: ArchiveDictionary
  /// The nodes below it, in saved order.
  public var children: [ArchiveNode]
}

// Beside the type, so that it keeps the initializer of its properties: one that is written out makes the node in one place and copies it to
// where it is wanted.
extension ArchiveNode {
  /// Makes a node.
  public init(
    _ identifier: String, type: String? = nil, schemaVersion: UInt32 = 0, origin: ArchiveOrigin? = nil,
    provider: ProviderReference? = nil, attributes: ArchiveDictionary = [:], state: ArchiveDictionary = [:], children: [ArchiveNode] = []
  ) {
    self.init(
      identifier: identifier, type: type, schemaVersion: schemaVersion, origin: origin, provider: provider, attributes: attributes,
      state: state, children: children)
  }
}

extension ArchiveNode: Equatable {
  /// Whether an archive stores both as the same bytes.
  public static func == (left: ArchiveNode, right: ArchiveNode) -> Bool {
    guard left.identifier.isIdenticalText(to: right.identifier), (left.type == nil) == (right.type == nil),
      (left.type ?? "").isIdenticalText(to: right.type ?? "")
    else { return false }
    return left.schemaVersion == right.schemaVersion && left.origin == right.origin && left.provider == right.provider
      && left.attributes == right.attributes && left.state == right.state && left.children == right.children
  }
}
