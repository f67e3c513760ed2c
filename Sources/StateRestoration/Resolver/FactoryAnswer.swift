/// What a factory or the delegate says about a node.
public enum FactoryAnswer {
  /// This object, new or found, is restored.
  case object(any Restorable)
  /// The node and all below it are skipped.
  case declined
  /// Not yet: the node waits until an object registers for its path.
  case later

  init(_ object: (any Restorable)?) {
    self = object.map { .object($0) } ?? .declined
  }
}
