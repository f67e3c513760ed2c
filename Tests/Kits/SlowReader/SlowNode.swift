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
  /// What tools or hosts noted, in the order of the file, which is ascending.
  public var attributes: [SlowEntry]
  /// What the object encoded, in the order of the file, which is ascending.
  public var state: [SlowEntry]
  /// The children in their saved order.
  public var children: [SlowNode]

  /// Makes a node.
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
