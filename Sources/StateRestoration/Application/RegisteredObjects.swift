import RestorationArchive

/// The objects that take part without being among anybody's children: held weakly, in the order in which they registered.
struct RegisteredObjects {
  private var byIdentity: [ObjectIdentifier: RegisteredObject] = [:]
  /// How many objects have registered, whatever became of them.
  private(set) var registrationCount = 0
  /// When so many are there, those that are gone are removed.
  private var purgeCount = 64

  /// Whether there is none, or none that is alive perhaps.
  var isEmpty: Bool { byIdentity.isEmpty }

  /// Those that are alive, in the order in which they registered.
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

  /// What is known about an object, if it is registered.
  subscript(object: any Restorable) -> RegisteredObject? {
    // Another object may have got the place in memory of one that is gone.
    byIdentity[ObjectIdentifier(object)].flatMap { $0.object === object ? $0 : nil }
  }

  private mutating func purge() {
    guard byIdentity.count >= purgeCount else { return }
    byIdentity = byIdentity.filter { $0.value.object != nil }
    purgeCount = max(64, 2 * byIdentity.count)
  }
}
