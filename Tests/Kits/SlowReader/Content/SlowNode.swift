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

/// The type of a node: a tag and a schema version (Spec 3.2).
public struct SlowType: Hashable, Sendable {
  /// The name chosen by the developer, as UTF-8.
  public var tag: [UInt8]
  /// The schema version.
  public var schemaVersion: UInt32

  /// Creates a type.
  public init(tag: [UInt8], schemaVersion: UInt32) {
    self.tag = tag
    self.schemaVersion = schemaVersion
  }
}

/// The save from which a carried-over node originates (Spec 3.4).
public struct SlowOrigin: Hashable, Sendable {
  /// The bundle version as UTF-8, if it is known.
  public var bundleVersion: [UInt8]?
  /// The bits of the seconds since 2001-01-01T00:00:00Z, if they are known.
  public var timestamp: UInt64?
  /// The number of saves that have carried the node over since.
  public var sessionsCarried: UInt32

  /// Creates an origin.
  public init(bundleVersion: [UInt8]?, timestamp: UInt64?, sessionsCarried: UInt32) {
    self.bundleVersion = bundleVersion
    self.timestamp = timestamp
    self.sessionsCarried = sessionsCarried
  }
}

/// The reference that a declarative provider needs to create a node's object (Spec 3.2, 6.3).
public struct SlowProvider: Hashable, Sendable {
  /// The name of the provider as UTF-8.
  public var name: [UInt8]
  /// The name of the item in the provider as UTF-8.
  public var item: [UInt8]

  /// Creates a provider reference.
  public init(name: [UInt8], item: [UInt8]) {
    self.name = name
    self.item = item
  }
}
