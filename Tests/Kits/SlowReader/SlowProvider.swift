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
