/// A header key with its value (Spec 3.3).
public struct SlowHeaderEntry: Hashable, Sendable {
  /// The key as UTF-8.
  public var key: [UInt8]
  /// The value, which is not a container.
  public var value: SlowValue

  /// Creates an entry.
  public init(key: [UInt8], value: SlowValue) {
    self.key = key
    self.value = value
  }
}
