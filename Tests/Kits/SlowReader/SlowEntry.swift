/// A key with its value, in state, attributes or a dictionary (Spec 6.2).
public struct SlowEntry: Hashable, Sendable {
  /// The key as UTF-8.
  public var key: [UInt8]
  /// Whether the value is marked as sensitive; always false in attributes.
  public var isSensitive: Bool
  /// The value.
  public var value: SlowValue

  /// Creates an entry.
  public init(key: [UInt8], isSensitive: Bool = false, value: SlowValue) {
    self.key = key
    self.isSensitive = isSensitive
    self.value = value
  }
}
