import RestorationArchive

/// The objects that participate without being in the `restorationChildren` of another object: weakly held, in
/// registration order.
struct RegisteredObjects {
  private var byIdentity: [ObjectIdentifier: RegisteredObject] = [:]
  /// The number of registrations so far, including objects that have since been removed or deallocated.
  private(set) var registrationCount = 0
  /// The number of entries that triggers a purge of deallocated objects.
  private var purgeCount = 64

  /// Whether no objects are registered. If false, all registered objects may nevertheless have been deallocated.
  var isEmpty: Bool { byIdentity.isEmpty }

  /// The live objects, in registration order.
  var alive: [(object: any Restorable, path: RestorationPath?)] {
    byIdentity.values.sorted { $0.number < $1.number }.compactMap { entry in entry.object.map { ($0, entry.path) } }
  }

  mutating func insert(_ object: any Restorable, path: RestorationPath?, place: SourcePlace) {
    purge()
    byIdentity[ObjectIdentifier(object)] = RegisteredObject(object: object, path: path, place: place, number: registrationCount)
    registrationCount += 1
  }

  mutating func remove(_ object: any Restorable) {
    byIdentity[ObjectIdentifier(object)] = nil
  }

  /// The registration of an object, or nil if it is not registered.
  subscript(object: any Restorable) -> RegisteredObject? {
    // A new object may have the address of a deallocated one.
    byIdentity[ObjectIdentifier(object)].flatMap { $0.object === object ? $0 : nil }
  }

  private mutating func purge() {
    guard byIdentity.count >= purgeCount else { return }
    byIdentity = byIdentity.filter { $0.value.object != nil }
    purgeCount = max(64, 2 * byIdentity.count)
  }
}

/// An object that participates without being in the `restorationChildren` of another object.
struct RegisteredObject {
  weak var object: (any Restorable)?
  /// The explicit path; nil if the path follows from the parent.
  let path: RestorationPath?
  let place: SourcePlace
  /// The registration number, increasing with each registration.
  let number: Int
}
