/// A weak reference to a restorable object.
struct WeakObject {
  weak var object: (any Restorable)?
}
