public import RestorationArchive

/// The objects that participate without being in the `restorationChildren` of another object: weakly held, in
/// registration order.
struct RegisteredObjects {
  private var byIdentity: [ObjectIdentifier: RegisteredObject] = [:]
  /// The number of registrations so far, including objects that have since been removed or deallocated.
  private(set) var registrationCount = 0
  /// The number of entries that triggers a purge of deallocated objects.
  private var purgeCount = 64

  /// Whether no objects are registered.
  ///
  /// If false, all registered objects may nevertheless have been deallocated.
  var isEmpty: Bool { byIdentity.isEmpty }

  /// Whether a registered object is alive.
  var hasAlive: Bool { byIdentity.values.contains { $0.object != nil } }

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

extension RestorableTree {
  /// Registers an object that is in no other object's ``Restorable/restorationChildren``.
  ///
  /// The object is held weakly; once it is deallocated, the next save omits its state. If unclaimed state exists at its
  /// path, for example because its factory returned ``FactoryResult/later``, the object is restored immediately.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - path: The path; if nil, the object is a child of its ``Restorable/restorationParent``.
  ///   - fileID: The source file of the registration, for reports.
  ///   - line: The source line of the registration, for reports.
  /// - Returns: The state found for the object.
  /// - Complexity: After a launch, O(n) in the objects of the tree if state waits under the object's identifier anywhere.
  @discardableResult
  public func register(
    _ object: any Restorable, at path: RestorationPath? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) -> RestoredState {
    let isKnown = registered[object] != nil
    if isKnown { session?.registeredIndex = nil }
    ending?.unregistered.removeAll { $0 === object }
    registered.insert(object, path: path, place: SourcePlace(fileID: fileID, line: line))
    session?.noteRegistration(of: object, at: path)
    if let session, session.isRunning {
      // Its path may still be ahead. If it has already been processed, the object is restored after all others.
      session.lateRegistrations.append(object)
      return .pending
    }
    switch condition {
    case .undecided, .pending: return .pending
    case .restored, .fresh:
      // After a fresh start, the session has state that was set aside.
      if let session, session.holdsState, session.mayHaveState(for: object, at: path) {
        walk(for: session)
        return session.restoreRegistered(object, tellsNone: !isKnown)
      }
      if !isKnown { object.applicationFinishedRestoringState(.none) }
      return .none
    }
  }

  /// Unregisters an object; the next save omits its state.
  public func unregister(_ object: any Restorable) {
    if let ending { return ending.unregistered.append(object) }
    registered.remove(object)
    session?.registeredIndex = nil
    changes?.signal.send()
  }

  var registeredObjects: [any Restorable] { registered.alive.map(\.object) }

  // MARK: Paths of live objects

  /// Returns the path of a registered or referenced object: the one where it is saved, if that is known, or its explicit path, or
  /// its identifier below the path of its parent.
  func path(of object: any Restorable, in session: RestorationSession?) -> RestorationPath? {
    var identifiers: [String] = []
    var next = object
    while true {
      if let base = session?.livePath?(next) { return joined(base.components, identifiers) }
      if let base = registered[next]?.path {
        return joined(base.components, identifiers)
      }
      if let bound = session?.entry(boundTo: next), let session {
        return joined(session.path(of: bound).components, identifiers)
      }
      guard let identifier = next.restorationIdentifier, identifiers.count < RestorationPath.maximumCount else { return nil }
      identifiers.append(identifier)
      guard let parent = next.restorationParent else { return joined([], identifiers) }
      next = parent
    }
  }

  private func joined(_ base: [String], _ reversed: [String]) -> RestorationPath? {
    try? RestorationPath(components: base + reversed.reversed())
  }
}
