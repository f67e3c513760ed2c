import ArchiveFormat

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
  /// How a link changes a node.
  package enum Kind: String, Sendable {
    /// The parts of the node are those in the link.
    case contents
    /// The parts of the node are as before.
    case unchanged
    /// The node is gone, with everything below it.
    case removed
  }

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
