/// An object that is not kept alive by being known.
struct WeakObject {
  weak var object: (any Restorable)?
}
