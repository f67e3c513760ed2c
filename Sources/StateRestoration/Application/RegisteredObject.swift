import RestorationArchive

/// An object that takes part without being among anybody's children.
struct RegisteredObject {
  weak var object: (any Restorable)?
  /// Its path, if that does not follow from its parent.
  let path: RestorationPath?
  let place: SourcePlace
  /// Greater than that of all that registered before.
  let number: Int
}
