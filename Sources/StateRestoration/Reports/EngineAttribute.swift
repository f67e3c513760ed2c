/// What the engine notes about nodes (`Spec/registry.md`, attribute keys).
enum EngineAttribute {
  /// True for a node that holds nothing and keeps the place of what lies below it.
  static let placeholder = "restoration.placeholder"
  /// The newer schema version that kept keys are of.
  static let keptSchema = "restoration.keptSchema"
  /// The keys that were kept for a build that knows them.
  static let keptKeys = "restoration.keptKeys"
}
