/// What a factory or the delegate says about a node.
public enum FactoryAnswer {
  /// This object, new or found, is restored.
  case object(any Restorable)
  /// The node and all below it are skipped.
  case declined
  /// Not yet: the node waits until an object registers for its path.
  case later
  /// Never again: the thing that the node stood for no longer exists, a document that was deleted, say. The state of the node and of all
  /// below it is discarded instead of being carried over.
  case gone

  init(_ object: (any Restorable)?) {
    self = object.map { .object($0) } ?? .declined
  }
}
