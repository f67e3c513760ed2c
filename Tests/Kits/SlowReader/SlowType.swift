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
