/// A node (Spec 3.2).
public struct SlowNode: Hashable, Sendable {
  /// The identifier as UTF-8.
  public var identifier: [UInt8]
  /// The type, if the node has one.
  public var type: SlowType?
  /// The origin; nil means "this save".
  public var origin: SlowOrigin?
  /// The provider reference, if there is one.
  public var provider: SlowProvider?
  /// Annotations by tools or hosts, in file order, which is ascending.
  public var attributes: [SlowEntry]
  /// The state that the object encoded, in file order, which is ascending.
  public var state: [SlowEntry]
  /// The children in their saved order.
  public var children: [SlowNode]
  /// What becomes of the node, if it is one of a link (Spec 15.2).
  public var change: SlowChange?

  /// Creates a node.
  public init(
    identifier: [UInt8], type: SlowType? = nil, origin: SlowOrigin? = nil, provider: SlowProvider? = nil, attributes: [SlowEntry] = [],
    state: [SlowEntry] = [], children: [SlowNode] = []
  ) {
    self.identifier = identifier
    self.type = type
    self.origin = origin
    self.provider = provider
    self.attributes = attributes
    self.state = state
    self.children = children
  }
}
