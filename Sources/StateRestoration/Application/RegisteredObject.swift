import RestorationArchive

/// An object that participates without being in the `restorationChildren` of another object.
struct RegisteredObject {
  weak var object: (any Restorable)?
  /// The explicit path; nil if the path follows from the parent.
  let path: RestorationPath?
  let place: SourcePlace
  /// The registration number, increasing with each registration.
  let number: Int
}
