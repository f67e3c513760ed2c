public import RestorationArchive

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
  @discardableResult
  public func register(
    _ object: any Restorable, at path: RestorationPath? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) -> RegistrationResult {
    registered.insert(object, path: path, place: SourcePlace(fileID: fileID, line: line))
    session?.noteRegistration()
    if let session, session.isRunning {
      // Its path may still be ahead. If it has already been processed, the object is restored after all others.
      session.lateRegistrations.append(object)
      return .pending
    }
    switch condition {
    case .undecided, .pending: return .pending
    case .restored, .fresh:
      // After a fresh start, the session has state that was set aside.
      if let session, session.refusal == nil, !session.isForgotten { return session.restoreRegistered(object) }
      object.applicationFinishedRestoringState(.none)
      return .none
    }
  }

  /// Unregisters an object; the next save omits its state.
  public func unregister(_ object: any Restorable) {
    if ending != nil { return }
    registered.remove(object)
    session?.noteRegistration()
  }

  var registeredObjects: [any Restorable] { registered.alive.map(\.object) }

  // MARK: Paths of live objects

  /// Returns the path of a registered or referenced object: its explicit path, or its identifier below the path of its
  /// parent.
  func path(of object: any Restorable, in session: RestorationSession?) -> RestorationPath? {
    var identifiers: [String] = []
    var next = object
    while true {
      if let base = registered[next]?.path {
        return joined(base.components, identifiers)
      }
      if let bound = session?.entry(boundTo: next), let session {
        return joined(session.path(of: bound).components, identifiers)
      }
      guard let identifier = next.restorationIdentifier, identifiers.count < 256 else { return nil }
      identifiers.append(identifier)
      guard let parent = next.restorationParent else { return joined([], identifiers) }
      next = parent
    }
  }

  private func joined(_ base: [String], _ reversed: [String]) -> RestorationPath? {
    try? RestorationPath(components: base + reversed.reversed())
  }
}

/// The state that exists for a newly registered object.
public enum RegistrationResult: String, Sendable {
  /// Not known yet: the state has not arrived, or has not been restored.
  case pending
  /// No state was saved for the path, or another object has claimed it.
  case none
  /// The state was decoded.
  case data
  /// State exists, but could not be decoded.
  case failed
}
