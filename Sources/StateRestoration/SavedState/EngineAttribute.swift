/// The node attributes of the engine (`Spec/registry.md`, attribute keys).
enum EngineAttribute {
  /// True for an empty node that exists only for its descendants.
  static let placeholder = "restoration.placeholder"
  /// The newer schema version that the kept keys belong to.
  static let unknownKeysSchema = "restoration.keptSchema"
  /// The keys that are kept for a build that knows them.
  static let unknownKeys = "restoration.keptKeys"
}
