public import RestorationArchive

extension RestorableApplication {
  /// Lets an object take part that is in nobody's children.
  ///
  /// It is held weakly: when it goes, its state goes with the next save. If state waits for its path, because its factory answered
  /// ``FactoryAnswer/later`` or nobody took it so far, it is restored at once.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - path: Its path; if nil, it lies under its ``Restorable/restorationParent``.
  ///   - fileID: Where it is registered, for reports.
  ///   - line: Where it is registered, for reports.
  /// - Returns: What there is for it.
  @discardableResult
  public func register(
    _ object: any Restorable, at path: RestorationPath? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) -> RegistrationAnswer {
    registered.insert(object, path: path, place: SourcePlace(fileID: fileID, line: line))
    session?.noteRegistration()
    if let session, session.isRunning {
      // Its path may not have been reached yet; if it has been passed, the object is looked at when all others are done.
      session.lateRegistrations.append(object)
      return .pending
    }
    switch condition {
    case .undecided, .pending: return .pending
    case .restored: return session?.restoreRegistered(object) ?? .none
    case .fresh:
      object.applicationFinishedRestoringState(.none)
      return .none
    }
  }

  /// Takes an object out again; its state goes with the next save.
  public func unregister(_ object: any Restorable) {
    registered.remove(object)
    session?.noteRegistration()
  }

  var registeredObjects: [any Restorable] { registered.alive.map(\.object) }

  // MARK: Paths of live objects

  /// The path of a registered object or of one that a reference leads to: its own, or that of its parent and its identifier.
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
