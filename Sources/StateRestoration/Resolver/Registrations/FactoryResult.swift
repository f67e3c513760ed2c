/// The answer of a factory or the delegate for a node.
public enum FactoryResult {
  /// Restores this object, new or existing.
  case object(any Restorable)
  /// Skips the node and its descendants.
  case declined
  /// Defers the node until an object is registered for its path.
  case later
  /// Discards the state of the node and its descendants instead of carrying it over, because its subject no longer
  /// exists: a deleted document, for example.
  case gone

  init(_ object: (any Restorable)?) {
    self = object.map { .object($0) } ?? .declined
  }
}
